// SPDX-License-Identifier: Apache-2.0
#include "recent_calls.hpp"

#include "deadline_queue.hpp"

#include <callboard/detail/execution.hpp>
#include <callboard/detail/front.hpp>
#include <callboard/future.hpp>

namespace callboard::detail {
namespace {

constexpr std::chrono::milliseconds alarm_after{100};
/// Time for the alarm to be late.
constexpr std::chrono::seconds shortest_patience{1};

} // namespace

bool RecentCalls::add(CallState& call, const std::shared_ptr<Executor>& here) {
  const auto& runtime = call.target->runtime();
  if (runtime->options().deterministic || runtime->is_past(call.deadline - shortest_patience)) {
    return false;
  }
  call.acquire();
  call.is_recent = true;
  call.timer_next = first_;
  call.timer_place = &first_;
  if (first_ != nullptr) {
    first_->timer_place = &call.timer_next;
  }
  first_ = &call;
  if (!std::exchange(alarm_is_set_, true)) {
    set_alarm(call, here);
  }
  return true;
}

void RecentCalls::remove(CallState& call) noexcept {
  call.is_recent = false;
  *call.timer_place = call.timer_next;
  if (call.timer_next != nullptr) {
    call.timer_next->timer_place = call.timer_place;
  }
  call.release();
}

void RecentCalls::hand_over() {
  while (first_ != nullptr) {
    const CallRef call(first_);
    remove(*call);
    arm_deadline(*call);
  }
}

/// The alarm is a call of nothing, which is done at its deadline.
void RecentCalls::set_alarm(const CallState& origin, const std::shared_ptr<Executor>& here) {
  const auto alarm = make_promise<void>(origin);
  alarm->deadline = origin.target->runtime()->deadline_in(alarm_after);
  alarm->when_done(
      [this] {
        alarm_is_set_ = false;
        hand_over();
      },
      here);
  arm_deadline(*alarm);
}

} // namespace callboard::detail
