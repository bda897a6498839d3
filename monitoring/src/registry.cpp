// SPDX-License-Identifier: Apache-2.0
#include "exposition.hpp"
#include "metric_names.hpp"

#include <callboard/registry.hpp>

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

namespace callboard {

Registry::Registry() : names_(std::make_shared<detail::MetricNames>()) {}

std::shared_ptr<MetricSet> Registry::add(Labels labels) {
  auto set = std::make_shared<MetricSet>(std::move(labels), names_);
  const std::lock_guard lock(mutex_);
  std::erase_if(sets_, [&](const auto& other) { return other->labels() == set->labels(); });
  sets_.push_back(set);
  return set;
}

void Registry::remove(const std::shared_ptr<MetricSet>& set) {
  const std::lock_guard lock(mutex_);
  std::erase(sets_, set);
}

std::vector<std::shared_ptr<MetricSet>> Registry::sets() const {
  const std::lock_guard lock(mutex_);
  return sets_;
}

std::vector<prometheus::MetricFamily> Registry::collect() const {
  detail::Exposition exposition;
  for (const auto& set : sets())
    exposition.add(set->labels(), set->snapshot());
  return std::move(exposition).families();
}

std::string Registry::text() const {
  return prometheus::TextSerializer{}.Serialize(collect());
}

double Registry::total(std::string_view counter, const Labels& where) const {
  double sum = 0;
  for (const auto& set : sets()) {
    const Labels& labels = set->labels();
    if (std::includes(labels.begin(), labels.end(), where.begin(), where.end()))
      sum += static_cast<double>(set->counter_value(counter).value_or(0));
  }
  return sum;
}

} // namespace callboard
