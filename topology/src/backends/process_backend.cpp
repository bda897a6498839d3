// SPDX-License-Identifier: Apache-2.0
#include "process_loop.hpp"

#include <csignal>

namespace callboard {

ProcessBackend::ProcessBackend(ProcessOptions options)
    : loop_(std::make_unique<Loop>(std::move(options))) {}

ProcessBackend::~ProcessBackend() = default;

JobId ProcessBackend::start(const JobSpec& spec, JobEvents events) {
  return loop_->start(spec, std::move(events));
}

void ProcessBackend::terminate(JobId job) {
  loop_->signal(job, SIGTERM);
}

void ProcessBackend::kill(JobId job) {
  loop_->signal(job, SIGKILL);
}

void ProcessBackend::signal(JobId job, int signal) {
  loop_->signal(job, signal);
}

JobStatus ProcessBackend::status(JobId job) const {
  return loop_->status(job);
}

std::optional<JobEnd> ProcessBackend::wait(JobId job, TimePoint deadline) const {
  return loop_->wait(job, deadline);
}

std::string ProcessBackend::logs(JobId job) const {
  return loop_->logs(job);
}

void ProcessBackend::forget(JobId job) {
  loop_->forget(job);
}

const std::string& ProcessBackend::run() const noexcept {
  return loop_->run();
}

} // namespace callboard
