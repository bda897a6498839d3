// SPDX-License-Identifier: Apache-2.0
/// @file
/// A wait on an atomic word with a deadline: `std::atomic::wait` has none in C++20.
#pragma once

#include <callboard/time.hpp>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

namespace callboard::detail {

/// Sleeps while `word` is `expected`, at most until `time`. May wake for no reason.
inline void futex_wait(std::atomic<unsigned>& word, unsigned expected, TimePoint time) {
  // FUTEX_WAIT_BITSET takes an absolute time on the monotonic clock, which is steady_clock's.
  const auto since_boot = time.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const timespec until{
      .tv_sec = seconds.count(),
      .tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count(),
  };
  const bool bounded = time != TimePoint::max();
  syscall(
      SYS_futex,
      &word,
      FUTEX_WAIT_BITSET_PRIVATE,
      expected,
      bounded ? &until : nullptr,
      nullptr,
      FUTEX_BITSET_MATCH_ANY);
}

inline void futex_wake_all(std::atomic<unsigned>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace callboard::detail
