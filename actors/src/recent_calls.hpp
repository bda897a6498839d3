// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls whose end an actor awaits, as long as they are young.
#pragma once

#include <callboard/detail/call_state.hpp>

#include <memory>

namespace callboard::detail {

/// The calls that an actor goes on with when they are done. Nearly all end long before their
/// deadlines, so they are kept in a list of the actor's own, which costs no lock and no look at
/// what other threads write; those that are there when an alarm rings, some time after the first
/// came, get into the deadline queue. For the actor alone.
class RecentCalls {
public:
  RecentCalls() = default;
  RecentCalls(const RecentCalls&) = delete;
  RecentCalls& operator=(const RecentCalls&) = delete;
  ~RecentCalls() = default;

  /// False, and nothing done, if its deadline may pass before the alarm rings. `here` is the
  /// actor's executor.
  bool add(CallState& call, const std::shared_ptr<Executor>& here);
  static void remove(CallState& call) noexcept;

  /// Puts all into the deadline queue.
  void hand_over();

private:
  void set_alarm(const CallState& origin, const std::shared_ptr<Executor>& here);

  CallState* first_ = nullptr;
  bool alarm_is_set_ = false;
};

} // namespace callboard::detail
