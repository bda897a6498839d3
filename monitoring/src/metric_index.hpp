// SPDX-License-Identifier: Apache-2.0
/// @file
/// One node's metrics, found by name without a lock.
#pragma once

#include "metric_names.hpp"

#include <callboard/metrics.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::detail {

/// A metric under its base name. It never moves.
struct Metric {
  template <class M, class... Args>
  Metric(std::in_place_type_t<M> type, std::string_view base, std::string_view text, Args&&... args)
      : name(base), help(text), value(type, std::forward<Args>(args)...) {}

  MetricKind kind() const { return static_cast<MetricKind>(value.index()); }

  const std::string name;
  const std::string help;
  std::variant<CounterMetric, GaugeMetric, HistogramMetric> value;
};

/// A hash table that only grows: open addressing with linear probing, at most half full.
///
/// `find` may run in any thread at any time. It may miss what is being inserted, never what was
/// inserted before; so who misses looks again under the lock that orders insertions. Tables that
/// became too small stay until the end, since someone may still be reading them.
class MetricIndex {
public:
  MetricIndex();

  /// The metric of that base name, or null.
  Metric* find(std::string_view name) const noexcept;

  /// Callers take turns; the name is new.
  Metric& insert(std::unique_ptr<Metric> metric);

  /// All metrics in the order of insertion. Not while another thread inserts.
  const std::vector<std::unique_ptr<Metric>>& all() const noexcept { return metrics_; }

private:
  struct Table {
    explicit Table(std::size_t size) : slots(size) {}
    std::atomic<Metric*>& place_of(std::string_view name) noexcept;
    std::vector<std::atomic<Metric*>> slots; ///< a power of two of them
  };

  void grow();

  std::vector<std::unique_ptr<Metric>> metrics_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<Table*> table_;
};

} // namespace callboard::detail
