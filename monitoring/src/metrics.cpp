// SPDX-License-Identifier: Apache-2.0
#include "metric_index.hpp"
#include "metric_names.hpp"

#include <callboard/metrics.hpp>

#include <mutex>
#include <stdexcept>
#include <type_traits>

namespace callboard {
namespace {

using detail::Metric;
using detail::MetricKind;

template <class M>
constexpr MetricKind kind_of = std::is_same_v<M, CounterMetric> ? MetricKind::counter
    : std::is_same_v<M, GaugeMetric>                            ? MetricKind::gauge
                                                                : MetricKind::histogram;

} // namespace

std::uint64_t CounterMetric::value() const noexcept {
  std::uint64_t sum = 0;
  for (const detail::Cell& cell : cells_)
    sum += cell.value.load(std::memory_order_relaxed);
  return sum;
}

struct MetricSet::State {
  template <class M, class... Args>
  M& find_or_make(std::string_view name, std::string_view help, Args... args);
  template <class M, class... Args>
  Metric& make(std::string_view name, std::string_view help, Args... args);

  std::shared_ptr<detail::MetricNames> names;
  detail::MetricIndex index{};
  mutable std::mutex mutex{}; ///< orders insertions
};

template <class M, class... Args>
M& MetricSet::State::find_or_make(std::string_view name, std::string_view help, Args... args) {
  const std::string_view base = detail::base_name(name, kind_of<M>);
  Metric* metric = index.find(base);
  if (metric == nullptr)
    metric = &make<M>(name, help, args...);
  if (M* found = std::get_if<M>(&metric->value))
    return *found;
  throw std::invalid_argument(detail::clash_text(base, kind_of<M>, metric->name, metric->kind()));
}

template <class M, class... Args>
Metric& MetricSet::State::make(std::string_view name, std::string_view help, Args... args) {
  detail::check_metric_name(name, kind_of<M>);
  const std::string_view base = detail::base_name(name, kind_of<M>);
  const std::lock_guard lock(mutex);
  if (Metric* other_thread_was_first = index.find(base))
    return *other_thread_was_first;
  auto metric = std::make_unique<Metric>(std::in_place_type<M>, base, help, args...);
  names->claim(base, kind_of<M>);
  return index.insert(std::move(metric));
}

MetricSet::MetricSet(Labels labels, std::shared_ptr<detail::MetricNames> names)
    : labels_(std::move(labels)),
      state_(new State{names ? std::move(names) : std::make_shared<detail::MetricNames>()}) {
  for (const auto& [name, value] : labels_)
    detail::check_label_name(name);
}

MetricSet::~MetricSet() = default;

CounterMetric& MetricSet::counter(std::string_view name, std::string_view help) {
  return state_->find_or_make<CounterMetric>(name, help);
}

GaugeMetric& MetricSet::gauge(std::string_view name, std::string_view help) {
  return state_->find_or_make<GaugeMetric>(name, help);
}

HistogramMetric& MetricSet::histogram(
    std::string_view name, std::string_view help, HistogramRange range) {
  return state_->find_or_make<HistogramMetric>(name, help, range);
}

std::vector<MetricSample> MetricSet::snapshot() const {
  const auto sample_of = [](const Metric& metric) {
    MetricSample sample{metric.name, metric.help};
    if (const auto* counter = std::get_if<CounterMetric>(&metric.value)) {
      sample.value = counter->value();
    } else if (const auto* gauge = std::get_if<GaugeMetric>(&metric.value)) {
      sample.value = gauge->value();
    } else {
      sample.value = std::get<HistogramMetric>(metric.value).snapshot();
    }
    return sample;
  };
  const std::lock_guard lock(state_->mutex);
  std::vector<MetricSample> samples;
  for (const auto& metric : state_->index.all())
    samples.push_back(sample_of(*metric));
  return samples;
}

std::optional<std::uint64_t> MetricSet::counter_value(std::string_view name) const {
  const Metric* metric = state_->index.find(detail::base_name(name, MetricKind::counter));
  if (metric == nullptr || metric->kind() != MetricKind::counter)
    return std::nullopt;
  return std::get<CounterMetric>(metric->value).value();
}

} // namespace callboard
