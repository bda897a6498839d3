// SPDX-License-Identifier: Apache-2.0
/// @file
/// What is shown of a program while it runs, as text.
#pragma once

#include <callboard/rate_meter.hpp>
#include <callboard/running.hpp>
#include <callboard/terminal.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callboard::detail {

/// A node at one moment, with its metrics.
struct NodeSample {
  NodeStatus status{};
  std::vector<MetricSample> metrics{};
};

/// Room for a frame.
struct FrameSize {
  int width = 80;
  int height = 24;
  bool colour = false;
};

struct FrameText {
  std::string screen{}; ///< a table and, below it, time and progress, within the size
  std::string line{};   ///< the same in short, for a log
};

/// Turns what nodes are and what they count into what is shown of them.
///
/// A line of the table is a node, or a whole group if there is no room for all nodes: its counts
/// are added up, its gauges averaged. Rates are over the last 3 s. Has no clock, does no I/O. Not
/// thread-safe.
class LiveFrame {
public:
  using Time = RateMeter::Time;

  LiveFrame(Display display, Time start);

  FrameText draw(const std::vector<NodeSample>& nodes, Time now, const FrameSize& size);

private:
  using Number = std::optional<double>;

  /// Nodes that are shown as one.
  struct Part {
    std::string name{};
    std::vector<const NodeSample*> nodes{};
  };

  static std::vector<Part> parts(const std::vector<NodeSample>& nodes, bool by_group);
  TextTable table(const std::vector<Part>& parts, Time now);
  std::string calls(const Part& part, Time now);
  Number value(const Display::Column& column, const Part& part, Time now);
  double rate(const std::string& metric, const Part& part, double total, Time now);
  std::string bar(const Number& progress, Time now, int width) const;
  std::string line(const std::vector<NodeSample>& nodes, const Number& progress, Time now);
  std::string progress_text(const Number& progress) const;

  const Display display_;
  const Time start_;
  std::map<std::string, RateMeter> rates_{};
};

/// "950", "12.3k", "4.56M", "0.015".
std::string short_number(double value);

/// "8.4 s", "2 min 05 s", "3 h 05 min".
std::string elapsed_text(std::chrono::nanoseconds time);

} // namespace callboard::detail
