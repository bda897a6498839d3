// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a node counts: counters, gauges and histograms, made by name at their first use.
///
///     context.metrics().counter("env_steps").increment();
#pragma once

#include <callboard/detail/shard.hpp>
#include <callboard/histogram.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace callboard {

namespace detail {
class MetricNames;
} // namespace detail

/// A number of events since the start; it only grows.
/// Thread-safe and without locks: threads write to copies of their own (1 KiB in all).
class CounterMetric {
public:
  CounterMetric() = default;
  CounterMetric(const CounterMetric&) = delete;
  CounterMetric& operator=(const CounterMetric&) = delete;
  ~CounterMetric() = default;

  void increment(std::uint64_t n = 1) noexcept {
    cells_[detail::this_shard()].value.fetch_add(n, std::memory_order_relaxed);
  }

  /// The sum over all threads. Increments that go on meanwhile may or may not be in it; it is exact
  /// once the counting threads were joined, and never falls.
  std::uint64_t value() const noexcept;

private:
  std::array<detail::Cell, detail::shard_count> cells_;
};

/// A number that goes up and down, such as a queue's length. Thread-safe and without locks.
class GaugeMetric {
public:
  GaugeMetric() = default;
  GaugeMetric(const GaugeMetric&) = delete;
  GaugeMetric& operator=(const GaugeMetric&) = delete;
  ~GaugeMetric() = default;

  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  /// Adds `difference`, which may be negative.
  void add(double difference) noexcept { value_.fetch_add(difference, std::memory_order_relaxed); }
  double value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<double> value_{0};
};

/// Names and values that tell one node's numbers from another's, such as {"node", "actor/3"}.
/// A value may be of any bytes.
using Labels = std::map<std::string, std::string>;

/// One metric at one moment: a `std::uint64_t` is a counter's value, a `double` a gauge's.
struct MetricSample {
  std::string name{}; ///< without the prefix "callboard_", a counter's also without "_total"
  std::string help{};
  std::variant<std::uint64_t, double, HistogramSnapshot> value{};
};

/// The metrics of one node, under constant labels. Owned by `std::shared_ptr`: the references that
/// it gives are good as long as it lives, be it in a registry or no longer.
///
/// Names are of letters, digits, _ and :, with no digit first. Prometheus is shown `callboard_` +
/// name, a counter's with `_total` at its end; whoever writes these parts gets the same metric.
/// `help`, one sentence for a person, matters to the call that makes the metric.
///
/// Thread-safe. Finding a metric that exists takes no lock and allocates nothing (some 10 ns), so
/// it may stand in a hot loop; making one takes a lock.
class MetricSet {
public:
  /// @param names what the sets of one registry share, so that a name is of one kind in all of them
  /// @throws std::invalid_argument for a label name that Prometheus refuses: letters, digits and _,
  ///   no digit first, not "le" and not beginning with "__"
  explicit MetricSet(Labels labels, std::shared_ptr<detail::MetricNames> names = nullptr);
  MetricSet(const MetricSet&) = delete;
  MetricSet& operator=(const MetricSet&) = delete;
  ~MetricSet();

  /// The metric of that name, made if there is none.
  /// @throws std::invalid_argument for a bad name, or one that is of another kind already; nothing
  ///   is made
  CounterMetric& counter(std::string_view name, std::string_view help = {});
  GaugeMetric& gauge(std::string_view name, std::string_view help = {});
  /// `range` matters to the call that makes the histogram.
  /// @throws std::invalid_argument also for a range that `bounds_of` refuses
  HistogramMetric& histogram(
      std::string_view name, std::string_view help = {}, HistogramRange range = {});

  const Labels& labels() const noexcept { return labels_; }

  /// All metrics, in the order in which they were made.
  std::vector<MetricSample> snapshot() const;

  /// The value of the counter of that name, if there is one.
  std::optional<std::uint64_t> counter_value(std::string_view name) const;

private:
  struct State;

  Labels labels_;
  std::unique_ptr<State> state_;
};

} // namespace callboard
