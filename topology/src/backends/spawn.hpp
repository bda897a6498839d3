// SPDX-License-Identifier: Apache-2.0
/// @file
/// The one place where processes are made. The child shares this process's memory until it runs its
/// program (as with vfork), so that a start costs the same however big this process is.
#pragma once

#include "descriptor.hpp"

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace callboard::detail {

/// All that a child needs, made ready beforehand: it may not allocate.
struct SpawnPlan {
  std::string path{};                     ///< of the program
  std::vector<std::string> arguments{};   ///< the program's name first
  std::vector<std::string> environment{}; ///< "NAME=value"
  std::string folder{};                   ///< empty: this process's
  Descriptor input{};
  Descriptor output{};
  Descriptor errors{};
  Descriptor part{};                ///< becomes descriptor 3, if there is one
  Descriptor memory_group{};        ///< a control group's list of processes, if it has one
  std::uint64_t data_limit = 0;     ///< bytes for RLIMIT_DATA; 0: none
  int nice = 0;                     ///< added to this process's
  std::optional<cpu_set_t> cores{}; ///< none: this process's
  bool outlives_us = false;         ///< in a session of its own, and not killed with us
};

/// Where a child was when it failed.
enum class SpawnStep : unsigned char {
  make_process,
  die_with_parent,
  process_group,
  memory_group,
  memory_limit,
  priority,
  cores,
  folder,
  descriptors,
  program,
};

struct Spawned {
  pid_t pid = 0;
  Descriptor process{};                     ///< becomes readable when it ends
  int error = 0;                            ///< 0: the program runs
  SpawnStep step = SpawnStep::make_process; ///< what failed
};

/// Starts a child; waits until it runs its program. Unless it `outlives_us`, the kernel kills it
/// when
/// **the calling thread** ends.
Spawned spawn(const SpawnPlan& plan);

} // namespace callboard::detail
