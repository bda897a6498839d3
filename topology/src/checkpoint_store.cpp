// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_files.hpp"
#include "checkpoint_format.hpp"
#include "checkpoint_names.hpp"

#include <callboard/checkpoint_store.hpp>
#include <callboard/error.hpp>
#include <callboard/log.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace callboard {
namespace {

using detail::File;
using proto::CheckpointManifest;
using Clock = std::chrono::system_clock;

std::string path_of(const std::string& folder, std::uint64_t sequence) {
  return fmt::format("{}/{}", folder, sequence);
}

/// Those in the folder of a node, the newest first. A listing can miss both what is removed and
/// what is added meanwhile, so that only several empty ones mean that there are none.
std::vector<std::uint64_t> sequences_in(const std::string& folder) {
  constexpr int attempts = 3;
  std::vector<std::uint64_t> sequences;
  for (int attempt = 0; sequences.empty() && attempt < attempts; ++attempt) {
    sequences = detail::sequences_in(detail::folders_in(folder));
  }
  return sequences;
}

/// What is in a folder under the number `sequence`.
CheckpointManifest read_manifest(
    const std::string& folder, const std::string& node, std::uint64_t sequence) {
  File file = File::open(folder + "/manifest");
  CheckpointManifest manifest = detail::read_manifest(file);
  if (manifest.node() != node || manifest.sequence() != sequence) {
    throw CallError(
        Code::malformed,
        fmt::format(
            "{} is that of checkpoint {} of {}",
            file.path(),
            manifest.sequence(),
            clean_text(manifest.node())));
  }
  return manifest;
}

CheckpointInfo info_of(const CheckpointManifest& manifest, std::string folder) {
  CheckpointInfo info{.node = manifest.node(), .folder = std::move(folder)};
  info.incarnation = manifest.incarnation();
  info.sequence = manifest.sequence();
  info.time = Clock::time_point(
      std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(manifest.time())));
  for (const proto::CheckpointValue& value : manifest.values()) {
    info.bytes += value.size();
  }
  return info;
}

/// @throws CallError{malformed}  it is damaged
StoredCheckpoint read_checkpoint(
    const std::string& folder, const std::string& node, std::uint64_t sequence) {
  const CheckpointManifest manifest = read_manifest(folder, node, sequence);
  File file = File::open(folder + "/values");
  return {info_of(manifest, folder), detail::read_values(file, manifest)};
}

/// Empty if the manifest is that of a checkpoint.
CheckpointInfo look_at(
    const std::string& folder, const std::string& node, std::uint64_t sequence) try {
  return info_of(read_manifest(folder, node, sequence), folder);
} catch (const CallError& error) {
  if (error.code() != Code::malformed) {
    throw;
  }
  return {.node = node, .sequence = sequence, .folder = folder, .damage = error.error().message};
}

/// The newest good checkpoint of one node, and what was refused on the way to it.
class Search {
public:
  Search(const std::string& folder, const std::string& node) : folder_(folder), node_(node) {
    for (const std::uint64_t sequence : sequences_in(folder)) {
      if (try_one(sequence)) {
        break;
      }
    }
  }

  std::optional<StoredCheckpoint>& found() { return found_; }
  /// Removed after the folder was listed: there are newer ones.
  bool has_lost_one() const { return has_lost_one_; }

  void require_some_good() const {
    if (!damage_.empty()) {
      throw CallError(
          Code::malformed,
          fmt::format("all checkpoints of {} are damaged: {}", node_, fmt::join(damage_, "; ")));
    }
  }

private:
  bool try_one(std::uint64_t sequence) {
    const std::string folder = path_of(folder_, sequence);
    try {
      found_ = read_checkpoint(folder, node_, sequence);
    } catch (const CallError& error) {
      if (!detail::folder_exists(folder)) {
        has_lost_one_ = true;
      } else if (error.code() == Code::malformed) {
        refuse(sequence, error.error().message);
      } else {
        throw;
      }
    }
    return found_.has_value();
  }

  void refuse(std::uint64_t sequence, const std::string& why) {
    damage_.push_back(why);
    log(LogLevel::warning,
        node_,
        fmt::format("checkpoint {} is damaged and not used: {}", sequence, why));
  }

  const std::string& folder_;
  const std::string& node_;
  std::optional<StoredCheckpoint> found_;
  std::vector<std::string> damage_;
  bool has_lost_one_ = false;
};

/// One write, into a folder of its own that is renamed when all is in it.
class Write {
public:
  Write(std::string folder, const std::string& node, int incarnation)
      : folder_(std::move(folder)),
        incoming_(folder_ + "/" + detail::incoming_folder(incarnation)) {
    manifest_.set_node(node);
    manifest_.set_incarnation(incarnation);
  }

  std::uint64_t run(const Checkpoint& checkpoint) {
    const std::vector<std::string> present = detail::folders_in(folder_);
    const auto sequences = detail::sequences_in(present);
    check_incarnation(sequences);
    remove_leftovers(present);
    manifest_.set_sequence(sequences.empty() ? 1 : sequences.front() + 1);
    try {
      fill(checkpoint);
      detail::rename_folder(incoming_, path_of(folder_, manifest_.sequence()));
    } catch (const CallError& error) {
      fail(error.error(), checkpoint);
    }
    detail::sync_folder(folder_);
    return manifest_.sequence();
  }

private:
  /// The newest that can be read decides.
  void check_incarnation(const std::vector<std::uint64_t>& sequences) const {
    for (const std::uint64_t sequence : sequences) {
      const CheckpointInfo info = look_at(path_of(folder_, sequence), manifest_.node(), sequence);
      if (info.damage.empty() && info.incarnation > manifest_.incarnation()) {
        throw CallError(
            Code::failed_precondition,
            fmt::format(
                "incarnation {} of {} can't write a checkpoint: incarnation {} has written {}",
                manifest_.incarnation(),
                manifest_.node(),
                info.incarnation,
                info.folder));
      }
      if (info.damage.empty()) {
        return;
      }
    }
  }

  void remove_leftovers(const std::vector<std::string>& present) const {
    for (const std::string& folder : present) {
      if (detail::is_leftover(folder, manifest_.incarnation())) {
        detail::remove_folder(folder_ + "/" + folder);
      }
    }
  }

  void fill(const Checkpoint& checkpoint) {
    using std::chrono::nanoseconds;
    const auto now = Clock::now().time_since_epoch();
    manifest_.set_time(std::chrono::duration_cast<nanoseconds>(now).count());
    detail::make_folders(incoming_);
    File values = File::create(incoming_ + "/values");
    detail::write_values(values, checkpoint, manifest_);
    values.sync();
    File manifest = File::create(incoming_ + "/manifest");
    detail::write_manifest(manifest, manifest_);
    manifest.sync();
    detail::sync_folder(incoming_);
  }

  [[noreturn]] void fail(Error error, const Checkpoint& checkpoint) const {
    const bool interfered = !detail::folder_exists(incoming_)
        || detail::folder_exists(path_of(folder_, manifest_.sequence()));
    detail::remove_folder(incoming_);
    if (interfered) {
      error.code = Code::aborted;
      error.message = "another write of this node came in between, so " + error.message;
    }
    error.message = fmt::format(
        "checkpoint {} of {}, {} bytes, is not written: {}",
        manifest_.sequence(),
        manifest_.node(),
        checkpoint.byte_size(),
        error.message);
    throw CallError(std::move(error));
  }

  std::string folder_;
  std::string incoming_;
  CheckpointManifest manifest_;
};

/// As far as it is possible: what stays is tried again by the next write.
void remove_old(const std::string& folder, std::size_t keep) {
  const auto sequences = detail::sequences_in(detail::folders_in(folder));
  for (std::size_t i = keep; i < sequences.size(); ++i) {
    const std::string outgoing = folder + "/" + detail::outgoing_folder(sequences[i]);
    try {
      detail::rename_folder(path_of(folder, sequences[i]), outgoing); // never seen half removed
      detail::remove_folder(outgoing);
    } catch (const CallError& error) {
      log(LogLevel::warning, "", "an old checkpoint stays: " + error.error().message);
    }
  }
}

} // namespace

CheckpointStore::CheckpointStore(std::string folder, int keep)
    : folder_(std::move(folder)), keep_(keep) {
  if (folder_.empty() || keep < 1) {
    throw CallError(
        Code::invalid_argument,
        fmt::format("checkpoints need a folder, and 1 or more to keep: \"{}\", {}", folder_, keep));
  }
}

std::string CheckpointStore::folder_of(const std::string& node) const {
  return folder_ + "/" + detail::node_folder(node);
}

std::uint64_t CheckpointStore::write(
    const std::string& node, int incarnation, const Checkpoint& checkpoint) const {
  const std::string folder = folder_of(node);
  detail::make_folders(folder);
  detail::require_private(folder_);
  const std::uint64_t sequence = Write(folder, node, incarnation).run(checkpoint);
  remove_old(folder, static_cast<std::size_t>(keep_));
  return sequence;
}

std::optional<StoredCheckpoint> CheckpointStore::latest(const std::string& node) const {
  constexpr int attempts = 100; // each is beaten by as many writes as are kept
  const std::string folder = folder_of(node);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Search search(folder, node);
    if (search.found()) {
      return std::move(search.found());
    }
    if (!search.has_lost_one()) {
      search.require_some_good();
      return std::nullopt;
    }
  }
  throw CallError(
      Code::failed_precondition,
      fmt::format("checkpoints in {} are removed faster than they can be read", folder));
}

std::vector<std::string> CheckpointStore::nodes() const {
  std::vector<std::string> nodes;
  for (const std::string& folder : detail::folders_in(folder_)) {
    if (auto node = detail::node_of_folder(folder)) {
      nodes.push_back(*std::move(node));
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<CheckpointInfo> CheckpointStore::list(const std::string& node) const {
  const std::string folder = folder_of(node);
  std::vector<CheckpointInfo> infos;
  for (const std::uint64_t sequence : sequences_in(folder)) {
    infos.push_back(look_at(path_of(folder, sequence), node, sequence));
  }
  return infos;
}

std::vector<CheckpointInfo> CheckpointStore::list() const {
  std::vector<CheckpointInfo> infos;
  for (const std::string& node : nodes()) {
    for (CheckpointInfo& info : list(node)) {
      infos.push_back(std::move(info));
    }
  }
  return infos;
}

std::vector<CheckpointInfo> CheckpointStore::copy_from(const CheckpointStore& other) const {
  std::vector<CheckpointInfo> copied;
  for (const std::string& node : other.nodes()) {
    if (const auto stored = other.latest(node)) {
      const std::uint64_t sequence = write(node, 0, stored->checkpoint);
      copied.push_back(look_at(path_of(folder_of(node), sequence), node, sequence));
    }
  }
  return copied;
}

} // namespace callboard
