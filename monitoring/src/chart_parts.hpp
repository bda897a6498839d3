// SPDX-License-Identifier: Apache-2.0
/// @file
/// The decisions behind a line chart: what it spans, how numbers are written, which points a line
/// needs.
#pragma once

#include <callboard/chart.hpp>

#include <string>
#include <vector>

namespace callboard::detail {

/// Finite, and so small that differences are finite too.
bool can_be_drawn(const ChartPoint& point);

struct ChartScales {
  AxisScale x;
  AxisScale y;
  bool empty = true; ///< there is no point
};

/// Scales for all points and the target; y reaches from tick to tick.
ChartScales scales_of(const Chart& chart, int x_ticks, int y_ticks);

/// How all ticks of an axis are written: with as many decimals as the step needs, large ones with
/// k, M or G.
std::string tick_text(double value, const AxisScale& scale);

/// Runs of points that can be drawn, in the order of the series.
std::vector<std::vector<ChartPoint>> runs_of(const Series& series);

/// Of neighbours in one column of pixels, the first, the last and both extremes. Points are in
/// pixels; a short line is left as it is.
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& line, int columns);

} // namespace callboard::detail
