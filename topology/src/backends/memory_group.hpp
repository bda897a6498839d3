// SPDX-License-Identifier: Apache-2.0
/// @file
/// Control groups that limit a job's memory, and tell when it was killed for it.
#pragma once

#include "descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace callboard::detail {

/// Where this process's own control group for memory is.
struct GroupPlace {
  int version = 0; ///< 1 or 2
  std::filesystem::path folder{};
  std::filesystem::path mount{}; ///< its root
  bool operator==(const GroupPlace&) const = default;
};

/// @param mountinfo text of /proc/self/mountinfo
/// @param cgroup    text of /proc/self/cgroup
/// @returns none where memory has no controller
/// Source: cgroups(7), proc(5).
std::optional<GroupPlace> group_place(std::string_view mountinfo, std::string_view cgroup);

/// What a group's files say.
struct GroupMemory {
  int kills = 0;          ///< processes killed because memory was used up
  std::uint64_t peak = 0; ///< bytes; 0: not known
};

/// A control group of one job.
class MemoryGroup {
public:
  MemoryGroup(int version, std::filesystem::path folder)
      : version_(version), folder_(std::move(folder)) {}
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup() { remove(); }

  /// Whether the limit is in force.
  bool limit(std::uint64_t bytes) const;
  /// To which a process writes "0" to enter.
  Descriptor processes() const;
  GroupMemory memory() const;
  /// Whether it is gone; it can't be while processes are in it.
  bool remove();

private:
  bool write(std::string_view file, std::string_view text) const;

  int version_;
  std::filesystem::path folder_;
};

/// Makes groups where this process may. `make` is thread-safe; the rest is for one thread.
class MemoryGroups {
public:
  /// Removes what dead processes left behind.
  explicit MemoryGroups(bool use);

  /// Null where none can be made.
  std::unique_ptr<MemoryGroup> make(std::uint64_t limit);

  /// Whether a process of this process's own group was killed for memory since it was asked, or
  /// made, before; such a kill is told of once.
  bool saw_kill();

private:
  int own_kills() const;

  std::optional<GroupPlace> own_{};   ///< none where memory has no controller
  std::optional<GroupPlace> place_{}; ///< where groups are made
  int kills_seen_ = 0;
};

/// Whether an output's end tells that memory was used up, as programs say it under RLIMIT_DATA.
bool tells_of_memory(std::string_view output);

} // namespace callboard::detail
