// SPDX-License-Identifier: Apache-2.0
/// @file
/// The table that `run` shows of a program that asks for it.
#pragma once

#include <callboard/rate_meter.hpp>
#include <callboard/running.hpp>
#include <callboard/terminal.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace callboard::detail {

/// Shows nodes, their states and rates on standard error while the program runs, if it asked for a
/// `Display`: redrawn in place on a terminal, a plain line now and then elsewhere. Log lines appear
/// above it.
class LiveTable {
public:
  explicit LiveTable(Running& running);
  LiveTable(const LiveTable&) = delete;
  LiveTable& operator=(const LiveTable&) = delete;
  ~LiveTable();

  /// Shows the table until the program has ended. @returns its exit status
  int wait();

private:
  using Time = LiveView::Time;

  /// A line of the table: one node, or all nodes of a large group.
  struct Line {
    std::string name;
    NodeState state = NodeState::waiting;
    std::uint64_t calls = 0;
    std::vector<std::string> nodes{};
  };

  void show();
  std::vector<Line> lines(const std::vector<NodeStatus>& nodes) const;
  TextTable table(Time now);
  std::string cell(const Display::Column& column, const Line& line, Time now);
  std::optional<double> metric(const std::string& node, const std::string& name) const;
  double rate(const std::string& key, double total, Time now);
  std::optional<double> progress() const;

  Running& running_;
  const Display& display_;
  std::mutex mutex_; ///< the view is for one thread at a time, and logs come from all
  LiveView view_;
  const Time start_;
  std::map<std::string, RateMeter> rates_;
};

} // namespace callboard::detail
