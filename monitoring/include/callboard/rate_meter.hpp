// SPDX-License-Identifier: Apache-2.0
/// @file
/// How fast a counter grows.
#pragma once

#include <chrono>
#include <deque>

namespace callboard {

/// Turns successive totals of a counter into a rate over the last `window`.
///
/// Has no clock: the time comes with each total. Not thread-safe. A total below the one before
/// means that the counter began again from zero, as Prometheus reads it. Keeps at most some 70
/// samples.
class RateMeter {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// @throws std::invalid_argument unless `window` is above 0
  explicit RateMeter(std::chrono::nanoseconds window = std::chrono::seconds(10));

  /// Notes what the counter was at that time. A time that is not after the last one is ignored.
  void add(Time time, double total);

  /// Growth a second from the oldest total of the window to the newest; 0 before there are two. The
  /// oldest is the last one at or before the window's start, if there is one, so that the rate is
  /// over the whole window.
  double rate() const;

private:
  struct Sample {
    Time time;
    double grown; ///< since the first sample, beginnings from zero set aside
  };

  std::chrono::nanoseconds window_;
  std::deque<Sample> samples_{};
  double last_total_ = 0;
};

} // namespace callboard
