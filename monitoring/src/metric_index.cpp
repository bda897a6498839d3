// SPDX-License-Identifier: Apache-2.0
#include "metric_index.hpp"

#include <functional>

namespace callboard::detail {
namespace {

constexpr std::size_t smallest_table = 16;

} // namespace

/// The slot of that name, or the empty one where it belongs.
std::atomic<Metric*>& MetricIndex::Table::place_of(std::string_view name) noexcept {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = std::hash<std::string_view>{}(name);; ++i) {
    std::atomic<Metric*>& slot = slots[i & mask];
    const Metric* metric = slot.load(std::memory_order_acquire);
    if (metric == nullptr || metric->name == name)
      return slot;
  }
}

MetricIndex::MetricIndex()
    : table_(tables_.emplace_back(std::make_unique<Table>(smallest_table)).get()) {}

Metric* MetricIndex::find(std::string_view name) const noexcept {
  return table_.load(std::memory_order_acquire)->place_of(name).load(std::memory_order_acquire);
}

Metric& MetricIndex::insert(std::unique_ptr<Metric> metric) {
  if (2 * (metrics_.size() + 1) > tables_.back()->slots.size())
    grow();
  metrics_.push_back(std::move(metric));
  Metric* made = metrics_.back().get();
  tables_.back()->place_of(made->name).store(made, std::memory_order_release);
  return *made;
}

void MetricIndex::grow() {
  auto larger = std::make_unique<Table>(2 * tables_.back()->slots.size());
  for (const auto& metric : metrics_)
    larger->place_of(metric->name).store(metric.get(), std::memory_order_relaxed);
  tables_.push_back(std::move(larger));
  table_.store(tables_.back().get(), std::memory_order_release);
}

} // namespace callboard::detail
