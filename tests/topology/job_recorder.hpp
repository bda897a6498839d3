// SPDX-License-Identifier: Apache-2.0
/// @file
/// Remembers what a job's backend tells of it.
#pragma once

#include <callboard/backend.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::testing {

/// A deadline that only what is broken misses.
inline TimePoint soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

/// Must outlive the job. Thread-safe.
class JobRecorder {
public:
  JobEvents events() {
    return {
        .on_line = [this](Stream stream, std::string_view line) { add_line(stream, line); },
        .on_end = [this](const JobEnd& end) { add_end(end); }};
  }

  /// Whether the job printed this line before the deadline.
  bool saw(std::string_view line) const {
    return wait_until([&] {
      for (const auto& each : lines_) {
        if (each.second == line) {
          return true;
        }
      }
      return false;
    });
  }

  /// The first line; empty if there was none before the deadline.
  std::string first_line() const {
    wait_until([this] { return !lines_.empty(); });
    const std::lock_guard lock(mutex_);
    return lines_.empty() ? "" : lines_.front().second;
  }

  /// None: it did not end before the deadline.
  std::optional<JobEnd> end() const {
    wait_until([this] { return ends_ > 0; });
    const std::lock_guard lock(mutex_);
    return end_;
  }

  std::vector<std::string> lines(std::optional<Stream> stream = {}) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> chosen;
    for (const auto& [from, line] : lines_) {
      if (!stream || stream == from) {
        chosen.push_back(line);
      }
    }
    return chosen;
  }

  int ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }

  int lines_after_the_end() const {
    const std::lock_guard lock(mutex_);
    return late_lines_;
  }

  TimePoint ended_at() const {
    const std::lock_guard lock(mutex_);
    return ended_at_;
  }

private:
  void add_line(Stream stream, std::string_view line) {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(stream, line);
    late_lines_ += ends_ > 0 ? 1 : 0;
    changed_.notify_all();
  }

  void add_end(const JobEnd& end) {
    const std::lock_guard lock(mutex_);
    ended_at_ = std::chrono::steady_clock::now();
    end_ = end;
    ++ends_;
    changed_.notify_all();
  }

  bool wait_until(const std::function<bool()>& condition) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, soon(), condition);
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::pair<Stream, std::string>> lines_;
  std::optional<JobEnd> end_;
  TimePoint ended_at_{};
  int ends_ = 0;
  int late_lines_ = 0;
};

} // namespace callboard::testing
