// SPDX-License-Identifier: Apache-2.0
/// @file
/// Jobs as threads of this process.
#pragma once

#include <callboard/backend.hpp>

#include <functional>
#include <memory>
#include <stop_token>

namespace callboard {

/// A job on a thread: its value is the exit code; an exception is exit code 1, and its text the
/// job's only line.
using ThreadJob = std::function<int(const JobSpec& spec, std::stop_token stop)>;

struct ThreadOptions {
  Duration grace = std::chrono::seconds(5); ///< longest wait of the destructor
};

/// Runs each job as a call of one function, on a thread of its own.
///
/// To terminate is to request stop. A thread can't be killed: `kill` requests stop as well, and
/// `status` says so. Nothing of the spec but its name has an effect; the function may read the
/// rest. Threads that have not ended within the destructor's grace are left running, and logged:
/// the function and all that it uses must live on.
class ThreadBackend : public Backend {
public:
  explicit ThreadBackend(ThreadJob job, ThreadOptions options = {});
  ~ThreadBackend() override;

  std::string_view name() const override { return "threads"; }
  BackendFeatures features() const override {
    return {.kills = false, .signals = false, .captures = false, .limits_memory = false};
  }

  JobId start(const JobSpec& spec, JobEvents events) override;
  void terminate(JobId job) override;
  void kill(JobId job) override;
  void signal(JobId job, int signal) override;
  JobStatus status(JobId job) const override;
  std::optional<JobEnd> wait(JobId job, TimePoint deadline) const override;
  std::string logs(JobId job) const override;
  void forget(JobId job) override;

private:
  class Jobs;
  std::shared_ptr<Jobs> jobs_;
  ThreadOptions options_;
};

} // namespace callboard
