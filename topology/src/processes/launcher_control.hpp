// SPDX-License-Identifier: Apache-2.0
/// @file
/// What worker processes may ask of their launcher.
#pragma once

#include "../program_run.hpp"
#include "process_launcher.hpp"
#include "remote_life.hpp"

namespace callboard::detail {

/// Hands on what workers tell, unless it is of a life that is over.
class ProcessLauncher::Control final : public LauncherControl {
public:
  Control(ProcessLauncher& launcher, ProgramRun& program)
      : launcher_(launcher), program_(program) {}

  void join(const Join& worker) override { launcher_.joined(worker); }
  void serves(const std::string& node, std::int32_t incarnation) override;
  void failed(const std::string& node, std::int32_t incarnation, const Error& cause) override;
  void run_over(const std::string& node, std::int32_t incarnation) override;
  void handlers_over(const std::string& node, std::int32_t incarnation) override;
  void closed(const std::string& node, std::int32_t incarnation) override;
  void report(const std::vector<NodeReport>& nodes) override;
  std::optional<Error> waits(const std::string& node, const std::string& target) override;
  void waits_no_more(const std::string& node) override;
  void stop(const std::string& node, const std::string& reason, std::int32_t status) override {
    program_.stop(node, reason, status);
  }
  Location locate(const std::string& process, const std::string& node) override {
    return launcher_.locate(process, node);
  }

private:
  void copy_metrics(const NodeReport& report, MetricSet& metrics);

  ProcessLauncher& launcher_;
  ProgramRun& program_;
  /// By node and counter: what its process had counted at its last report.
  std::map<std::string, std::map<std::string, std::uint64_t>> counted_;
};

} // namespace callboard::detail
