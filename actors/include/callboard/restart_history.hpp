// SPDX-License-Identifier: Apache-2.0
/// @file
/// Two decisions about restarts, as functions of time: are they too many, and how long to wait.
#pragma once

#include <callboard/supervision.hpp>

#include <vector>

namespace callboard {

/// One restart, and what made it necessary.
struct RestartRecord {
  TimePoint at{};
  std::string child{};
  ExitReason reason{};
};

/// The latest restarts, as many as a limit concerns.
class RestartHistory {
public:
  /// Notes a restart and forgets those that are more than `limit.period` older. Returns whether the
  /// rest, this one included, is within the limit. A restart exactly `period` ago still counts, as
  /// in OTP (`add_restart` in supervisor.erl keeps R >= Now - Period); unlike OTP's, times are not
  /// rounded down to seconds.
  bool add(const RestartLimit& limit, RestartRecord restart);

  /// The first is the oldest.
  const std::vector<RestartRecord>& records() const { return records_; }

private:
  std::vector<RestartRecord> records_;
};

/// The wait before the next start of a child that has failed `failures` times, 1 or more.
/// @param salt  what makes this wait differ from others, such as the incarnation that ended
Duration backoff_delay(const Backoff& backoff, int failures, std::uint64_t salt);

} // namespace callboard
