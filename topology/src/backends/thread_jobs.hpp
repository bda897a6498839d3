// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a `ThreadBackend` is made of.
#pragma once

#include <callboard/thread_backend.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace callboard {

/// Lives as long as its backend and every thread. Thread-safe.
class ThreadBackend::Jobs : public std::enable_shared_from_this<Jobs> {
public:
  explicit Jobs(ThreadJob job) : job_(std::move(job)) {}

  JobId start(const JobSpec& spec, JobEvents events);
  void ask(JobId id, bool to_kill);
  std::string name(JobId id) const;
  JobStatus status(JobId id) const;
  std::optional<JobEnd> wait(JobId id, TimePoint deadline) const;
  std::string logs(JobId id) const;
  void forget(JobId id);
  /// Asks all to end, and leaves alone who has not by then.
  void end(TimePoint deadline);

private:
  struct Job {
    JobSpec spec{};
    JobEvents events{};
    std::stop_source stop{};
    bool kill_asked = false;
    std::string log{};
    std::optional<JobEnd> end{};
    bool told = false; ///< `on_end` has returned
    std::thread thread{};
  };
  using JobPointer = std::shared_ptr<Job>;

  JobPointer find(JobId id) const;
  void join_ended();
  // On the job's thread.
  void serve(const JobPointer& job);
  int run(Job& job);
  void tell(Job& job);

  const ThreadJob job_;
  mutable std::mutex mutex_;
  mutable std::condition_variable told_;
  std::map<JobId, JobPointer> jobs_{};
  std::uint64_t last_id_ = 0;
  bool ending_ = false;
};

} // namespace callboard
