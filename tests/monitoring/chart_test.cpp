// SPDX-License-Identifier: Apache-2.0
#include <callboard/chart.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The escapes of XML that a text may contain, and nothing else of `&`, `<` and `>`.
bool is_escaped(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const bool escape = rest.starts_with("&amp;") || rest.starts_with("&lt;")
        || rest.starts_with("&gt;") || rest.starts_with("&quot;") || rest.starts_with("&#39;");
    const bool control = static_cast<unsigned char>(text[at]) < 0x20 && text[at] != '\n';
    if (control || text[at] == '<' || text[at] == '>' || (text[at] == '&' && !escape))
      return false;
  }
  return true;
}

/// Whether tags are closed in order, quotes are in pairs and texts are escaped: what an XML parser
/// would refuse first.
bool is_well_formed(std::string_view text) {
  std::vector<std::string_view> open;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('<'), text.size());
    const std::size_t end = text.find('>', begin);
    if (!is_escaped(text.substr(0, begin)))
      return false;
    if (end == std::string_view::npos)
      return open.empty() && begin == text.size();
    const std::string_view tag = text.substr(begin + 1, end - begin - 1);
    const std::string_view name = tag.substr(0, tag.find(' '));
    if (!is_escaped(tag) || std::count(tag.begin(), tag.end(), '"') % 2 != 0)
      return false;
    if (!tag.starts_with('/') && !tag.ends_with('/'))
      open.push_back(name);
    else if (tag.starts_with('/') && (open.empty() || open.back() != tag.substr(1)))
      return false;
    else if (tag.starts_with('/'))
      open.pop_back();
    text.remove_prefix(end + 1);
  }
  return open.empty();
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Points of all lines of the first series: path data without its legend's swatch.
std::vector<ChartPoint> drawn_points(const std::string& svg) {
  const std::string path = "<path class=\"line s0\" d=\"";
  std::vector<ChartPoint> points;
  for (std::size_t at = svg.find(path); at != std::string::npos; at = svg.find(path, at + 1)) {
    const std::size_t begin = at + path.size();
    const std::string data = svg.substr(begin, svg.find('"', begin) - begin);
    std::istringstream stream(data.find('h') == std::string::npos ? data : "");
    char command = 0;
    for (ChartPoint point; stream >> command >> point.x >> point.y;)
      points.push_back(point);
  }
  return points;
}

Chart learning_curve() {
  return {
      .title = "CartPole",
      .x_label = "steps",
      .y_label = "return",
      .series = {{"ppo", {{0, 10}, {100, 250}, {200, 490}}}, {"a2c", {{0, 5}, {200, 300}}}},
      .target = ChartTarget{475, "solved"}};
}

TEST(ScaleTest, HasTicksAtRoundNumbers) {
  const AxisScale small = nice_scale(0, 1, 6);
  EXPECT_THAT(
      small.ticks(),
      ElementsAre(
          0,
          testing::DoubleEq(0.2),
          testing::DoubleEq(0.4),
          testing::DoubleEq(0.6),
          testing::DoubleEq(0.8),
          1));
  EXPECT_THAT(nice_scale(-130, 480, 7).ticks(), ElementsAre(-100, 0, 100, 200, 300, 400));
  EXPECT_THAT(nice_scale(7, 43, 5).ticks(), ElementsAre(10, 20, 30, 40));
}

TEST(ScaleTest, StepsByOneTwoOrFiveAboutAsOftenAsAsked) {
  for (const double low : {-1e9, -3.0, 0.0, 1e-7, 12345.0})
    for (const double range : {1e-9, 0.037, 1.0, 77.0, 1e6, 3e12}) {
      const AxisScale scale = nice_scale(low, low + range, 6);
      const double digits = scale.step / std::pow(10, std::floor(std::log10(scale.step) + 1e-9));
      EXPECT_TRUE(
          std::abs(digits - 1) < 1e-6 || std::abs(digits - 2) < 1e-6 || std::abs(digits - 5) < 1e-6)
          << digits;
      EXPECT_GE(scale.ticks().size(), 2) << low << " + " << range;
      EXPECT_LE(scale.ticks().size(), 12) << low << " + " << range;
    }
}

TEST(ScaleTest, GivesASingleValueRoomOnBothSides) {
  for (const double value : {0.0, 5.0, -3e8, 1e-20, 1e300}) {
    const AxisScale scale = nice_scale(value, value, 5);
    EXPECT_LT(scale.low, value);
    EXPECT_GT(scale.high, value);
    EXPECT_GE(scale.ticks().size(), 2);
  }
}

TEST(ChartTest, ShowsItsTextsSeriesAndTarget) {
  const std::string svg = line_chart_svg(learning_curve());
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  for (const char* text : {">CartPole<", ">steps<", ">return<", ">ppo<", ">a2c<", ">solved<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, HasSubstr("class=\"target\""));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, Not(HasSubstr("http://www.w3.org/1999"))) << "nothing is loaded from outside";
}

TEST(ChartTest, DrawsPointsWhereTheScaleSaysTheyAre) {
  const std::vector<ChartPoint> points = drawn_points(line_chart_svg(learning_curve()));
  ASSERT_EQ(points.size(), 3);
  EXPECT_NEAR(points[1].x - points[0].x, points[2].x - points[1].x, 0.11) << "equal steps in x";
  EXPECT_NEAR(points[0].y - points[1].y, points[1].y - points[2].y, 0.21) << "equal steps in y";
  EXPECT_GT(points[0].y, points[2].y) << "larger values are higher up";
}

TEST(ChartTest, EscapesEveryText) {
  Chart chart = learning_curve();
  const std::string wild = "</text><script>&\"'\x01\xff\n";
  chart.title = chart.x_label = chart.y_label = wild;
  chart.series[0].name = chart.target->label = wild;
  const std::string svg = line_chart_svg(chart);
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;&#39;\xef\xbf\xbd\xef\xbf\xbd "));
}

TEST(ChartTest, SaysSoWhenThereIsNoData) {
  const double nan = std::nan("");
  for (const Chart& chart :
       {Chart{}, Chart{.series = {{"x", {}}}}, Chart{.series = {{"x", {{nan, 1}, {1, nan}}}}}}) {
    const std::string svg = line_chart_svg(chart);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_THAT(svg, HasSubstr("no data"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

TEST(ChartTest, DrawsASinglePointAsADot) {
  const std::string svg = line_chart_svg({.series = {{"x", {{3, 4}}}}});
  EXPECT_EQ(count_of(svg, "<circle"), 1);
  EXPECT_THAT(svg, Not(HasSubstr("no data")));
}

TEST(ChartTest, LeavesAGapWhereAValueIsNotANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string svg = line_chart_svg(
      {.series = {
           {"",
            {{0, 1},
             {1, 2},
             {2, std::nan("")},
             {3, 1},
             {4, 2},
             {5, infinity},
             {6, 1e308},
             {7, 0}}}}});
  EXPECT_EQ(count_of(svg, "class=\"line s0\""), 2);
  EXPECT_EQ(count_of(svg, "<circle"), 1) << "the point alone at the end";
  EXPECT_THAT(svg, Not(testing::ContainsRegex("[\" ML-](nan|inf)")));
}

TEST(ChartTest, DrawsAConstantSeriesInTheMiddleOfItsRange) {
  const std::string svg = line_chart_svg({.series = {{"", {{0, 7}, {1, 7}}}}, .height = 400});
  const std::vector<ChartPoint> points = drawn_points(svg);
  ASSERT_EQ(points.size(), 2);
  EXPECT_EQ(points[0].y, points[1].y);
  EXPECT_GT(points[0].y, 100);
  EXPECT_LT(points[0].y, 300);
}

TEST(ChartTest, StaysSmallForLongSeriesAndKeepsExtremes) {
  Chart chart{.series = {{"", {}}}};
  for (int i = 0; i < 200'000; ++i)
    chart.series[0].points.push_back({i * 1.0, i == 77'777 ? 1000.0 : std::sin(i * 0.1)});
  const std::string svg = line_chart_svg(chart);
  EXPECT_LT(svg.size(), 60'000);
  const std::vector<ChartPoint> points = drawn_points(svg);
  const auto highest =
      std::min_element(points.begin(), points.end(), [](auto a, auto b) { return a.y < b.y; });
  const double width = points.back().x - points.front().x;
  EXPECT_NEAR((highest->x - points.front().x) / width, 77'777.0 / 199'999, 1e-3);
  EXPECT_EQ(
      std::count_if(points.begin(), points.end(), [&](auto p) { return p.y < highest->y + 50; }),
      1);
}

TEST(ChartTest, ShortensLargeNumbersOnItsAxes) {
  const std::string svg = line_chart_svg({.series = {{"", {{0, 0}, {4e6, 2.5e4}}}}, .width = 600});
  EXPECT_THAT(svg, HasSubstr(">2M<"));
  EXPECT_THAT(svg, HasSubstr(">20k<"));
}

TEST(ChartTest, TellsMoreSeriesApartThanItHasColours) {
  Chart chart;
  for (int i = 0; i < 8; ++i)
    chart.series.push_back({"series " + std::to_string(i), {{0, i * 1.0}, {1, i * 2.0}}});
  const std::string svg = line_chart_svg(chart);
  EXPECT_EQ(count_of(svg, "class=\"line s0\""), 2) << "the line and its legend";
  EXPECT_EQ(count_of(svg, "class=\"line s0 dotted\""), 2);
}

} // namespace
} // namespace callboard
