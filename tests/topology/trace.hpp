// SPDX-License-Identifier: Apache-2.0
/// @file
/// How nodes and their test meet: what nodes note down, and what holds nodes up until the test says
/// so. Nodes get no pointers to the test's objects, so these are the same for the whole process;
/// `TracedTest` begins each test with new ones.
#pragma once

#include <callboard/time.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace callboard {

inline constexpr std::chrono::seconds long_enough{10}; ///< longest wait for what is sure to happen

/// What happened, in order. Thread-safe.
class Trace {
public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// False if `line` did not come in time.
  bool wait_for(const std::string& line) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough, [&] { return count_locked(line) > 0; });
  }
  std::ptrdiff_t count(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return count_locked(line);
  }
  /// Where `line` came first; the number of lines if it did not.
  std::ptrdiff_t place(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return std::find(lines_.begin(), lines_.end(), line) - lines_.begin();
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    lines_.clear();
  }

private:
  std::ptrdiff_t count_locked(const std::string& line) const {
    return std::count(lines_.begin(), lines_.end(), line);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

/// Gates by name, closed at first. Thread-safe.
class Gates {
public:
  void open(const std::string& name) {
    const std::lock_guard lock(mutex_);
    open_[name] = true;
    changed_.notify_all();
  }
  /// Waits until it is open; false if it did not open in time.
  bool pass(const std::string& name) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough, [&] { return open_[name]; });
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    open_.clear();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, bool> open_;
};

inline Trace& trace() {
  static Trace instance;
  return instance;
}

inline Gates& gates() {
  static Gates instance;
  return instance;
}

class TracedTest : public testing::Test {
protected:
  TracedTest() {
    trace().clear();
    gates().clear();
  }
};

/// Polls `condition`; false if it did not come true in time.
template <class F>
bool eventually(F condition) {
  const auto end = std::chrono::steady_clock::now() + long_enough;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Seconds that `f` takes.
template <class F>
double seconds_of(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace callboard
