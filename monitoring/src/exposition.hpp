// SPDX-License-Identifier: Apache-2.0
/// @file
/// Snapshots of nodes' metrics in prometheus-cpp's terms.
#pragma once

#include <callboard/metrics.hpp>

#include <prometheus/metric_family.h>

#include <map>
#include <string>
#include <vector>

namespace callboard::detail {

/// Gathers snapshots into families of one name each. The names are of one kind each already.
class Exposition {
public:
  void add(const Labels& labels, const std::vector<MetricSample>& samples);
  std::vector<prometheus::MetricFamily> families() &&;

private:
  std::map<std::string, prometheus::MetricFamily> families_;
};

} // namespace callboard::detail
