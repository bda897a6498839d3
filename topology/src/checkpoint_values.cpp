// SPDX-License-Identifier: Apache-2.0
// The file of values: written and read block by block.
#include "checkpoint_format.hpp"

#include <callboard/error.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace callboard::detail {
namespace {

/// Sums up blocks, and packs small writes into larger ones. Large ones are not copied.
class BlockWriter {
public:
  explicit BlockWriter(File& file) : file_(file) { buffer_.reserve(buffer_size); }

  void add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto part =
          bytes.first(std::min<std::size_t>(bytes.size(), checkpoint_block - filled_));
      write(part);
      checksum_ = checksum(part, checksum_);
      filled_ += part.size();
      if (filled_ == checkpoint_block) {
        end_block();
      }
      bytes = bytes.subspan(part.size());
    }
  }

  /// The end of a value. @returns the checksums of its blocks
  std::vector<std::uint32_t> end_value() {
    if (filled_ > 0) {
      end_block();
    }
    return std::exchange(checksums_, {});
  }

  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

private:
  static constexpr std::size_t buffer_size = std::size_t{128} * 1024;

  void write(std::span<const std::byte> part) {
    if (buffer_.size() + part.size() > buffer_size) {
      flush();
    }
    if (part.size() > buffer_size) {
      file_.write(part);
    } else {
      buffer_.insert(buffer_.end(), part.begin(), part.end());
    }
  }

  void end_block() {
    checksums_.push_back(std::exchange(checksum_, 0));
    filled_ = 0;
  }

  File& file_;
  std::vector<std::byte> buffer_;
  std::vector<std::uint32_t> checksums_; // of the present value
  std::uint32_t checksum_ = 0;           // of the present block
  std::uint64_t filled_ = 0;
};

/// Memory for a value whose end is aligned for every type of number, and so are the elements of a
/// tensor, which come last.
struct Room {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;
};

/// Large memory comes in large pages where the system has them: with small ones the first write to
/// each may take longer than reading the file.
constexpr std::size_t large_page = std::size_t{2} << 20;

Room room_for(std::uint64_t size) {
  const std::align_val_t alignment{size < 2 * large_page ? 64 : large_page};
  const std::uint64_t before = (64 - size % 64) % 64;
  void* memory = ::operator new(before + size, alignment, std::nothrow);
  if (memory == nullptr) {
    throw CallError(
        Code::resource_exhausted, fmt::format("no memory for a value of {} bytes", size));
  }
  std::shared_ptr<void> owner(memory, [=](void* m) { ::operator delete(m, alignment); });
  if (alignment == std::align_val_t{large_page}) {
    madvise(memory, before + size, MADV_HUGEPAGE);
  }
  return {std::move(owner), std::span(static_cast<std::byte*>(memory) + before, size)};
}

class ValueReader {
public:
  ValueReader(File& file, const proto::CheckpointManifest& manifest)
      : file_(file), manifest_(manifest), block_(manifest.block_size()) {}

  /// Before anything is allocated.
  void check_sizes() const {
    constexpr std::uint64_t largest_block = std::uint64_t{1} << 30;
    if (block_ == 0 || block_ > largest_block) {
      refuse(fmt::format("has blocks of {} bytes by its manifest", block_));
    }
    const std::uint64_t held = file_.size();
    std::uint64_t left = held;
    for (const proto::CheckpointValue& value : manifest_.values()) {
      if (value.size() > left) {
        refuse(fmt::format("has {} bytes, fewer than by its manifest", held));
      }
      left -= value.size();
      check_blocks(value);
    }
    if (left > 0) {
      refuse(fmt::format("has {} bytes, {} more than by its manifest", held, left));
    }
  }

  Checkpoint read() {
    Checkpoint::Values values;
    for (const proto::CheckpointValue& value : manifest_.values()) {
      const bool is_new = values.emplace(value.name(), read_value(value)).second;
      if (!is_new) {
        refuse(fmt::format("has two values \"{}\" by its manifest", clean_text(value.name())));
      }
    }
    return Checkpoint(std::move(values));
  }

private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw CallError(Code::malformed, file_.path() + " " + what);
  }

  void check_blocks(const proto::CheckpointValue& value) const {
    const std::uint64_t blocks = value.size() / block_ + (value.size() % block_ == 0 ? 0 : 1);
    const auto given = static_cast<std::uint64_t>(value.checksums_size());
    if (blocks != given || value.name().empty()) {
      refuse(fmt::format(
          "has {} checksums for the {} blocks of value \"{}\" by its manifest",
          given,
          blocks,
          clean_text(value.name())));
    }
  }

  CheckpointValue read_value(const proto::CheckpointValue& value) {
    Room room = room_for(value.size());
    for (int block = 0; block < value.checksums_size(); ++block) {
      const std::uint64_t begin = static_cast<std::uint64_t>(block) * block_;
      const auto part = room.bytes.subspan(begin, std::min(block_, value.size() - begin));
      file_.read(part);
      if (checksum(part) != value.checksums(block)) {
        refuse(fmt::format(
            "does not match the checksum of block {} of value \"{}\", bytes {} to {}",
            block,
            clean_text(value.name()),
            offset_ + begin,
            offset_ + begin + part.size() - 1));
      }
    }
    offset_ += value.size();
    return {value.layout(), room.bytes, std::move(room.owner)};
  }

  File& file_;
  const proto::CheckpointManifest& manifest_;
  std::uint64_t block_;
  std::uint64_t offset_ = 0; // of the next value
};

} // namespace

void write_values(File& file, const Checkpoint& checkpoint, proto::CheckpointManifest& manifest) {
  manifest.set_block_size(checkpoint_block);
  BlockWriter writer(file);
  for (const auto& [name, value] : checkpoint.values()) {
    for (const std::span<const std::byte> piece : value.pieces()) {
      writer.add(piece);
    }
    proto::CheckpointValue& entry = *manifest.add_values();
    entry.set_name(name);
    entry.set_layout(value.layout());
    entry.set_size(value.byte_size());
    const std::vector<std::uint32_t> checksums = writer.end_value();
    entry.mutable_checksums()->Add(checksums.begin(), checksums.end());
  }
  writer.flush();
}

Checkpoint read_values(File& file, const proto::CheckpointManifest& manifest) {
  ValueReader reader(file, manifest);
  reader.check_sizes();
  return reader.read();
}

} // namespace callboard::detail
