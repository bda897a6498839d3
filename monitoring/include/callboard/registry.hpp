// SPDX-License-Identifier: Apache-2.0
/// @file
/// The metrics of all nodes of a process, and the text in which Prometheus reads them.
#pragma once

#include <callboard/metrics.hpp>

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// Keeps the sets of metrics that are shown. A name is of one kind in all of them.
///
/// Thread-safe. A snapshot is read while nodes go on counting: each number is right, the numbers
/// are not of one instant.
class Registry : public prometheus::Collectable {
public:
  Registry();

  /// Makes a set that is shown until it is removed. One with the same labels takes its
  /// predecessor's place, since two lines with the same labels are an error for Prometheus: the
  /// next incarnation of a node counts from zero.
  /// @throws std::invalid_argument for a label name that `MetricSet` refuses
  std::shared_ptr<MetricSet> add(Labels labels);

  /// Shows the set no longer. Who holds it may go on counting, to no effect. Removing a set that is
  /// not there does nothing.
  void remove(const std::shared_ptr<MetricSet>& set);

  /// All metrics, by name: one family each, with one member for each set.
  std::vector<prometheus::MetricFamily> collect() const;
  /// The same, for prometheus-cpp's exposer.
  std::vector<prometheus::MetricFamily> Collect() const override { return collect(); }

  /// All metrics as Prometheus's text format 0.0.4.
  std::string text() const;

  /// The counter of that name, summed over the sets that have all the labels in `where`; 0 if there
  /// is none. May fall when a set is removed or replaced.
  double total(std::string_view counter, const Labels& where = {}) const;

private:
  std::vector<std::shared_ptr<MetricSet>> sets() const;

  std::shared_ptr<detail::MetricNames> names_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<MetricSet>> sets_;
};

} // namespace callboard
