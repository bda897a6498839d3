// SPDX-License-Identifier: Apache-2.0
/// @file
/// A running program: starts its nodes in order, watches them, ends them in order.
#pragma once

#include "components.hpp"
#include "launcher.hpp"
#include "node.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace callboard::detail {

/// A running program. A thread of its own, the conductor, starts and ends the nodes; in
/// deterministic mode whoever calls does. Thread-safe.
class ProgramRun final : public NodeHost {
public:
  ProgramRun(Program program, const StartOptions& options, std::unique_ptr<Launcher> launcher);
  ~ProgramRun() override;

  void start();
  int wait();
  bool wait_for(Duration patience);
  void wait_group(const std::string& group);
  /// The first call counts. `node` is empty if none asks for it.
  void stop(const std::string& node, const std::string& reason, int status) override;
  /// As given to `stop`; empty if nobody said why.
  std::string stop_reason() const;
  /// Stops, waits, and gives the conductor's thread back.
  void finish();

  std::vector<NodeStatus> status() const;
  std::vector<Failure> failures() const;
  std::vector<std::string> stubborn() const;
  /// Null if there is none of that name.
  std::shared_ptr<Node> find(const std::string& node) const;
  /// The present or last life of a node; null if there is none.
  std::shared_ptr<Life> life_of(const std::string& node) const;
  void start_more(const Program& more);
  void resize(const std::string& group, int replicas);
  void advance(Duration duration);

  const Program& program() const noexcept { return program_; }
  const StartOptions& options() const noexcept override { return options_; }
  const std::shared_ptr<ActorRuntime>& runtime() const noexcept override { return runtime_; }
  Registry& registry() noexcept { return registry_; }

  void node_serves(Node& node) override;
  void node_failed(Node& node, Error cause) override;
  void node_run_over(Node& node) override;
  void node_closed(Node& node) override;
  void node_changed() override;
  std::optional<Error> node_waits(Node& node, const Front& target) override;
  void node_waits_no_more(Node& node) override;
  std::shared_ptr<Front> bind(const Front& unbound) const override;
  /// The node's life has ended with its process.
  void node_lost(Node& node, Error cause);
  /// What has passed through the front of the node in its own process.
  void node_reports(Node& node, const FrontCounts& counts);

private:
  using NodePtr = std::shared_ptr<Node>;
  using Nodes = std::vector<NodePtr>;
  using Lock = std::unique_lock<std::mutex>;

  // Bookkeeping, under the lock.
  void add_nodes(const GroupSpec& spec, int first, int last);
  void tell_group_size(const std::string& group, int size);
  void index_nodes();
  NodePtr find_locked(const std::string& node) const;
  Nodes group_nodes(const std::string& group) const;
  NodePtr make_node(const GroupSpec& spec, int index);
  void begin_life(const NodePtr& node);
  bool all_over() const;
  void require_going() const;
  Nodes grow(const GroupSpec& spec, int first, int last);
  Error end_reason() const;
  void wait_until_ready(Lock& lock, const Nodes& nodes);

  // The conductor.
  enum class Hurry { none, tell, close }; ///< of those whose callers have not ended
  void conduct();
  void start_ready(Lock& lock);
  bool revive(Lock& lock);
  void fail_for_good(Node& node);
  void end_life(Node& node, bool leave_behind);
  std::shared_ptr<Life> life_of(const Node& node) const;
  void close_node(Node& node, const Error& reason);
  bool decide_restart(Node& node, const Error& cause);
  TimePoint next_restart() const;
  void end_all(Lock& lock);
  bool callers_gone(std::size_t index) const;
  bool may_be_told(std::size_t index, Hurry hurry) const;
  bool may_be_closed(std::size_t index, Hurry hurry) const;
  bool component_over(std::size_t index) const;
  void end_here(Lock& lock);
  bool end_step(Lock& lock, Hurry hurry);
  void give_up_on(Lock& lock);
  void conclude(Lock& lock);
  void retire(Lock& lock, const Nodes& nodes);

  const Program program_;
  const StartOptions options_;
  const TimePoint started_at_;
  const std::unique_ptr<Launcher> launcher_;
  const std::shared_ptr<ActorRuntime> runtime_;
  Registry registry_;

  std::mutex changing_; ///< held while nodes are added or taken out; before `mutex_`
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Nodes nodes_;
  std::map<std::string, NodePtr> by_name_;
  Adjacency targets_;                        ///< of each node: whom it calls
  std::vector<std::size_t> start_component_; ///< of each node: those that start together
  std::vector<std::size_t> end_component_;   ///< of each node: those that end together
  Adjacency members_;                        ///< of each of these: its nodes
  Adjacency before_;                         ///< of each of these: who ends first
  bool stopping_ = false;
  bool ended_ = false;
  std::string reason_;      ///< why it stops, for errors and the log
  std::string stop_reason_; ///< the same, if somebody gave it
  int status_ = exit_status::clean;
  std::vector<Failure> failures_;
  bool failed_ = false; ///< by a node whose failure stops the program
  std::vector<std::string> stubborn_;
  std::thread conductor_;
};

} // namespace callboard::detail
