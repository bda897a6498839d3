// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a `ProcessBackend` is made of: a thread that starts jobs, a thread that watches them all,
/// and a process that watches us.
///
///     start ──► Spawner ──► process ──► pipes, pidfd ──► watch: lines, ends ──► events
///     signal, kill ────────────┘
#pragma once

#include "cores.hpp"
#include "memory_group.hpp"
#include "process_job.hpp"
#include "spawner.hpp"
#include "warden.hpp"

#include <callboard/process_backend.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace callboard {

class ProcessBackend::Loop {
public:
  explicit Loop(ProcessOptions options);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  const std::string& run() const noexcept { return options_.run; }

  JobId start(const JobSpec& spec, JobEvents events);
  void signal(JobId id, int signal);
  JobStatus status(JobId id) const;
  std::optional<JobEnd> wait(JobId id, TimePoint deadline) const;
  std::string logs(JobId id) const;
  void forget(JobId id);

private:
  using Job = detail::ProcessJob;
  using JobPointer = std::shared_ptr<Job>;

  /// What an ended job may leave: processes of its group that die, and its control group.
  struct Remains {
    pid_t group = 0;
    std::unique_ptr<detail::MemoryGroup> memory_group{};
    TimePoint until{}; ///< when to look no more
  };

  detail::SpawnPlan plan(const JobSpec& spec, Job& job);
  void limit_memory(const JobSpec& spec, detail::SpawnPlan& plan, Job& job);
  JobId watch(const JobPointer& job);
  bool watch_descriptor(const detail::Descriptor& descriptor, JobId id, int kind);
  [[noreturn]] void abandon(Job& job);
  JobPointer find(JobId id) const;
  void check_not_ending() const;

  // On the watching thread.
  void serve();
  int patience() const;
  bool over(TimePoint& deadline);
  void handle(std::uint64_t key);
  void end(const JobPointer& job);
  void tell(Job& job, const JobEnd& end);
  void line(Job& job, Stream stream, std::string_view text);
  void appoint_warden();
  void clear_remains();
  void reap_orphans();

  ProcessOptions options_;
  detail::MemoryGroups memory_groups_;
  detail::Cores cores_;
  detail::Spawner spawner_;
  std::optional<detail::Warden> warden_{};
  int wardens_ = 0; ///< that there were
  detail::Descriptor poll_;
  detail::Descriptor wake_;
  std::vector<Remains> remains_{};

  mutable std::mutex mutex_;
  mutable std::condition_variable told_;
  std::map<JobId, JobPointer> jobs_{};
  std::uint64_t last_id_ = 0;
  int running_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

} // namespace callboard
