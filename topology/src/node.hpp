// SPDX-License-Identifier: Apache-2.0
/// @file
/// A node of a running program, the lives that it has, and who is told of them.
#pragma once

#include "revival.hpp"

#include <callboard/context.hpp>
#include <callboard/detail/front.hpp>
#include <callboard/program.hpp>
#include <callboard/running.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace callboard::detail {

class Life;

/// What stays the same in all lives of a node.
struct Identity {
  std::string name;
  std::string group;
  int index; ///< in the group
  std::uint64_t seed;
};

/// One node of a running program. What is not constant is guarded by its host's lock.
struct Node {
  Node(
      Identity who,
      const GroupSpec& what,
      std::shared_ptr<Front> address,
      std::shared_ptr<MetricSet> counts)
      : identity(std::move(who)),
        spec(what),
        front(std::move(address)),
        metrics(std::move(counts)) {}

  const std::string& name() const noexcept { return identity.name; }
  Rank rank() const noexcept { return {.index = identity.index, .size = group_size}; }

  const Identity identity;
  const GroupSpec spec;
  const std::shared_ptr<Front> front;
  const std::shared_ptr<MetricSet> metrics;
  std::atomic<int> group_size{1};

  std::shared_ptr<Life> life{}; ///< the present one, or the last; null before the first
  Revival revival{identity.name, spec.options.policy};
  int incarnation = 1;
  bool has_run = false; ///< has a loop that is run
  NodeState state = NodeState::waiting;
  bool told = false;                          ///< asked to end
  bool ending = false;                        ///< asked to end, to have another life
  bool ready = false;                         ///< has served
  bool run_over = false;                      ///< its thread has nothing more to do
  bool closing = false;                       ///< takes no more calls
  bool closed = false;                        ///< its object is gone
  std::optional<FrontCounts> remote_counts{}; ///< where its front is in another process
  std::string waits_for{};                    ///< the node that its constructor waits for
};

/// One incarnation of a node: a service object and its loop, here or in another process.
class Life {
public:
  Life() = default;
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  virtual ~Life() = default;

  /// Constructs the service and runs its loop, elsewhere than on this thread.
  virtual void start() = 0;
  /// Constructs the service on this thread; its loop is not run.
  virtual void start_here() = 0;
  /// Asks it to end: ends its endless waits and runs its handlers.
  virtual void ask_to_stop() = 0;
  /// Whether no stop handler runs any more.
  virtual bool handlers_finished() const = 0;
  /// Takes no more calls, and ends when it has run what is queued. For good, or until the next
  /// life.
  virtual void close(const Error& reason) = 0;
  virtual void hold() = 0;
  /// Waits until its threads have ended.
  virtual void join() = 0;
  /// Gives its threads up.
  virtual void leave_behind() = 0;
};

/// Who runs nodes, and is told of them on their own threads.
class NodeHost : public std::enable_shared_from_this<NodeHost> {
public:
  NodeHost() = default;
  NodeHost(const NodeHost&) = delete;
  NodeHost& operator=(const NodeHost&) = delete;
  virtual ~NodeHost() = default;

  virtual const StartOptions& options() const noexcept = 0;
  virtual const std::shared_ptr<ActorRuntime>& runtime() const noexcept = 0;
  virtual std::shared_ptr<Front> bind(const Front& unbound) const = 0;
  virtual void stop(const std::string& node, const std::string& reason, int status) = 0;

  virtual void node_serves(Node& node) = 0;
  virtual void node_failed(Node& node, Error cause) = 0;
  virtual void node_run_over(Node& node) = 0;
  virtual void node_closed(Node& node) = 0;
  virtual void node_changed() = 0;
  /// Why a constructor's wait can't end, if it can't.
  virtual std::optional<Error> node_waits(Node& node, const Front& target) = 0;
  virtual void node_waits_no_more(Node& node) = 0;
};

/// Whether a node of that group has a loop that is run under these options.
bool runs_loop(const GroupSpec& spec, const StartOptions& options);

/// The seed of a node, from the program's.
std::uint64_t seed_of(std::uint64_t program_seed, const std::string& node);

} // namespace callboard::detail
