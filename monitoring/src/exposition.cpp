// SPDX-License-Identifier: Apache-2.0
#include "exposition.hpp"

#include "text.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/metric_type.h>

#include <array>
#include <limits>
#include <utility>
#include <variant>

namespace callboard::detail {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

std::string shown_name(const MetricSample& sample) {
  const bool counts = std::holds_alternative<std::uint64_t>(sample.value);
  return "callboard_" + sample.name + (counts ? "_total" : "");
}

MetricType type_of(const MetricSample& sample) {
  constexpr std::array types = {MetricType::Counter, MetricType::Gauge, MetricType::Histogram};
  return types.at(sample.value.index());
}

/// prometheus-cpp escapes the values of labels and leaves a text of help as it is.
std::string escaped_help(std::string_view help) {
  std::string result;
  for (const char c : prometheus_text(help)) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::vector<ClientMetric::Label> shown_labels(const Labels& labels) {
  std::vector<ClientMetric::Label> result;
  for (const auto& [name, value] : labels)
    result.push_back({name, prometheus_text(value)});
  return result;
}

ClientMetric::Histogram shown_histogram(const HistogramSnapshot& snapshot) {
  ClientMetric::Histogram result;
  result.sample_count = snapshot.count;
  result.sample_sum = snapshot.sum;
  for (const double bound : bounds_of(snapshot.range))
    result.bucket.push_back({snapshot.count_up_to(bound), bound});
  result.bucket.push_back({snapshot.count, std::numeric_limits<double>::infinity()});
  return result;
}

ClientMetric shown_metric(const Labels& labels, const MetricSample& sample) {
  ClientMetric metric;
  metric.label = shown_labels(labels);
  if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
    metric.counter.value = static_cast<double>(*count);
  } else if (const auto* value = std::get_if<double>(&sample.value)) {
    metric.gauge.value = *value;
  } else {
    metric.histogram = shown_histogram(std::get<HistogramSnapshot>(sample.value));
  }
  return metric;
}

} // namespace

void Exposition::add(const Labels& labels, const std::vector<MetricSample>& samples) {
  for (const MetricSample& sample : samples) {
    prometheus::MetricFamily& family = families_[shown_name(sample)];
    family.type = type_of(sample);
    if (family.help.empty())
      family.help = escaped_help(sample.help);
    family.metric.push_back(shown_metric(labels, sample));
  }
}

std::vector<prometheus::MetricFamily> Exposition::families() && {
  std::vector<prometheus::MetricFamily> result;
  for (auto& [name, family] : families_) {
    family.name = name;
    result.push_back(std::move(family));
  }
  return result;
}

} // namespace callboard::detail
