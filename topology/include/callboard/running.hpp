// SPDX-License-Identifier: Apache-2.0
/// @file
/// A program that runs.
#pragma once

#include <callboard/program.hpp>
#include <callboard/registry.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

namespace detail {
struct Node;
class ProgramRun;
} // namespace detail

/// How `start` runs a program.
struct StartOptions {
  Duration deadline = defaults::call_deadline; ///< of calls that name none
  Duration grace = std::chrono::seconds(10);   ///< for all nodes together, from stop to end
  std::uint64_t seed = 1;                      ///< from which each node's seed is made
  unsigned threads = 0;                        ///< of the scheduler; 0: one per core
  bool revive = true;                          ///< restart nodes that fail, as their policies say
  bool recode = false;        ///< arguments and calls pass through bytes, as between processes
  bool deterministic = false; ///< one thread and virtual time; no `run`, no own threads
  bool network = false;       ///< nodes may be reached from other processes
  std::vector<std::string> disable_run{}; ///< labels of groups whose `run` is not called
};

/// Where a node is in its life.
enum class NodeState : unsigned char {
  waiting,  ///< for the nodes that it calls to be ready
  starting, ///< its constructor runs
  serving,  ///< it answers calls and has no loop, or its loop has ended
  running,  ///< its loop runs, and it answers calls
  stopping, ///< it was asked to end
  stopped,
  failed,     ///< its constructor or loop ended with an exception
  restarting, ///< it has failed, or ended, and is to be started anew; calls wait
};

/// "waiting", "starting", and so on.
std::string_view to_string(NodeState state);

/// A node at one moment.
struct NodeStatus {
  std::string name;
  std::string group;
  NodeState state = NodeState::waiting;
  int incarnation = 1;
  std::uint64_t calls = 0;   ///< that arrived so far
  std::uint64_t waiting = 0; ///< in its mailbox
};

/// The end of a node by an exception.
struct Failure {
  std::string node;
  int incarnation = 1;
  Error cause;
  Duration at{};          ///< since the start of the program
  bool restarted = false; ///< it was started anew
};

/// "replay/0 (incarnation 1) failed 3.21 s after the start: …".
std::string to_string(const Failure& failure);

/// What `run` and `Running::wait` return.
namespace exit_status {
inline constexpr int clean = 0;
inline constexpr int node_failed = 1;
inline constexpr int usage = 2;         ///< bad flags, or a graph that breaks the rules
inline constexpr int stubborn = 3;      ///< some nodes did not end within the grace
inline constexpr int signal_base = 128; ///< plus the number of the signal that stopped the program
} // namespace exit_status

/// A program that runs in this process, made by `start`. Its destructor stops it and waits. Several
/// may run in one process; they share nothing. Thread-safe.
class Running {
public:
  explicit Running(std::shared_ptr<detail::ProgramRun> run) : run_(std::move(run)) {}
  Running(Running&&) noexcept = default;
  Running& operator=(Running&&) = delete;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  /// Waits until the program has ended: when every `run` has returned, or when it was stopped.
  /// @returns its exit status
  /// @throws CallError{failed_precondition} deterministic, and nobody has called `stop`
  int wait();
  /// False if it has not ended within `patience`. Deterministic: whether it was stopped.
  bool wait_for(Duration patience);
  /// Waits until the `run` of each node of `group` has returned.
  /// @throws CallError  the program failed meanwhile: the first failure of any node; `not_found`:
  /// no
  ///                    such group
  void wait(const std::string& group);

  /// Asks the program to end; returns at once. The first call decides reason and status.
  void stop(const std::string& reason = {}, int status = exit_status::clean);

  /// Who asked the program to end and why, as given to `stop`; empty if nobody said why.
  std::string stop_reason() const;

  /// Every node, in the order of the graph.
  std::vector<NodeStatus> status() const;
  /// What failed so far, root cause first.
  std::vector<Failure> failures() const;
  /// Nodes that did not end within the grace. Their threads can't be ended: only the end of the
  /// process frees them.
  std::vector<std::string> stubborn() const;

  /// A client of a node, for code outside the graph.
  /// @throws CallError{not_found} no such node, its service is no `S`, or the handle is of another
  ///                              program
  template <class S>
  Client<S> client(const std::string& node) const {
    return Client<S>(front_of(node, detail::interface_of<S>()));
  }
  template <class S>
  Client<S> client(const Handle<S>& handle) const {
    require_own(handle.program(), handle.node());
    return Client<S>(front_of(handle.node(), detail::interface_of<S>()));
  }

  /// Starts one more node, as `Program::add` would have added it; returns when it serves. Clients
  /// of this program serve as handles.
  /// @throws GraphError as `Program::add`  @throws CallError if it fails to start
  template <class S, class... A>
  Client<S> add(NodeOptions options, A&&... arguments) {
    Program more = extension();
    const Handle<S> handle = more.add<S>(std::move(options), std::forward<A>(arguments)...);
    start_more(more);
    return client(handle);
  }
  template <class S, class... A>
  Client<S> add(Label label, A&&... arguments) {
    return add<S>(
        NodeOptions{.label = std::move(label.label), .where = label.where},
        std::forward<A>(arguments)...);
  }

  /// Starts or stops nodes of a group until it has `replicas`; the last go first. Clients that
  /// other nodes hold are not changed: new nodes are reached by whoever asks for them. Returns when
  /// new nodes serve.
  /// @throws CallError{not_found, invalid_argument, failed_precondition}
  void resize(const std::string& group, int replicas);

  /// Deterministic only: lets virtual time pass.
  void advance(Duration duration);

  /// The metrics of all nodes.
  const Registry& metrics() const;
  /// The metrics of one node. @throws CallError{not_found}
  std::shared_ptr<MetricSet> metrics(const std::string& node) const;
  const Program& program() const;

private:
  std::shared_ptr<detail::Node> node_of(const std::string& node) const;
  void require_own(std::uint64_t program, const std::string& node) const;
  std::shared_ptr<detail::Front> front_of(
      const std::string& node, const detail::Interface& interface) const;
  Program extension() const;
  void start_more(const Program& more);

  std::shared_ptr<detail::ProgramRun> run_;
};

/// Starts a program in threads of this process and returns at once; nodes start in the order of
/// their edges. A node that fails to start fails the program.
/// @throws GraphError the graph breaks a rule; nothing was started
Running start(const Program& program, const StartOptions& options = {});

} // namespace callboard
