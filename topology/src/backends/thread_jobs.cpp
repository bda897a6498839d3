// SPDX-License-Identifier: Apache-2.0
#include "thread_jobs.hpp"

#include "events.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <system_error>

namespace callboard {
namespace {

using std::chrono::steady_clock;

void name_thread(const std::string& name) {
  constexpr std::size_t longest = 15;
  pthread_setname_np(pthread_self(), name.substr(0, longest).c_str());
}

} // namespace

JobId ThreadBackend::Jobs::start(const JobSpec& spec, JobEvents events) {
  join_ended();
  auto job = std::make_shared<Job>();
  job->spec = spec;
  job->events = std::move(events);
  const std::lock_guard lock(mutex_);
  if (ending_) {
    throw CallError(Code::cancelled, "the backend of threads ends; it starts no more jobs");
  }
  try {
    job->thread = std::thread([self = shared_from_this(), job] { self->serve(job); });
  } catch (const std::system_error& error) {
    throw CallError(
        Code::resource_exhausted,
        fmt::format(
            "{} was not started: no thread can be made: {}; start fewer jobs, or raise the limit "
            "(ulimit -u, pids.max of the control group)",
            spec.name,
            error.what()));
  }
  const JobId id{++last_id_};
  jobs_.emplace(id, job);
  return id;
}

void ThreadBackend::Jobs::serve(const JobPointer& job) {
  name_thread(job->spec.name);
  const TimePoint started = steady_clock::now();
  JobEnd end;
  end.exit_code = run(*job);
  end.ran = steady_clock::now() - started;
  {
    const std::lock_guard lock(mutex_);
    job->end = end;
  }
  tell(*job);
}

int ThreadBackend::Jobs::run(Job& job) {
  constexpr int mask = 0xFF; // as of a process
  try {
    return job_(job.spec, job.stop.get_token()) & mask;
  } catch (...) {
    const std::string text = to_string(current_error());
    {
      const std::lock_guard lock(mutex_);
      job.log = text + "\n";
    }
    detail::call_event(job.spec.name, job.events.on_line, Stream::errors, std::string_view(text));
    return 1;
  }
}

void ThreadBackend::Jobs::tell(Job& job) {
  {
    const JobEvents events = std::exchange(job.events, {});
    detail::call_event(job.spec.name, events.on_end, *job.end);
  }
  const std::lock_guard lock(mutex_);
  job.told = true;
  told_.notify_all();
}

void ThreadBackend::Jobs::ask(JobId id, bool to_kill) {
  JobPointer job;
  {
    const std::lock_guard lock(mutex_);
    job = find(id);
    job->kill_asked = job->kill_asked || to_kill;
  }
  job->stop.request_stop(); // runs its callbacks here, which may take any lock
}

std::string ThreadBackend::Jobs::name(JobId id) const {
  const std::lock_guard lock(mutex_);
  return find(id)->spec.name;
}

JobStatus ThreadBackend::Jobs::status(JobId id) const {
  const std::lock_guard lock(mutex_);
  const JobPointer job = find(id);
  JobStatus status{.state = job->end ? JobState::ended : JobState::running, .end = job->end};
  status.where = fmt::format("thread of {}", job->spec.name);
  if (job->kill_asked && !job->end) {
    status.note = "a thread can't be killed; it was asked to stop";
  }
  return status;
}

std::optional<JobEnd> ThreadBackend::Jobs::wait(JobId id, TimePoint deadline) const {
  detail::check_may_wait();
  std::unique_lock lock(mutex_);
  const JobPointer job = find(id);
  told_.wait_until(lock, deadline, [&] { return job->told; });
  return job->told ? job->end : std::nullopt;
}

std::string ThreadBackend::Jobs::logs(JobId id) const {
  const std::lock_guard lock(mutex_);
  return find(id)->log;
}

void ThreadBackend::Jobs::forget(JobId id) {
  JobPointer job;
  {
    const std::lock_guard lock(mutex_);
    job = find(id);
    if (!job->end) {
      throw CallError(
          Code::failed_precondition,
          fmt::format("{} has not ended; only jobs that have can be forgotten", job->spec.name));
    }
    jobs_.erase(id);
  }
  if (!job->thread.joinable()) {
    return;
  }
  if (detail::in_event) {
    job->thread.detach(); // it may be this very thread
  } else {
    job->thread.join();
  }
}

void ThreadBackend::Jobs::join_ended() {
  std::vector<std::thread> ended;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : jobs_) {
      if (job->told && job->thread.joinable()) {
        ended.push_back(std::move(job->thread));
      }
    }
  }
  for (std::thread& thread : ended) {
    thread.join();
  }
}

void ThreadBackend::Jobs::end(TimePoint deadline) {
  std::map<JobId, JobPointer> jobs;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    jobs = jobs_;
  }
  for (const auto& [id, job] : jobs) {
    job->stop.request_stop();
  }
  for (const auto& [id, job] : jobs) {
    std::unique_lock lock(mutex_);
    if (!told_.wait_until(lock, deadline, [&, &ended = job] { return ended->told; })) {
      log(LogLevel::error,
          job->spec.name,
          "its thread has not ended within the grace and is left running");
      job->thread.detach();
    }
  }
  join_ended();
}

ThreadBackend::Jobs::JobPointer ThreadBackend::Jobs::find(JobId id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) {
    throw CallError(
        Code::not_found,
        fmt::format(
            "no job {}: it was forgotten, or is another backend's",
            static_cast<std::uint64_t>(id)));
  }
  return found->second;
}

} // namespace callboard
