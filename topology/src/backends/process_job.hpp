// SPDX-License-Identifier: Apache-2.0
/// @file
/// One process that is a job.
#pragma once

#include "job_output.hpp"
#include "memory_group.hpp"
#include "spawn.hpp"

#include <callboard/backend.hpp>

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace callboard::detail {

/// A job from its start on. Its pipes and events belong to the watching thread; the rest is guarded
/// by the lock of who holds it.
struct ProcessJob {
  JobId id{};
  std::string name{};
  pid_t pid = 0;
  Descriptor process{};
  JobOutput output{};
  JobOutput errors{};
  JobEvents events{};
  std::unique_ptr<MemoryGroup> memory_group{};
  bool data_limited = false;
  std::uint64_t size_of_ours = 0; ///< the most this process's memory has been when it was started
  TimePoint started{};
  TailBuffer tail{};
  bool killed_by_us = false;
  std::optional<JobEnd> end{};
  bool told = false; ///< `on_end` has returned
};

/// Sends a signal to all processes of the job's group. It must not have been reaped.
void signal_group(const ProcessJob& job, int signal);

/// Whether its first process has ended, and waits to be reaped.
bool has_ended(const ProcessJob& job);

/// Reaps one that has ended.
JobEnd reap(ProcessJob& job);

/// Waits for the end of one that was killed, and reaps it.
void reap_killed(const ProcessJob& job);

/// Bytes that this process has had in memory at most.
std::uint64_t peak_of_ours();

/// Reaps children of ours in a process group, but for the leader, which is the job itself.
/// @returns whether none is left
bool reap_group(pid_t group, bool leader_reaped);

} // namespace callboard::detail
