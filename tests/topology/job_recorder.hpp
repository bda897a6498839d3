// SPDX-License-Identifier: Apache-2.0
/// @file
/// Remembers what a job's backend tells of it.
#pragma once

#include <callboard/backend.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::testing {

/// A deadline that only what is broken misses.
inline TimePoint soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

/// Thread-safe. Its events may outlive it, as a test that fails leaves its job running.
class JobRecorder {
public:
  JobEvents events() {
    return {
        .on_line = [all = all_](Stream stream, auto line) { all->add_line(stream, line); },
        .on_end = [all = all_](const JobEnd& end) { all->add_end(end); }};
  }

  /// Whether the job printed this line before the deadline.
  bool saw(const std::string& line) const {
    return all_->wait_until([&] {
      return std::find(all_->lines.begin(), all_->lines.end(), line) != all_->lines.end();
    });
  }

  /// The first line; empty if there was none before the deadline.
  std::string first_line() const {
    all_->wait_until([this] { return !all_->lines.empty(); });
    const auto all = lines();
    return all.empty() ? "" : all.front();
  }

  /// None: it did not end before the deadline.
  std::optional<JobEnd> end() const {
    all_->wait_until([this] { return all_->ends > 0; });
    const std::lock_guard lock(all_->mutex);
    return all_->end;
  }

  /// All of them, or those of one stream, in the order of arrival.
  std::vector<std::string> lines(std::optional<Stream> stream = {}) const {
    const std::lock_guard lock(all_->mutex);
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < all_->lines.size(); ++i) {
      if (!stream || all_->streams[i] == *stream) {
        chosen.push_back(all_->lines[i]);
      }
    }
    return chosen;
  }

  int ends() const {
    const std::lock_guard lock(all_->mutex);
    return all_->ends;
  }

  int lines_after_the_end() const {
    const std::lock_guard lock(all_->mutex);
    return all_->late_lines;
  }

  TimePoint ended_at() const {
    const std::lock_guard lock(all_->mutex);
    return all_->ended_at;
  }

private:
  struct All {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> lines;
    std::vector<Stream> streams; ///< of the lines
    std::optional<JobEnd> end;
    TimePoint ended_at{};
    int ends = 0;
    int late_lines = 0;

    void add_line(Stream stream, std::string_view line) {
      const std::lock_guard lock(mutex);
      lines.emplace_back(line);
      streams.push_back(stream);
      late_lines += ends > 0 ? 1 : 0;
      changed.notify_all();
    }

    void add_end(const JobEnd& with) {
      const std::lock_guard lock(mutex);
      ended_at = std::chrono::steady_clock::now();
      end = with;
      ++ends;
      changed.notify_all();
    }

    template <class Condition>
    bool wait_until(Condition condition) {
      std::unique_lock lock(mutex);
      return changed.wait_until(lock, soon(), condition);
    }
  };

  const std::shared_ptr<All> all_ = std::make_shared<All>();
};

} // namespace callboard::testing
