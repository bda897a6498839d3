// SPDX-License-Identifier: Apache-2.0
#include "learning_curve.hpp"

#include "config.hpp"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <system_error>

namespace cartpole {
namespace {

std::filesystem::path file_in(const std::filesystem::path& folder, const char* name) {
  std::filesystem::create_directories(folder);
  return (folder / name).lexically_normal();
}

} // namespace

LearningCurve::LearningCurve(const std::filesystem::path& folder)
    : csv_path_(file_in(folder, "learning_curve.csv")),
      svg_path_(file_in(folder, "learning_curve.svg")),
      table_(csv_path_.string(), {"seconds", "env_steps", "version", "mean_return", "min", "max"}),
      chart_{
          .title = "CartPole-v1: return of the greedy policy over 100 episodes",
          .x_label = "environment steps",
          .y_label = "return",
          .series = {{.name = "best"}, {.name = "mean"}, {.name = "worst"}},
          .target = callboard::ChartTarget{.y = goal, .label = "solved: 475"},
      } {
  draw();
}

void LearningCurve::add(const CurvePoint& point) {
  const double seconds = std::round(point.seconds * 1e3) / 1e3;
  table_.write({seconds, point.env_steps, point.version, point.mean_return, point.min, point.max});
  const auto x = static_cast<double>(point.env_steps);
  chart_.series[0].points.push_back({x, point.max});
  chart_.series[1].points.push_back({x, point.mean_return});
  chart_.series[2].points.push_back({x, point.min});
  draw();
}

void LearningCurve::draw() const {
  std::ofstream file(svg_path_);
  file << callboard::line_chart_svg(chart_) << std::flush;
  if (!file) {
    throw std::system_error(errno, std::generic_category(), svg_path_.string());
  }
}

} // namespace cartpole
