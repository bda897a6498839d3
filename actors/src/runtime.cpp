// SPDX-License-Identifier: Apache-2.0
#include "deadline_queue.hpp"
#include "futex.hpp"
#include "system.hpp"

#include <callboard/detail/runtime.hpp>

#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>

#include <algorithm>
#include <ctime>
#include <thread>

namespace callboard::detail {
namespace {

/// A continuation as a job of CAF's scheduler.
class Job final : public caf::resumable, public caf::ref_counted {
public:
  explicit Job(std::unique_ptr<Continuation> continuation)
      : continuation_(std::move(continuation)) {}

  resume_result resume(caf::execution_unit* /*unit*/, size_t /*max_throughput*/) override {
    const ExecutionScope scope({.may_block = false});
    continuation_->run();
    return resumable::done;
  }
  subtype_t subtype() const override { return resumable::function_object; }
  void intrusive_ptr_add_ref_impl() override { ref(); }
  void intrusive_ptr_release_impl() override { deref(); }

private:
  std::unique_ptr<Continuation> continuation_;
};

unsigned threads_for(const RuntimeOptions& options) {
  return options.threads != 0 ? options.threads : std::max(2U, std::thread::hardware_concurrency());
}

/// How far the coarse clock may be behind: a tick of a kernel with 100 of them a second.
constexpr std::chrono::milliseconds coarse_lag{10};
/// Patience for which the lag does not matter.
constexpr std::chrono::seconds long_patience{1};

/// `steady_clock` as of the kernel's last tick, at a fraction of the cost.
TimePoint coarse_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

} // namespace

ActorRuntime::System::System(const RuntimeOptions& options) {
  config.set(
      "scheduler.policy", options.deterministic ? caf::atom("testing") : caf::atom("sharing"));
  config.set("scheduler.max-threads", static_cast<size_t>(threads_for(options)));
  if (options.network) {
    load_network(config);
  }
  system = std::make_unique<caf::actor_system>(config);
  forget_logger();
}

std::shared_ptr<ActorRuntime> ActorRuntime::make(const RuntimeOptions& options) {
  return std::make_shared<ActorRuntime>(options);
}

ActorRuntime::ActorRuntime(const RuntimeOptions& options)
    : options_(options),
      system_(std::make_unique<System>(options)),
      deadlines_(std::make_unique<DeadlineQueue>(!options.deterministic)) {}

ActorRuntime::~ActorRuntime() {
  // A service that was left behind may be what lets go of us, on a thread of that system.
  if (left_behind_ || !close(TimePoint::min())) {
    static_cast<void>(system_.release());
  }
}

TimePoint ActorRuntime::now() const {
  return options_.deterministic ? system_->test_scheduler().clock().now()
                                : std::chrono::steady_clock::now();
}

TimePoint ActorRuntime::deadline_in(Duration patience) const {
  const bool coarse = patience >= long_patience && !options_.deterministic;
  return deadline_after(coarse ? coarse_now() + coarse_lag : now(), patience);
}

bool ActorRuntime::is_past(TimePoint deadline) const {
  if (!options_.deterministic && coarse_now() + coarse_lag < deadline) {
    return false;
  }
  return now() >= deadline;
}

void ActorRuntime::post(std::unique_ptr<Continuation> continuation) {
  const std::shared_lock lock(closing_);
  if (!closed_) {
    system_->actors().scheduler().enqueue(new Job(std::move(continuation)));
  }
}

void ActorRuntime::set_directory(Directory directory) {
  const std::lock_guard lock(directory_mutex_);
  directory_ = std::move(directory);
}

std::shared_ptr<Front> ActorRuntime::find(const std::string& node) const {
  const std::lock_guard lock(directory_mutex_);
  return directory_ ? directory_(node) : nullptr;
}

TimePoint ActorRuntime::next_event() const {
  const auto& timeouts = system_->test_scheduler().clock().schedule();
  return std::min(
      timeouts.empty() ? TimePoint::max() : timeouts.begin()->first, deadlines_->earliest());
}

void ActorRuntime::step_to(TimePoint time) {
  auto& scheduler = system_->test_scheduler();
  scheduler.advance_time(std::max(time - now(), Duration::zero()));
  deadlines_->expire(now());
  scheduler.run();
}

bool ActorRuntime::run_once() {
  return system_->test_scheduler().try_run_once();
}

bool ActorRuntime::run_until(CallState& call, TimePoint time) {
  while (!call.done()) {
    if (run_once()) {
      continue;
    }
    const TimePoint next = std::min(next_event(), time);
    if (next == TimePoint::max()) {
      call.fail(
          {.code = Code::deadline_exceeded,
           .message = "nothing is left to run, so the call can never end"});
    } else {
      step_to(next);
    }
    if (now() >= time) {
      break;
    }
  }
  return call.done();
}

void ActorRuntime::advance(Duration duration) {
  const TimePoint end = deadline_after(now(), duration);
  system_->test_scheduler().run();
  while (now() < end) {
    step_to(std::min(next_event(), end));
  }
}

void ActorRuntime::service_started() {
  services_.fetch_add(1);
}

void ActorRuntime::service_ended() {
  services_.fetch_sub(1);
  futex_wake_all(services_);
}

bool ActorRuntime::close(TimePoint deadline) {
  if (closed_) {
    return true;
  }
  if (options_.deterministic) {
    system_->test_scheduler().run();
  }
  for (unsigned alive = services_; alive != 0; alive = services_) {
    if (options_.deterministic || std::chrono::steady_clock::now() >= deadline) {
      left_behind_ = true;
      return false;
    }
    futex_wait(services_, alive, deadline);
  }
  {
    const std::lock_guard lock(closing_);
    closed_ = true;
  }
  deadlines_->close();
  system_->system.reset();
  return true;
}

} // namespace callboard::detail
