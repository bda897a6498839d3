// SPDX-License-Identifier: Apache-2.0
/// @file
/// A process in which nodes live, as the launcher says.
#pragma once

#include "../node.hpp"
#include "control.hpp"
#include "node_routes.hpp"

#include <callboard/detail/network.hpp>
#include <callboard/registry.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace callboard::detail {

/// The nodes of this process, and what the launcher asks of it. Thread-safe.
class Worker final : public NodeHost, public WorkerControl {
public:
  Worker(const Program& program, Part part, const StartOptions& options);
  ~Worker() override;

  /// Joins the run and does as the launcher says until it says that all is over.
  /// @throws CallError  the launcher refuses this process, or is not there
  void run();

  // For nodes.
  const StartOptions& options() const noexcept override { return options_; }
  const std::shared_ptr<ActorRuntime>& runtime() const noexcept override { return runtime_; }
  std::shared_ptr<Front> bind(const Front& unbound) const override;
  void stop(const std::string& node, const std::string& reason, int status) override;
  void node_serves(Node& node) override;
  void node_failed(Node& node, Error cause) override;
  void node_run_over(Node& node) override;
  void node_closed(Node& node) override;
  void node_changed() override;
  std::optional<Error> node_waits(Node& node, const Front& target) override;
  void node_waits_no_more(Node& node) override;

  // For the launcher.
  void start(const std::string& node, std::int32_t incarnation) override;
  void ask_to_stop(const std::string& node) override;
  void hold(const std::string& node) override;
  void close(const std::string& node, const Error& reason) override;
  void located(const Location& location) override;
  void gone(const std::string& node, std::int32_t life, const Error& reason) override;
  void end() override;

private:
  using NodePtr = std::shared_ptr<Node>;

  void add_nodes(const Program& program);
  NodePtr make_node(const GroupSpec& spec, int index);
  NodePtr find(const std::string& node) const;
  void connect();
  NodeReport report_of(const Node& node) const;
  void report();
  void watch();
  void finish();

  const Part part_;
  const StartOptions options_;
  const std::string program_name_;
  const std::shared_ptr<ActorRuntime> runtime_;
  Registry registry_;
  std::map<std::string, NodePtr> nodes_; ///< constant once made
  std::vector<Fingerprint> fingerprint_;

  std::shared_ptr<Network> network_;
  std::shared_ptr<Front> control_; ///< of this process, for the launcher
  std::shared_ptr<Front> launcher_front_;
  Client<LauncherControl> launcher_;
  std::unique_ptr<NodeRoutes> routes_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  bool orphaned_ = false; ///< the launcher is gone
};

} // namespace callboard::detail
