// SPDX-License-Identifier: Apache-2.0
#include "chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace callboard::detail {
namespace {

constexpr double largest_drawn = 1e300;

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  bool empty() const { return low > high; }
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

AxisScale scale_of(Span span, int ticks) {
  return span.empty() ? nice_scale(0, 1, ticks) : nice_scale(span.low, span.high, ticks);
}

AxisScale widened_to_ticks(AxisScale scale) {
  scale.low = std::floor(scale.low / scale.step + 1e-9) * scale.step;
  scale.high = std::ceil(scale.high / scale.step - 1e-9) * scale.step;
  return scale;
}

struct Unit {
  double size;
  std::string_view sign;
};

Unit unit_for(const AxisScale& scale) {
  constexpr std::array<Unit, 3> units = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
  for (const Unit& unit : units) {
    if (largest >= 10 * unit.size || (largest >= unit.size && unit.size > 1e3))
      return unit;
  }
  return {1, ""};
}

} // namespace

bool can_be_drawn(const ChartPoint& point) {
  return std::abs(point.x) <= largest_drawn && std::abs(point.y) <= largest_drawn;
}

ChartScales scales_of(const Chart& chart, int x_ticks, int y_ticks) {
  Span x;
  Span y;
  for (const Series& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (can_be_drawn(point)) {
        x.include(point.x);
        y.include(point.y);
      }
    }
  }
  const bool empty = x.empty();
  if (chart.target && can_be_drawn({0, chart.target->y}))
    y.include(chart.target->y);
  return {scale_of(x, x_ticks), widened_to_ticks(scale_of(y, y_ticks)), empty};
}

std::string tick_text(double value, const AxisScale& scale) {
  const Unit unit = unit_for(scale);
  const double step = scale.step / unit.size;
  if (value == 0)
    return "0";
  if (step < 1e-6 || std::abs(value) >= 1e15)
    return fmt::format("{:.4g}", value);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}{}", value / unit.size, decimals, unit.sign);
}

std::vector<std::vector<ChartPoint>> runs_of(const Series& series) {
  std::vector<std::vector<ChartPoint>> runs(1);
  for (const ChartPoint& point : series.points) {
    if (can_be_drawn(point)) {
      runs.back().push_back(point);
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  if (runs.back().empty())
    runs.pop_back();
  return runs;
}

std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& line, int columns) {
  if (line.size() <= 4 * static_cast<std::size_t>(std::max(0, columns)))
    return line;
  const auto lower = [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; };
  std::vector<ChartPoint> result;
  for (auto begin = line.begin(); begin != line.end();) {
    const auto end = std::find_if(begin, line.end(), [&](const ChartPoint& point) {
      return std::floor(point.x) != std::floor(begin->x);
    });
    auto [least, most] = std::minmax_element(begin, end, lower);
    std::array kept = {begin, least, most, std::prev(end)};
    std::sort(kept.begin(), kept.end());
    auto* const last = std::unique(kept.begin(), kept.end());
    std::for_each(kept.begin(), last, [&](auto point) { result.push_back(*point); });
    begin = end;
  }
  return result;
}

} // namespace callboard::detail
