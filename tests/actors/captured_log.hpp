// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: what is logged while it lives, instead of on standard error.
#pragma once

#include <callboard/log.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace callboard {

class CapturedLog {
public:
  CapturedLog() {
    set_log_sink([this](LogLevel /*level*/, std::string_view /*node*/, std::string_view text) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(text);
    });
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;
  ~CapturedLog() { set_log_sink({}); }

  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

} // namespace callboard
