// SPDX-License-Identifier: Apache-2.0
#include "process_loop.hpp"

#include "command.hpp"
#include "events.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <random>

namespace callboard {
namespace {

using detail::Descriptor;
using std::chrono::steady_clock;

/// What an event is about: the job's number (for `woken`: 0, and 1 for the warden's end) times 4,
/// and one of these.
enum Kind : int { process_ended = 0, has_output = 1, has_errors = 2, woken = 3 };
constexpr std::uint64_t kinds = 4;
constexpr std::uint64_t warden_number = 1;

std::string random_run() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

ProcessOptions completed(ProcessOptions options) {
  if (options.run.empty()) {
    options.run = random_run();
  }
  const auto fits = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  };
  if (!std::all_of(options.run.begin(), options.run.end(), fits)) {
    throw CallError(
        Code::invalid_argument,
        fmt::format(
            "run id \"{}\": only letters, digits, '-', '_' and '.' are possible", options.run));
  }
  return options;
}

Descriptor checked(int fd, std::string_view what) {
  if (fd < 0) {
    throw detail::descriptor_error(what, errno);
  }
  return detail::out_of_the_way(Descriptor(fd));
}

std::string joined(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

bool adopts_orphans() {
  int adopts = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0);
  return adopts != 0;
}

} // namespace

ProcessBackend::Loop::Loop(ProcessOptions options)
    : options_(completed(std::move(options))),
      memory_groups_(options_.use_cgroups),
      cores_(detail::own_cores()),
      poll_(checked(epoll_create1(EPOLL_CLOEXEC), "a poll")),
      wake_(checked(eventfd(0, EFD_CLOEXEC), "a wake-up")) {
  watch_descriptor(wake_, JobId{}, woken);
  appoint_warden();
  thread_ = std::thread([this] { serve(); });
}

ProcessBackend::Loop::~Loop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const auto& [id, job] : jobs_) {
      if (!job->end) {
        detail::signal_group(*job, SIGKILL);
      }
    }
  }
  eventfd_write(wake_.get(), 1);
  thread_.join();
  kill_strays(options_.run);
}

// --- starting -----------------------------------------------------------------------------------

JobId ProcessBackend::Loop::start(const JobSpec& spec, JobEvents events) {
  detail::check(spec);
  {
    const std::lock_guard lock(mutex_);
    check_not_ending();
  }
  auto job = std::make_shared<Job>();
  const detail::SpawnPlan prepared = plan(spec, *job);
  job->size_of_ours = detail::peak_of_ours();
  job->started = steady_clock::now();
  detail::Spawned spawned = spawner_.spawn(prepared);
  if (spawned.error != 0) {
    throw detail::spawn_error(spec, prepared, spawned);
  }
  job->name = spec.name;
  job->events = std::move(events);
  job->pid = spawned.pid;
  job->process = std::move(spawned.process);
  return watch(job);
}

detail::SpawnPlan ProcessBackend::Loop::plan(const JobSpec& spec, Job& job) {
  detail::Environment ours{{"CALLBOARD_RUN", options_.run}};
  if (!spec.part.empty()) {
    ours.emplace("CALLBOARD_PART", "3");
  }
  if (!spec.gpus.empty()) {
    ours.emplace("CUDA_VISIBLE_DEVICES", joined(spec.gpus));
  }
  detail::SpawnPlan plan = detail::plan_of(spec, ours);
  plan.input = checked(open("/dev/null", O_RDONLY | O_CLOEXEC), "a descriptor");
  auto [output, to_output] = detail::make_pipe();
  auto [errors, to_errors] = detail::make_pipe();
  job.output = detail::JobOutput(std::move(output));
  job.errors = detail::JobOutput(std::move(errors));
  plan.output = std::move(to_output);
  plan.errors = std::move(to_errors);
  if (!spec.part.empty()) {
    plan.part = detail::sealed_file(spec.part);
  }
  limit_memory(spec, plan, job);
  if (options_.pin_cpus) {
    const std::lock_guard lock(mutex_);
    plan.cores = cores_.take(spec.cpus);
  }
  return plan;
}

void ProcessBackend::Loop::limit_memory(const JobSpec& spec, detail::SpawnPlan& plan, Job& job) {
  if (spec.memory == 0) {
    return;
  }
  job.memory_group = memory_groups_.make(spec.memory);
  if (job.memory_group) {
    plan.memory_group = job.memory_group->processes();
  }
  if (!plan.memory_group) {
    // Not RLIMIT_AS, which counts what is only reserved, as CUDA does by the terabyte.
    job.memory_group.reset();
    job.data_limited = true;
    plan.data_limit = spec.memory;
  }
}

JobId ProcessBackend::Loop::watch(const JobPointer& job) {
  const std::lock_guard lock(mutex_);
  job->id = JobId{++last_id_};
  ++running_;
  jobs_.emplace(job->id, job);
  if (!watch_descriptor(job->output.pipe(), job->id, has_output)
      || !watch_descriptor(job->errors.pipe(), job->id, has_errors)
      || !watch_descriptor(job->process, job->id, process_ended)) {
    abandon(*job);
  }
  if (ending_) {
    detail::signal_group(*job, SIGKILL); // the watching thread tells of its end
  }
  return job->id;
}

bool ProcessBackend::Loop::watch_descriptor(const Descriptor& descriptor, JobId id, int kind) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(id) * kinds + static_cast<std::uint64_t>(kind);
  return epoll_ctl(poll_.get(), EPOLL_CTL_ADD, descriptor.get(), &event) == 0;
}

/// A job that can't be watched must not run.
void ProcessBackend::Loop::abandon(Job& job) {
  const CallError reason = detail::descriptor_error("a watch over " + job.name, errno);
  detail::signal_group(job, SIGKILL);
  detail::reap_killed(job);
  --running_;
  jobs_.erase(job.id);
  throw reason;
}

void ProcessBackend::Loop::check_not_ending() const {
  if (ending_) {
    throw CallError(Code::cancelled, "the backend of processes ends; it starts no more jobs");
  }
}

// --- asking -------------------------------------------------------------------------------------

void ProcessBackend::Loop::signal(JobId id, int signal) {
  const std::lock_guard lock(mutex_);
  const JobPointer job = find(id);
  if (job->end) {
    return;
  }
  job->killed_by_us = job->killed_by_us || signal == SIGKILL;
  detail::signal_group(*job, signal);
  if (signal == SIGTERM) {
    detail::signal_group(*job, SIGCONT); // one that is stopped could not obey
  }
}

JobStatus ProcessBackend::Loop::status(JobId id) const {
  const std::lock_guard lock(mutex_);
  const JobPointer job = find(id);
  return {
      .state = job->end ? JobState::ended : JobState::running,
      .where = fmt::format("pid {}", job->pid),
      .end = job->end};
}

std::optional<JobEnd> ProcessBackend::Loop::wait(JobId id, TimePoint deadline) const {
  detail::check_may_wait();
  std::unique_lock lock(mutex_);
  const JobPointer job = find(id);
  told_.wait_until(lock, deadline, [&] { return job->told; });
  return job->told ? job->end : std::nullopt;
}

std::string ProcessBackend::Loop::logs(JobId id) const {
  const std::lock_guard lock(mutex_);
  return find(id)->tail.text();
}

void ProcessBackend::Loop::forget(JobId id) {
  const std::lock_guard lock(mutex_);
  if (!find(id)->end) {
    throw CallError(
        Code::failed_precondition,
        fmt::format("{} has not ended; only jobs that have can be forgotten", find(id)->name));
  }
  jobs_.erase(id);
}

ProcessBackend::Loop::JobPointer ProcessBackend::Loop::find(JobId id) const {
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

// --- watching -----------------------------------------------------------------------------------

void ProcessBackend::Loop::serve() {
  detail::block_signals("cb-processes");
  TimePoint deadline = TimePoint::max();
  while (!over(deadline)) {
    std::array<epoll_event, 64> events{};
    const int count = epoll_wait(poll_.get(), events.data(), events.size(), patience());
    for (int i = 0; i < count; ++i) {
      handle(events.at(static_cast<std::size_t>(i)).data.u64);
    }
    clear_remains();
    reap_orphans();
  }
}

/// Milliseconds for epoll_wait: without end where nothing has to be looked for.
int ProcessBackend::Loop::patience() const {
  constexpr int for_remains = 10;
  constexpr int for_orphans = 1000;
  if (!remains_.empty()) {
    return for_remains;
  }
  const std::lock_guard lock(mutex_);
  return ending_ || adopts_orphans() ? for_orphans : -1;
}

bool ProcessBackend::Loop::over(TimePoint& deadline) {
  const std::lock_guard lock(mutex_);
  if (!ending_) {
    return false;
  }
  const TimePoint now = steady_clock::now();
  // A killed process ends, unless it waits for a device that does not answer.
  deadline = std::min(deadline, now + std::chrono::seconds(5));
  return (running_ == 0 && remains_.empty()) || now >= deadline;
}

void ProcessBackend::Loop::handle(std::uint64_t key) {
  const auto kind = static_cast<Kind>(key % kinds);
  if (kind == woken && key / kinds == warden_number) {
    return appoint_warden();
  }
  if (kind == woken) {
    eventfd_t count = 0;
    eventfd_read(wake_.get(), &count);
    return;
  }
  JobPointer job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(JobId{key / kinds});
    if (found == jobs_.end() || found->second->end) {
      return; // an earlier event of this round was its end
    }
    job = found->second;
  }
  switch (kind) {
  case has_output:
    job->output.read_some([&](auto text) { line(*job, Stream::output, text); });
    break;
  case has_errors:
    job->errors.read_some([&](auto text) { line(*job, Stream::errors, text); });
    break;
  default: end(job);
  }
}

void ProcessBackend::Loop::end(const JobPointer& job) {
  if (!detail::has_ended(*job)) {
    return;
  }
  // While it is not reaped, its number, which is its group's too, is given to nobody else.
  detail::signal_group(*job, SIGKILL);
  job->output.read_rest([&](auto text) { line(*job, Stream::output, text); });
  job->errors.read_rest([&](auto text) { line(*job, Stream::errors, text); });
  JobEnd end;
  {
    const std::lock_guard lock(mutex_);
    end = detail::reap(*job);
    if (end.signal == SIGKILL && !job->killed_by_us && !job->memory_group) {
      end.out_of_memory = memory_groups_.saw_kill();
    }
    job->end = end;
    job->process.close();
    --running_;
  }
  remains_.push_back(
      {job->pid, std::move(job->memory_group), steady_clock::now() + std::chrono::seconds(5)});
  tell(*job, end);
}

void ProcessBackend::Loop::tell(Job& job, const JobEnd& end) {
  {
    const JobEvents events = std::exchange(job.events, {}); // what they hold goes before `told`
    detail::call_event(job.name, events.on_end, end);
  }
  const std::lock_guard lock(mutex_);
  job.told = true;
  told_.notify_all();
}

void ProcessBackend::Loop::line(Job& job, Stream stream, std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    job.tail.append(text);
    job.tail.append("\n");
  }
  detail::call_event(job.name, job.events.on_line, stream, text);
}

/// The first one, and another for one that was killed.
void ProcessBackend::Loop::appoint_warden() {
  constexpr int most = 5; // what kills them so often won't spare the next one
  warden_.reset();
  if (wardens_++ < most) {
    warden_.emplace(spawner_, options_.run);
    watch_descriptor(warden_->process(), JobId{warden_number}, woken);
  }
}

void ProcessBackend::Loop::clear_remains() {
  std::erase_if(remains_, [now = steady_clock::now()](Remains& each) {
    const bool reaped = detail::reap_group(each.group, true);
    const bool removed = !each.memory_group || each.memory_group->remove();
    return (reaped && removed) || now >= each.until;
  });
}

/// What jobs have started and left behind while they run, where `adopt_orphans` was called.
void ProcessBackend::Loop::reap_orphans() {
  if (!adopts_orphans()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (!job->end) {
      detail::reap_group(job->pid, false);
    }
  }
}

} // namespace callboard
