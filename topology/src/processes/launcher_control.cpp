// SPDX-License-Identifier: Apache-2.0
#include "launcher_control.hpp"

#include <stdexcept>

namespace callboard::detail {

void ProcessLauncher::Control::serves(const std::string& node, std::int32_t incarnation) {
  if (const auto life = launcher_.life_of(node, incarnation)) {
    launcher_.node_serves(life->node());
    program_.node_serves(life->node());
  }
}

void ProcessLauncher::Control::failed(
    const std::string& node, std::int32_t incarnation, const Error& cause) {
  if (const auto life = launcher_.life_of(node, incarnation)) {
    program_.node_failed(life->node(), cause);
  }
}

void ProcessLauncher::Control::run_over(const std::string& node, std::int32_t incarnation) {
  if (const auto life = launcher_.life_of(node, incarnation)) {
    program_.node_run_over(life->node());
  }
}

void ProcessLauncher::Control::handlers_over(const std::string& node, std::int32_t incarnation) {
  if (const auto life = launcher_.life_of(node, incarnation)) {
    life->set_handlers_over();
    program_.node_changed();
  }
}

void ProcessLauncher::Control::closed(const std::string& node, std::int32_t incarnation) {
  if (const auto life = launcher_.life_of(node, incarnation)) {
    program_.node_closed(life->node());
  }
}

void ProcessLauncher::Control::report(const std::vector<NodeReport>& nodes) {
  for (const NodeReport& each : nodes) {
    if (const auto node = program_.find(each.node)) {
      copy_metrics(each, *node->metrics);
      program_.node_reports(
          *node, {.calls = each.calls, .waiting = each.waiting, .failed = each.failed});
    }
  }
}

/// Brings the launcher's own metrics of a node up to what its process has counted. A process that
/// is started anew counts from zero: what the one before had counted stays.
void ProcessLauncher::Control::copy_metrics(const NodeReport& report, MetricSet& metrics) {
  auto& seen = counted_[report.node];
  for (const MetricValue& value : report.metrics) {
    try {
      if (!value.is_counter) {
        metrics.gauge(value.name, value.help).set(value.value);
        continue;
      }
      std::uint64_t& before = seen[value.name];
      const std::uint64_t more = value.count >= before ? value.count - before : value.count;
      metrics.counter(value.name, value.help).increment(more);
      before = value.count;
    } catch (const std::invalid_argument&) {
      // A name of two kinds in one program: its process has said so already.
    }
  }
}

std::optional<Error> ProcessLauncher::Control::waits(
    const std::string& node, const std::string& target) {
  const auto waiting = program_.find(node);
  const auto awaited = program_.find(target);
  return waiting && awaited ? program_.node_waits(*waiting, *awaited->front) : std::nullopt;
}

void ProcessLauncher::Control::waits_no_more(const std::string& node) {
  if (const auto waiting = program_.find(node)) {
    program_.node_waits_no_more(*waiting);
  }
}

} // namespace callboard::detail
