// SPDX-License-Identifier: Apache-2.0
#include "live_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace callboard::detail {
namespace {

constexpr std::chrono::seconds rate_window{3};
constexpr int lines_besides_nodes = 3; ///< titles, progress, and the one where the cursor rests

TextStyle style_of(NodeState state) {
  switch (state) {
  case NodeState::running:
  case NodeState::serving: return TextStyle::good;
  case NodeState::failed: return TextStyle::bad;
  case NodeState::waiting:
  case NodeState::starting:
  case NodeState::restarting: return TextStyle::warning;
  case NodeState::stopping:
  case NodeState::stopped: break;
  }
  return TextStyle::dim;
}

/// Of a counter or a gauge; none if the node has no such metric.
std::optional<double> metric(const NodeSample& node, const std::string& name) {
  for (const MetricSample& sample : node.metrics) {
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

/// The state that is furthest along, which failure is most of all.
NodeState state_of(const std::vector<const NodeSample*>& nodes) {
  NodeState furthest = NodeState::waiting;
  for (const NodeSample* node : nodes) {
    furthest = std::max(furthest, node->status.state);
  }
  return furthest;
}

/// "running", or "3 of 8 running".
std::string state_text(const std::vector<const NodeSample*>& nodes) {
  const NodeState state = state_of(nodes);
  const auto count = std::ranges::count_if(
      nodes, [&](const NodeSample* node) { return node->status.state == state; });
  const bool all = static_cast<std::size_t>(count) == nodes.size();
  return all ? std::string(to_string(state))
             : fmt::format("{} of {} {}", count, nodes.size(), to_string(state));
}

std::optional<double> largest(const std::vector<NodeSample>& nodes, const std::string& name) {
  std::optional<double> best;
  for (const NodeSample& node : nodes) {
    if (const auto value = metric(node, name)) {
      best = std::max(best.value_or(*value), *value);
    }
  }
  return best;
}

} // namespace

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 999'950) {
    return fmt::format("{:.2f}M", value / 1e6);
  }
  if (size >= 9'999.5) {
    return fmt::format("{:.1f}k", value / 1e3);
  }
  return size >= 9.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.2g}", value);
}

std::string elapsed_text(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 100) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
  }
  if (seconds < 3600) {
    return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  }
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

LiveFrame::LiveFrame(Display display, Time start) : display_(std::move(display)), start_(start) {}

FrameText LiveFrame::draw(const std::vector<NodeSample>& nodes, Time now, const FrameSize& size) {
  const auto room = static_cast<std::size_t>(std::max(1, size.height - lines_besides_nodes));
  std::vector<Part> shown = parts(nodes, nodes.size() > room);
  shown.resize(std::min(shown.size(), room));
  const Number progress = largest(nodes, display_.progress);
  return {
      .screen = render(table(shown, now), size.width, size.colour) + bar(progress, now, size.width),
      .line = line(nodes, progress, now),
  };
}

std::vector<LiveFrame::Part> LiveFrame::parts(const std::vector<NodeSample>& nodes, bool by_group) {
  std::vector<Part> parts;
  for (const NodeSample& node : nodes) {
    const std::string& name = by_group ? node.status.group : node.status.name;
    const auto same = std::ranges::find(parts, name, &Part::name);
    Part& part = same == parts.end() ? parts.emplace_back(Part{.name = name}) : *same;
    part.nodes.push_back(&node);
  }
  return parts;
}

TextTable LiveFrame::table(const std::vector<Part>& parts, Time now) {
  TextTable table{.columns = {{"node"}, {"state"}, {"calls/s", Alignment::right}}};
  for (const Display::Column& column : display_.columns) {
    table.columns.push_back({column.title, Alignment::right});
  }
  for (const Part& part : parts) {
    const std::string count = part.nodes.size() > 1 ? fmt::format(" × {}", part.nodes.size()) : "";
    TextRow row{
        .cells = {part.name + count, state_text(part.nodes), calls(part, now)},
        .style = style_of(state_of(part.nodes)),
    };
    for (const Display::Column& column : display_.columns) {
      const Number number = value(column, part, now);
      row.cells.push_back(number ? short_number(*number) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Empty for nodes that nobody calls.
std::string LiveFrame::calls(const Part& part, Time now) {
  double total = 0;
  for (const NodeSample* node : part.nodes) {
    total += static_cast<double>(node->status.calls);
  }
  return total > 0 ? short_number(rate("", part, total, now)) : "";
}

LiveFrame::Number LiveFrame::value(const Display::Column& column, const Part& part, Time now) {
  double sum = 0;
  int count = 0;
  for (const NodeSample* node : part.nodes) {
    if (const Number number = metric(*node, column.metric)) {
      sum += *number;
      ++count;
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  return column.rate ? rate(column.metric, part, sum, now) : sum / count;
}

double LiveFrame::rate(const std::string& metric, const Part& part, double total, Time now) {
  const auto [place, is_new] = rates_.try_emplace(metric + ' ' + part.name, rate_window);
  RateMeter& meter = place->second;
  if (is_new) {
    meter.add(start_, 0);
  }
  meter.add(now, total);
  return meter.rate();
}

std::string LiveFrame::bar(const Number& progress, Time now, int width) const {
  if (display_.progress.empty()) {
    return elapsed_text(now - start_) + '\n';
  }
  const std::string label =
      fmt::format("{}  {}", elapsed_text(now - start_), progress_text(progress));
  return progress_bar(progress.value_or(0) / display_.goal, width, label) + '\n';
}

std::string LiveFrame::line(
    const std::vector<NodeSample>& nodes, const Number& progress, Time now) {
  Part all; // its name is that of no group
  for (const NodeSample& node : nodes) {
    all.nodes.push_back(&node);
  }
  std::string line = fmt::format("{:>8}", elapsed_text(now - start_));
  for (const Display::Column& column : display_.columns) {
    const Number number =
        column.metric == display_.progress ? std::nullopt : value(column, all, now);
    line += number ? fmt::format("  {} {}", column.title, short_number(*number)) : "";
  }
  return display_.progress.empty() ? line : line + "  " + progress_text(progress);
}

std::string LiveFrame::progress_text(const Number& progress) const {
  return fmt::format(
      "{} {} of {}",
      display_.progress,
      progress ? short_number(*progress) : "-",
      short_number(display_.goal));
}

} // namespace callboard::detail
