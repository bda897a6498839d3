// SPDX-License-Identifier: Apache-2.0
#include "thread_jobs.hpp"

#include <callboard/log.hpp>

#include <fmt/format.h>

namespace callboard {

ThreadBackend::ThreadBackend(ThreadJob job, ThreadOptions options)
    : jobs_(std::make_shared<Jobs>(std::move(job))), options_(options) {}

ThreadBackend::~ThreadBackend() {
  jobs_->end(detail::deadline_after(std::chrono::steady_clock::now(), options_.grace));
}

JobId ThreadBackend::start(const JobSpec& spec, JobEvents events) {
  return jobs_->start(spec, std::move(events));
}

void ThreadBackend::terminate(JobId job) {
  jobs_->ask(job, false);
}

void ThreadBackend::kill(JobId job) {
  jobs_->ask(job, true);
}

void ThreadBackend::signal(JobId job, int signal) {
  throw CallError(
      Code::failed_precondition,
      fmt::format(
          "{} is a thread, to which signal {} can't be sent; terminate it, or run it as a process",
          jobs_->name(job),
          signal));
}

JobStatus ThreadBackend::status(JobId job) const {
  return jobs_->status(job);
}

std::optional<JobEnd> ThreadBackend::wait(JobId job, TimePoint deadline) const {
  return jobs_->wait(job, deadline);
}

std::string ThreadBackend::logs(JobId job) const {
  return jobs_->logs(job);
}

void ThreadBackend::forget(JobId job) {
  jobs_->forget(job);
}

} // namespace callboard
