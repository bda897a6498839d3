// SPDX-License-Identifier: Apache-2.0
#include "live_table.hpp"

#include <callboard/log.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace callboard::detail {
namespace {

constexpr std::chrono::milliseconds frame_time{250};
constexpr std::size_t most_nodes = 16; ///< with more, groups are shown as one line each

TextStyle style_of(NodeState state) {
  switch (state) {
  case NodeState::running:
  case NodeState::serving: return TextStyle::good;
  case NodeState::failed: return TextStyle::bad;
  case NodeState::waiting:
  case NodeState::starting: return TextStyle::warning;
  case NodeState::stopping:
  case NodeState::stopped: break;
  }
  return TextStyle::dim;
}

/// "950", "12.3k", "4.56M".
std::string short_number(double value) {
  if (value >= 1e6) {
    return fmt::format("{:.2f}M", value / 1e6);
  }
  if (value >= 1e4) {
    return fmt::format("{:.1f}k", value / 1e3);
  }
  return fmt::format("{:.{}f}", value, value < 10 && value != 0 ? 1 : 0);
}

} // namespace

LiveTable::LiveTable(Running& running)
    : running_(running),
      display_(running.program().display()),
      view_(STDERR_FILENO),
      start_(std::chrono::steady_clock::now()) {
  if (display_.columns.empty()) {
    return;
  }
  set_log_sink([this](LogLevel level, std::string_view node, std::string_view text) {
    const std::lock_guard lock(mutex_);
    const std::string where = node.empty() ? "" : fmt::format("[{}] ", node);
    view_.print_above(fmt::format("{} {}{}\n", to_string(level), where, text));
  });
}

LiveTable::~LiveTable() {
  if (!display_.columns.empty()) {
    set_log_sink({});
  }
}

int LiveTable::wait() {
  while (!display_.columns.empty() && !running_.wait_for(frame_time)) {
    show();
  }
  const int status = running_.wait();
  if (!display_.columns.empty()) {
    show();
  }
  return status;
}

std::optional<double> LiveTable::metric(const std::string& node, const std::string& name) const {
  for (const MetricSample& sample : running_.metrics(node)->snapshot()) {
    if (sample.name != name) {
      continue;
    }
    if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
      return static_cast<double>(*count);
    }
    if (const auto* value = std::get_if<double>(&sample.value)) {
      return *value;
    }
  }
  return std::nullopt;
}

double LiveTable::rate(const std::string& key, double total, Time now) {
  RateMeter& meter = rates_.try_emplace(key).first->second;
  meter.add(now, total);
  return meter.rate();
}

std::vector<LiveTable::Line> LiveTable::lines(const std::vector<NodeStatus>& nodes) const {
  std::vector<Line> lines;
  for (const NodeStatus& node : nodes) {
    const bool fold = nodes.size() > most_nodes;
    const std::string& name = fold ? node.group : node.name;
    if (lines.empty() || lines.back().name != name) {
      lines.push_back({.name = name, .state = node.state});
    }
    Line& line = lines.back();
    line.state = std::max(line.state, node.state);
    line.calls += node.calls;
    line.nodes.push_back(node.name);
  }
  for (Line& line : lines) {
    if (line.nodes.size() > 1) {
      line.name += fmt::format(" × {}", line.nodes.size());
    }
  }
  return lines;
}

std::string LiveTable::cell(const Display::Column& column, const Line& line, Time now) {
  std::optional<double> sum;
  for (const std::string& node : line.nodes) {
    if (const auto value = metric(node, column.metric)) {
      sum = sum.value_or(0) + *value;
    }
  }
  if (!sum) {
    return {};
  }
  return short_number(column.rate ? rate(column.metric + ' ' + line.name, *sum, now) : *sum);
}

TextTable LiveTable::table(Time now) {
  TextTable table{.columns = {{"node"}, {"state"}, {"calls/s", Alignment::right}}};
  for (const Display::Column& column : display_.columns) {
    table.columns.push_back({column.title, Alignment::right});
  }
  for (const Line& line : lines(running_.status())) {
    TextRow row{
        .cells = {line.name, std::string(to_string(line.state))}, .style = style_of(line.state)};
    row.cells.push_back(
        short_number(rate("calls " + line.name, static_cast<double>(line.calls), now)));
    for (const Display::Column& column : display_.columns) {
      row.cells.push_back(cell(column, line, now));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::optional<double> LiveTable::progress() const {
  std::optional<double> best;
  for (const NodeStatus& node : running_.status()) {
    if (const auto value = metric(node.name, display_.progress)) {
      best = std::max(best.value_or(*value), *value);
    }
  }
  return best;
}

void LiveTable::show() {
  const Time now = std::chrono::steady_clock::now();
  const TextTable rows = table(now);
  const int width = terminal_width(STDERR_FILENO);
  std::string frame = render(rows, width, wants_colour(STDERR_FILENO));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string plain = fmt::format("{:5.1f} s", seconds);
  for (std::size_t i = 0; i < display_.columns.size(); ++i) {
    for (const TextRow& row : rows.rows) {
      const std::string& value = row.cells.at(3 + i);
      plain += value.empty()
          ? ""
          : fmt::format("  {} {} {}", row.cells.front(), display_.columns[i].title, value);
    }
  }
  if (const auto value = display_.progress.empty() ? std::nullopt : progress()) {
    const std::string label =
        fmt::format("{} {:.0f} of {:.0f}", display_.progress, *value, display_.goal);
    frame += progress_bar(*value / display_.goal, width, label) + '\n';
    plain += "  " + label;
  }
  const std::lock_guard lock(mutex_);
  view_.show(frame, plain, now);
}

} // namespace callboard::detail
