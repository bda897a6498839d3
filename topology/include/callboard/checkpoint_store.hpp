// SPDX-License-Identifier: Apache-2.0
/// @file
/// Checkpoints on disk.
///
///     runs/7/checkpoints/            the store
///       learner-0/                   a node
///         12/  values  manifest      a checkpoint: its sequence number
///         13/  values  manifest
///         incoming-2-5f0c…/          one being written by incarnation 2
#pragma once

#include <callboard/checkpoint.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace callboard {

/// What a stored checkpoint is.
struct CheckpointInfo {
  std::string node{};         ///< such as "learner/0"
  int incarnation = 0;        ///< of the node that wrote it
  std::uint64_t sequence = 0; ///< counts a node's checkpoints, from 1
  std::chrono::system_clock::time_point time{};
  std::uint64_t bytes = 0; ///< of all values
  std::string folder{};    ///< where it lies
  std::string damage{};    ///< why it can't be used, as far as is known; empty if it can
};

struct StoredCheckpoint {
  CheckpointInfo info;
  Checkpoint checkpoint;
};

/// The checkpoints of a program's nodes in one folder: the newest few of each.
///
/// A checkpoint is there as a whole or not at all, whenever the process or the machine stops: it is
/// written under another name, its values before its manifest, all of it synchronised with the
/// disk, and then renamed. Every byte is covered by a checksum; what is damaged is refused by name.
/// The only limit of size is the disk.
///
/// Files are readable and writable by their owner alone. No name in them becomes a path.
///
/// Thread-safe, also across processes: one write of a node at a time, any number of reads. A second
/// write of the same node ends the first.
///
/// Errors of the file system are `CallError{resource_exhausted}` (no space, no memory, no
/// descriptors) or `CallError{failed_precondition}` (all others), with path and reason.
class CheckpointStore {
public:
  /// Touches nothing on disk.
  /// @param folder  made, readable by its owner alone, by the first write; if it exists, nobody
  ///                else may be able to write to it
  /// @param keep    how many checkpoints of each node stay, 1 or more
  /// @throws CallError{invalid_argument}  `keep` is less than 1, or `folder` is empty
  explicit CheckpointStore(std::string folder, int keep = 3);

  const std::string& folder() const noexcept { return folder_; }

  /// Stores a checkpoint of `node`, then removes those that are too many, and what interrupted
  /// writes have left. After an error the ones before are as they were.
  ///
  /// @param node         such as "learner/0"
  /// @param incarnation  of the node: once a later one has written, the writes of those before are
  ///                     refused, so that a life thought to have ended can't undo its successor's
  /// @returns            its sequence number
  /// @throws CallError{invalid_argument}     `node` is no node's name
  /// @throws CallError{failed_precondition}  a later incarnation has written; or a file error
  /// @throws CallError{resource_exhausted}   no space: says how much was written of how much
  /// @throws CallError{aborted}              another write of this node came in between
  std::uint64_t write(const std::string& node, int incarnation, const Checkpoint& checkpoint) const;

  /// The newest good checkpoint of `node`; none if it never wrote one. Damaged ones are logged as
  /// warnings that name file, block and reason, and the one before is used.
  ///
  /// @throws CallError{malformed}         there are some, all damaged; says what is wrong with each
  /// @throws CallError{invalid_argument}  `node` is no node's name
  std::optional<StoredCheckpoint> latest(const std::string& node) const;

  /// The nodes that have written, in alphabetical order; none if there is no such folder.
  std::vector<std::string> nodes() const;

  /// All checkpoints of a node, the newest first; of all nodes. Reads manifests only, so damage to
  /// the values isn't seen.
  std::vector<CheckpointInfo> list(const std::string& node) const;
  std::vector<CheckpointInfo> list() const;

  /// Copies the newest good checkpoint of every node of another store, such as that of the run to
  /// be resumed, as of incarnation 0. Holds one in memory at a time.
  ///
  /// @returns what was copied, as it is here
  /// @throws what `latest` and `write` throw; nodes copied before stay
  std::vector<CheckpointInfo> copy_from(const CheckpointStore& other) const;

private:
  std::string folder_of(const std::string& node) const;

  std::string folder_;
  int keep_;
};

} // namespace callboard
