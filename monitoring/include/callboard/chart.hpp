// SPDX-License-Identifier: Apache-2.0
/// @file
/// Line charts as SVG, such as learning curves: one text that any browser shows, without a script
/// or a font of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace callboard {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

/// A line through its points in their order. A point that is not finite, or beyond 1e300, leaves a
/// gap; a point between gaps is a dot.
struct Series {
  std::string name{}; ///< in the legend; empty: not there
  std::vector<ChartPoint> points{};
};

/// A dashed horizontal line, for instance at the return that counts as solved.
struct ChartTarget {
  double y = 0;
  std::string label{};
};

struct Chart {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  std::vector<Series> series{}; ///< six colours; from the seventh on the lines are dotted
  std::optional<ChartTarget> target{};
  int width = 800;  ///< pixels, at least 240
  int height = 450; ///< pixels, at least 180
};

/// The chart as an SVG element. Follows the reader's preference for light or dark. Texts may be of
/// any bytes. Long series are thinned to what the pixels can show, extremes kept, so the result
/// stays small. Without points there are axes and "no data".
std::string line_chart_svg(const Chart& chart);

/// Where an axis has its ticks: at the multiples of `step` from `low` to `high`.
struct AxisScale {
  double low = 0;
  double high = 1;
  double step = 1; ///< 1, 2 or 5 times a power of ten

  std::vector<double> ticks() const;
};

/// A scale for values from `low` to `high` with about `count` ticks. A single value gets room on
/// both sides. Source: Heckbert (1990), "Nice numbers for graph labels", Graphics Gems.
AxisScale nice_scale(double low, double high, int count);

} // namespace callboard
