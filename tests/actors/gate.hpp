// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: holds threads up until the test says go on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace callboard {

/// Opens once. Nobody waits for more than a minute, so that a failing test ends.
class Gate {
public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  /// Waits until it is open.
  bool pass() { return await(open_); }

  /// Waits until somebody has called `arrive`.
  bool await_arrival() { return await(arrived_); }

  void arrive() {
    const std::lock_guard lock(mutex_);
    arrived_ = true;
    changed_.notify_all();
  }

private:
  bool await(const bool& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return condition; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool arrived_ = false;
};

} // namespace callboard
