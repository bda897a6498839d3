// SPDX-License-Identifier: Apache-2.0
#include "live_table.hpp"

#include <callboard/log.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

namespace callboard::detail {
namespace {

constexpr std::chrono::milliseconds frame_time{250};
constexpr std::chrono::milliseconds line_time{2000}; ///< where there is no terminal
constexpr int to = STDERR_FILENO;

/// As on the console, but for its colours.
std::string log_line(LogLevel level, std::string_view node, std::string_view text) {
  const std::string name = node.empty() ? "" : fmt::format("[{}] ", node);
  return fmt::format(
      "{:%H:%M:%S} {} {}{}", fmt::localtime(std::time(nullptr)), to_string(level), name, text);
}

} // namespace

LiveTable::LiveTable(Running& running)
    : running_(running),
      terminal_(is_terminal(to)),
      frame_(running.program().display(), std::chrono::steady_clock::now()),
      view_(to, {.plain_period = {}, .terminal = terminal_}) {
  if (is_redrawn()) {
    set_log_sink([this](LogLevel level, std::string_view node, std::string_view text) {
      print_above(log_line(level, node, text));
    });
  }
}

LiveTable::~LiveTable() {
  if (is_redrawn()) {
    set_log_sink({});
  }
}

void LiveTable::print_above(const std::string& line) {
  const std::lock_guard lock(mutex_);
  view_.print_above(line);
}

int LiveTable::wait() {
  if (wanted()) {
    while (!running_.wait_for(terminal_ ? frame_time : line_time)) {
      show();
    }
    show();
  }
  return running_.wait();
}

void LiveTable::restore_terminal() {
  if (is_terminal(to)) {
    [[maybe_unused]] const auto written =
        ::write(to, LiveView::restore.data(), LiveView::restore.size());
  }
}

bool LiveTable::wanted() const {
  return !running_.program().display().columns.empty();
}

FrameText LiveTable::frame(LiveFrame::Time now) {
  std::vector<NodeSample> nodes;
  for (NodeStatus& status : running_.status()) {
    auto metrics = running_.metrics(status.name)->snapshot();
    nodes.push_back({.status = std::move(status), .metrics = std::move(metrics)});
  }
  const FrameSize size{
      .width = terminal_width(to), .height = terminal_height(to), .colour = wants_colour(to)};
  return frame_.draw(nodes, now, size);
}

void LiveTable::show() {
  const auto now = std::chrono::steady_clock::now();
  const FrameText text = frame(now);
  const std::lock_guard lock(mutex_);
  view_.show(text.screen, text.line, now);
}

} // namespace callboard::detail
