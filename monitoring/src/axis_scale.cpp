// SPDX-License-Identifier: Apache-2.0
#include <callboard/chart.hpp>

#include <algorithm>
#include <cmath>

namespace callboard {
namespace {

/// Rounding errors, in steps: a value that is so close to a tick is on it.
constexpr double slack = 1e-9;

double nice_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  const double nice = part < 1.5 ? 1 : part < 3 ? 2 : part < 7 ? 5 : 10;
  return nice * power;
}

} // namespace

std::vector<double> AxisScale::ticks() const {
  std::vector<double> result;
  const double first = std::ceil(low / step - slack);
  const double last = std::floor(high / step + slack);
  for (double i = 0; i <= last - first; ++i)
    result.push_back((first + i) * step + 0.0); // + 0.0 turns -0 into 0
  return result;
}

AxisScale nice_scale(double low, double high, int count) {
  const double magnitude = std::max(std::abs(low), std::abs(high));
  if (high - low <= magnitude * 1e-12) {
    const double room = magnitude > 0 ? magnitude * 0.1 : 1;
    low -= room;
    high += room;
  }
  return {low, high, nice_step((high - low) / std::max(1, count - 1))};
}

} // namespace callboard
