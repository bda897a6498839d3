// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which names metrics may have, and which kind each name is of.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace callboard::detail {

enum class MetricKind : unsigned char { counter, gauge, histogram };

/// "counter", "gauge" or "histogram".
std::string_view to_string(MetricKind kind);

/// The part of a name that tells metrics apart: without "callboard_" before it and, for a counter,
/// "_total" after it.
std::string_view base_name(std::string_view name, MetricKind kind);

/// @throws std::invalid_argument if Prometheus would refuse the name, or nothing is left of it
void check_metric_name(std::string_view name, MetricKind kind);

/// @throws std::invalid_argument if Prometheus would refuse the label
void check_label_name(std::string_view name);

/// The kinds of all names that are shown together: if two of them wrote the same line, or one name
/// were of two kinds, Prometheus would refuse the whole page. Thread-safe.
class MetricNames {
public:
  /// Notes that the metric `base` is of that kind, and which names it is shown under.
  /// @throws std::invalid_argument if one of these is another metric's; nothing is noted
  void claim(std::string_view base, MetricKind kind);

private:
  struct Owner {
    std::string base;
    MetricKind kind;
  };

  std::mutex mutex_;
  std::map<std::string, Owner> owners_;
};

/// The sentence for a name that is of another kind.
std::string clash_text(
    std::string_view name, MetricKind asked, std::string_view owner, MetricKind kind);

} // namespace callboard::detail
