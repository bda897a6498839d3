// SPDX-License-Identifier: Apache-2.0
#include "chart_parts.hpp"
#include "text.hpp"

#include <callboard/chart.hpp>
#include <callboard/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace callboard {
namespace {

using detail::ChartScales;
using detail::cut;
using detail::scales_of;
using detail::xml_text;

constexpr int colours = 6;
constexpr int left_margin = 68;
constexpr int right_margin = 24;
constexpr int title_height = 46;
constexpr int legend_row_height = 22;
constexpr int bottom_margin = 58;
constexpr int legend_cut = 40;       ///< columns of a series' name
constexpr double letter_width = 7.2; ///< about, at 13 px
constexpr double swatch_width = 26;
constexpr double legend_gap = 20;

// Colours after Okabe and Ito (2008), "Color Universal Design", darkened for white paper and
// lightened for a dark page. Written out twice, for some renderers know no CSS variables.
constexpr std::string_view style = R"(<style>
.page{fill:#ffffff}.grid{stroke:#e6e8eb}.axis{stroke:#8b949e}
text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#57606a}
.title{font-size:17px;font-weight:600;fill:#1f2328}.name{fill:#1f2328}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.dotted{stroke-dasharray:1 5}
.target{stroke:#57606a;stroke-width:1.5;stroke-dasharray:7 5}
.halo{fill:#1f2328;stroke:#ffffff;stroke-width:4;stroke-linejoin:round;paint-order:stroke}
.s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#00875f}
.s3{stroke:#b8528f}.s4{stroke:#a87400}.s5{stroke:#6a51a3}
.d0{fill:#0072b2}.d1{fill:#d55e00}.d2{fill:#00875f}
.d3{fill:#b8528f}.d4{fill:#a87400}.d5{fill:#6a51a3}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117}.grid{stroke:#21262d}.axis{stroke:#6e7681}
text{fill:#9198a1}.title,.name{fill:#f0f6fc}
.target{stroke:#9198a1}.halo{fill:#f0f6fc;stroke:#0d1117}
.s0{stroke:#58b4f0}.s1{stroke:#ff8f4d}.s2{stroke:#35c9a0}
.s3{stroke:#e48fc4}.s4{stroke:#f0bb3f}.s5{stroke:#b29ceb}
.d0{fill:#58b4f0}.d1{fill:#ff8f4d}.d2{fill:#35c9a0}
.d3{fill:#e48fc4}.d4{fill:#f0bb3f}.d5{fill:#b29ceb}
}
</style>
)";

/// Where the legend's entries stand, below each other's when a row is full.
struct LegendEntry {
  std::size_t series;
  std::string text;
  double x;
  int row;
};

std::vector<LegendEntry> legend_of(const Chart& chart, int chart_width) {
  std::vector<LegendEntry> entries;
  double x = left_margin;
  int row = 0;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string text = cut(chart.series[i].name, legend_cut);
    if (text.empty())
      continue;
    const double width = swatch_width + display_width(text) * letter_width;
    if (x > left_margin && x + width > chart_width - right_margin) {
      x = left_margin;
      ++row;
    }
    entries.push_back({i, text, x, row});
    x += width + legend_gap;
  }
  return entries;
}

/// Draws one chart, part after part, into a text.
class Drawing {
public:
  explicit Drawing(const Chart& chart);
  std::string finish() &&;

private:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  double x_of(double value) const;
  double y_of(double value) const;
  void draw_texts();
  void draw_legend();
  void draw_x_axis();
  void draw_y_axis();
  void draw_series(std::size_t index);
  void draw_run(const std::vector<ChartPoint>& run, std::size_t index);
  void draw_target();

  const Chart& chart_;
  int width_;
  int height_;
  std::vector<LegendEntry> legend_;
  double right_;
  double top_;
  double bottom_;
  ChartScales scales_;
  std::string out_{};
};

Drawing::Drawing(const Chart& chart)
    : chart_(chart),
      width_(std::max(240, chart.width)),
      height_(std::max(180, chart.height)),
      legend_(legend_of(chart, width_)),
      right_(width_ - right_margin),
      top_(title_height + (legend_.empty() ? 0 : (legend_.back().row + 1) * legend_row_height)),
      bottom_(std::max<double>(height_ - bottom_margin, top_ + 40)),
      scales_(scales_of(
          chart,
          std::max(2, static_cast<int>(right_ - left_margin) / 90),
          std::max(2, static_cast<int>(bottom_ - top_) / 50))) {}

double Drawing::x_of(double value) const {
  const AxisScale& x = scales_.x;
  return left_margin + (value - x.low) / (x.high - x.low) * (right_ - left_margin);
}

double Drawing::y_of(double value) const {
  const AxisScale& y = scales_.y;
  return bottom_ - (value - y.low) / (y.high - y.low) * (bottom_ - top_);
}

void Drawing::draw_texts() {
  const double middle = (left_margin + right_) / 2;
  if (!chart_.title.empty())
    put("<text class=\"title\" x=\"{}\" y=\"30\">{}</text>\n", left_margin, xml_text(chart_.title));
  if (!chart_.x_label.empty()) {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        middle,
        bottom_ + 44,
        xml_text(chart_.x_label));
  }
  if (!chart_.y_label.empty()) {
    put("<text transform=\"translate(18,{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (top_ + bottom_) / 2,
        xml_text(chart_.y_label));
  }
  if (scales_.empty) {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">no data</text>\n",
        middle,
        (top_ + bottom_) / 2);
  }
}

void Drawing::draw_legend() {
  for (const LegendEntry& entry : legend_) {
    const double y = title_height + entry.row * legend_row_height + 2;
    put("<path class=\"line s{}{}\" d=\"M{:.1f} {:.1f}h18\"/>"
        "<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        entry.series % colours,
        entry.series < colours ? "" : " dotted",
        entry.x,
        y,
        entry.x + swatch_width,
        y + 4.5,
        xml_text(entry.text));
  }
}

void Drawing::draw_x_axis() {
  for (const double tick : scales_.x.ticks()) {
    const double x = x_of(tick);
    put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        x,
        top_,
        bottom_,
        x,
        bottom_ + 21,
        detail::tick_text(tick, scales_.x));
  }
  put("<path class=\"axis\" d=\"M{} {:.1f}H{:.1f}\"/>\n", left_margin, bottom_, right_);
}

void Drawing::draw_y_axis() {
  for (const double tick : scales_.y.ticks()) {
    const double y = y_of(tick);
    put("<path class=\"grid\" d=\"M{} {:.1f}H{:.1f}\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        left_margin,
        y,
        right_,
        left_margin - 9,
        y + 4.5,
        detail::tick_text(tick, scales_.y));
  }
}

void Drawing::draw_series(std::size_t index) {
  for (const auto& run : detail::runs_of(chart_.series[index])) {
    std::vector<ChartPoint> line;
    for (const ChartPoint& point : run)
      line.push_back({x_of(point.x), y_of(point.y)});
    draw_run(detail::thinned(line, static_cast<int>(right_ - left_margin)), index);
  }
}

void Drawing::draw_run(const std::vector<ChartPoint>& run, std::size_t index) {
  const std::size_t colour = index % colours;
  if (run.size() == 1) {
    put("<circle class=\"d{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n",
        colour,
        run.front().x,
        run.front().y);
    return;
  }
  put("<path class=\"line s{}{}\" d=\"", colour, index < colours ? "" : " dotted");
  for (const ChartPoint& point : run)
    put("{}{:.1f} {:.1f}", &point == &run.front() ? "M" : "L", point.x, point.y);
  put("\"/>\n");
}

void Drawing::draw_target() {
  if (!chart_.target || !detail::can_be_drawn({0, chart_.target->y}))
    return;
  const double y = y_of(chart_.target->y);
  const double below = y + 17;
  // At the left, where curves that are to rise to the target still are far from it.
  put("<path class=\"target\" d=\"M{} {:.1f}H{:.1f}\"/>\n", left_margin, y, right_);
  put("<text class=\"halo\" x=\"{}\" y=\"{:.1f}\">{}</text>\n",
      left_margin + 8,
      y - top_ < 18 ? below : y - 7,
      xml_text(chart_.target->label));
}

std::string Drawing::finish() && {
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\">\n<title>{2}</title>\n",
      width_,
      height_,
      xml_text(chart_.title));
  out_ += style;
  put("<rect class=\"page\" width=\"{}\" height=\"{}\"/>\n", width_, height_);
  draw_x_axis();
  draw_y_axis();
  for (std::size_t i = 0; i < chart_.series.size(); ++i)
    draw_series(i);
  draw_target();
  draw_legend();
  draw_texts();
  return out_ + "</svg>\n";
}

} // namespace

std::string line_chart_svg(const Chart& chart) {
  return Drawing(chart).finish();
}

} // namespace callboard
