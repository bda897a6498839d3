// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls of a job's events, for those who write backends.
#pragma once

#include <callboard/log.hpp>

#include <string>

namespace callboard::detail {

/// Whether this thread is in an event.
inline thread_local bool in_event = false;

/// Calls it if it is there. Events may not throw; one that does is logged, and ends nothing.
template <class Event, class... Args>
void call_event(const std::string& job, const Event& event, const Args&... arguments) {
  if (!event) {
    return;
  }
  in_event = true;
  try {
    event(arguments...);
  } catch (...) {
    log(LogLevel::error, job, "an event of its backend threw: " + to_string(current_error()));
  }
  in_event = false;
}

/// @throws CallError{failed_precondition} this thread is in an event
inline void check_may_wait() {
  if (in_event) {
    throw CallError(
        Code::failed_precondition, "an event can't wait for jobs, whose ends come by its thread");
  }
}

} // namespace callboard::detail
