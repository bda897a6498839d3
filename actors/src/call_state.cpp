// SPDX-License-Identifier: Apache-2.0
#include "deadline_queue.hpp"
#include "futex.hpp"
#include "held_nodes.hpp"
#include "recent_calls.hpp"

#include <callboard/detail/call_state.hpp>
#include <callboard/detail/execution.hpp>
#include <callboard/detail/front.hpp>
#include <callboard/log.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {
namespace {

ActorRuntime* runtime_of(const CallState& call) {
  return call.target == nullptr ? nullptr : call.target->runtime().get();
}

std::string name_of(const CallState& call) {
  return fmt::format("{} on {}", call.method->name, call.target->node());
}

} // namespace

CallState::~CallState() = default;

void CallState::let_go() noexcept {
  target_hold.reset();
  if (is_recent) {
    RecentCalls::remove(*this);
  }
}

std::shared_ptr<const void> hold_target(const CallState& call) {
  return call.target == nullptr ? nullptr : call.target->shared_from_this();
}

namespace {

/// Counts down; true at zero. Who holds the last one need not write: nobody can add to it.
bool count_down(std::atomic<unsigned>& count) noexcept {
  return count.load(std::memory_order_acquire) == 1
      || count.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void dispatch(std::unique_ptr<Continuation> continuation) {
  if (const auto executor = std::move(continuation->executor)) {
    executor->post(std::move(continuation));
  } else {
    continuation->run();
  }
}

} // namespace

void CallState::release() noexcept {
  if (count_down(references_)) {
    delete this;
  }
}

void CallState::release_callee() noexcept {
  if (!count_down(callees_) || done()) {
    return;
  }
  if (started_.load(std::memory_order_relaxed)) {
    const auto reason = target ? target->end_reason() : std::nullopt;
    fail({
        .code = Code::aborted,
        .message = reason ? "the call was taken up, but there is no reply: " + reason->message
                          : "the call was taken up, but its reply was dropped",
    });
  } else if (method == nullptr) {
    fail({.code = Code::cancelled, .message = "the program ended before this could run"});
  } else {
    fail({.code = Code::unavailable, .message = "the node ended before it took up the call"});
  }
}

/// Sets `bit`. @returns what was set before
unsigned CallState::set(unsigned bit) noexcept {
  if (references_.load(std::memory_order_acquire) != 1) {
    return state_.fetch_or(bit);
  }
  // Nobody else knows the call: a tell, or the caller has left.
  const unsigned before = state_.load(std::memory_order_relaxed);
  state_.store(before | bit, std::memory_order_relaxed);
  return before;
}

bool CallState::claim() noexcept {
  return (set(is_claimed) & is_claimed) == 0;
}

void CallState::publish() noexcept {
  ActorRuntime* const runtime = runtime_of(*this);
  const unsigned before = set(is_done); // from here on the caller may let go of `target`
  if (armed_ && runtime != nullptr) {
    runtime->deadlines().remove(*this);
  }
  if ((before & has_waiter) != 0) {
    futex_wake_all(state_);
  }
  if (carried_.load()) {
    tell_carriage();
  }
  if (failed()
      && (one_way ? !observed_.load(std::memory_order_relaxed) : (before & is_abandoned) != 0)) {
    log_unseen();
  }
  if ((before & has_continuation) != 0) {
    dispatch(std::move(continuation_));
  }
}

void CallState::tell_carriage() noexcept {
  if (const auto carriage = carriage_.exchange(nullptr)) {
    carriage->call_ended();
  }
}

void CallState::carry(std::shared_ptr<Carriage> carriage) {
  carriage_.store(std::move(carriage));
  carried_.store(true);
  if (done()) {
    tell_carriage(); // whoever ended it may not have seen the carriage
  }
}

bool CallState::fail(Error error) {
  if (!claim()) {
    return false;
  }
  set_error(std::move(error));
  publish();
  return true;
}

void CallState::dismiss() noexcept {
  if (claim()) {
    publish();
  }
}

void CallState::set_error(Error error) {
  describe(error);
  error_ = std::make_unique<Error>(std::move(error));
}

bool CallState::ended() {
  if (!done() && target && target->runtime()->is_past(deadline)) {
    fail({.code = Code::deadline_exceeded, .message = {}});
  }
  return done();
}

/// Adds what is known here to an error that says no more than its code.
void CallState::describe(Error& error) const {
  if (method == nullptr || !target) {
    return;
  }
  if (error.node.empty()) {
    error.node = target->node();
  }
  if (error.method.empty()) {
    error.method = method->name;
  }
  if (error.code == Code::deadline_exceeded && error.message.empty()) {
    error.message = fmt::format("no reply in time; {}", target->describe_wait());
  }
}

void CallState::abandon() noexcept {
  if (observed_.load(std::memory_order_relaxed)) {
    return;
  }
  if ((state_.fetch_or(is_abandoned) & is_done) != 0 && failed()) {
    log_unseen();
  }
}

void CallState::log_unseen() const noexcept {
  // A call taken back by its caller, or ended with its program, is no news to anybody.
  if (error_->code != Code::cancelled) {
    log(LogLevel::warning,
        "",
        fmt::format("a failure that nobody asked for: {}", to_string(*error_)));
  }
}

void CallState::set_continuation(std::unique_ptr<Continuation> continuation) {
  continuation_ = std::move(continuation);
  if ((state_.fetch_or(has_continuation) & is_done) != 0) {
    dispatch(std::move(continuation_));
  }
}

bool CallState::park_until(TimePoint time) {
  constexpr int spins = 200;
  for (int i = 0; i < spins; ++i) {
    if (done()) {
      return true;
    }
    __builtin_ia32_pause();
  }
  unsigned state = state_.fetch_or(has_waiter) | has_waiter;
  while ((state & is_done) == 0) {
    if (time != TimePoint::max() && std::chrono::steady_clock::now() >= time) {
      return false;
    }
    futex_wait(state_, state, time);
    state = state_.load(std::memory_order_acquire);
  }
  return true;
}

bool CallState::wait_until(TimePoint time) {
  const TimePoint until = std::min(time, deadline);
  ActorRuntime* runtime = runtime_of(*this);
  const bool ended = runtime != nullptr && runtime->options().deterministic
      ? runtime->run_until(*this, until)
      : park_until(until);
  if (ended) {
    return true;
  }
  if (deadline <= time && !fail({.code = Code::deadline_exceeded, .message = {}})) {
    return park_until(TimePoint::max()); // the reply is being written at this moment
  }
  return done();
}

namespace {

/// While it lives, those who must know of a wait do.
class WaitScope {
public:
  explicit WaitScope(CallState& call) : call_(call) {
    const Execution& here = this_execution();
    if (!call.target) {
      return;
    }
    const bool for_start = here.start != nullptr && call.target->holding();
    if (here.waits != nullptr && (call.stoppable || for_start)) {
      waits_ = here.waits;
      waits_->add(CallRef(&call));
    }
    if (for_start) {
      start_ = here.start;
      if (auto error = start_->begin_wait(*call.target)) {
        call.fail(std::move(*error));
      }
    }
  }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;
  ~WaitScope() {
    if (waits_ != nullptr) {
      waits_->remove(CallRef(&call_));
    }
    if (start_ != nullptr) {
      start_->end_wait();
    }
  }

private:
  CallState& call_;
  WaitSet* waits_ = nullptr;
  StartWatch* start_ = nullptr;
};

void report_wait(const CallState& call, int reports) {
  const Front* here = this_execution().node;
  const auto waited = reports * defaults::wait_report;
  log(LogLevel::info,
      here == nullptr ? "" : here->node(),
      fmt::format("has waited {} for {}", waited, name_of(call)));
}

} // namespace

bool CallState::wait_at_most(TimePoint time) {
  if (done()) {
    return true;
  }
  const WaitScope scope(*this);
  return wait_until(time);
}

void CallState::wait() {
  if (done()) {
    return;
  }
  const WaitScope scope(*this);
  const HeldNodeScope held(*this);
  const TimePoint start = std::chrono::steady_clock::now();
  const ActorRuntime* runtime = runtime_of(*this);
  const bool virtual_time = runtime != nullptr && runtime->options().deterministic;
  for (int i = 1; !done(); ++i) {
    const TimePoint report = virtual_time ? TimePoint::max() : start + i * defaults::wait_report;
    if (!wait_until(report) && method != nullptr) {
      report_wait(*this, i);
    }
  }
}

} // namespace callboard::detail
