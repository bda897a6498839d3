// SPDX-License-Identifier: Apache-2.0
/// @file
/// Time as calls see it, and the finite defaults of every wait, in one place.
#pragma once

#include <chrono>

namespace callboard {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Patience without end. Only for waits whose end is certain some other way.
inline constexpr Duration forever = Duration::max();

namespace defaults {

inline constexpr std::chrono::seconds call_deadline{
    10}; ///< for a reply, from the moment of the call
inline constexpr std::chrono::seconds wait_report{
    30}; ///< a call that waits longer says so in the log
inline constexpr std::size_t mailbox_limit = 1U << 18; ///< messages that may wait for one node
inline constexpr std::size_t message_limit = std::size_t{64}
    << 20; ///< bytes of the arguments, or of the result, of a call to another process
inline constexpr std::chrono::microseconds short_method{
    20}; ///< methods faster than this may run on the caller's thread

} // namespace defaults

namespace detail {

/// `start + patience`, or the end of time if that would overflow.
constexpr TimePoint deadline_after(TimePoint start, Duration patience) {
  return patience >= TimePoint::max() - start ? TimePoint::max() : start + patience;
}

} // namespace detail
} // namespace callboard
