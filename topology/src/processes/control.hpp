// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the launcher and the processes of a run say to each other: two services, called like any.
#pragma once

#include <callboard/service.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callboard::detail {

/// What a worker process is told by whoever starts it.
struct Part {
  std::string run;
  std::string process;            ///< its name: that of its first node
  std::int32_t life = 0;          ///< counts the processes of that name, from 1
  std::vector<std::string> nodes; ///< that live there
  std::uint16_t launcher = 0;     ///< the port where the launcher listens
  std::string token;
  std::uint64_t seed = 0;
  std::int64_t deadline = 0; ///< nanoseconds, of calls that name none
  std::int64_t grace = 0;    ///< nanoseconds
  std::uint8_t log_level = 0;
  std::vector<std::byte> configuration;
};

/// A part of the graph and a hash of it.
struct Fingerprint {
  std::string what; ///< such as "the arguments of actor"
  std::uint64_t hash = 0;
};

struct Join {
  std::string process;
  std::int32_t life = 0;
  std::uint16_t port = 0; ///< where it listens
  std::vector<Fingerprint> graph;
};

/// Where a node is now.
struct Location {
  std::string node;
  std::string process{}; ///< empty: nowhere at present
  std::int32_t life = 0;
  std::uint16_t port = 0;
};

struct MetricValue {
  std::string name;
  std::string help;
  bool is_counter = false;
  std::uint64_t count = 0;
  double value = 0;
};

/// What a node has counted in its present life.
struct NodeReport {
  std::string node;
  std::int32_t incarnation = 0;
  std::uint64_t calls = 0;
  std::uint64_t waiting = 0;
  std::uint64_t failed = 0;
  std::vector<MetricValue> metrics{};
};

/// The launcher, for its workers. What concerns a life that is over is ignored.
class LauncherControl {
public:
  virtual ~LauncherControl() = default;
  /// @throws CallError{failed_precondition} the process has built another graph: what differs
  virtual void join(const Join& worker) = 0;
  virtual void serves(const std::string& node, std::int32_t incarnation) = 0;
  virtual void failed(const std::string& node, std::int32_t incarnation, const Error& cause) = 0;
  virtual void run_over(const std::string& node, std::int32_t incarnation) = 0;
  virtual void handlers_over(const std::string& node, std::int32_t incarnation) = 0;
  virtual void closed(const std::string& node, std::int32_t incarnation) = 0;
  virtual void report(const std::vector<NodeReport>& nodes) = 0;
  /// Why that wait of a constructor can't end, if it can't.
  virtual std::optional<Error> waits(const std::string& node, const std::string& target) = 0;
  virtual void waits_no_more(const std::string& node) = 0;
  virtual void stop(const std::string& node, const std::string& reason, std::int32_t status) = 0;
  /// Where the node is; `process` is told of changes from now on.
  virtual Location locate(const std::string& process, const std::string& node) = 0;

  using exposed = methods<
      &LauncherControl::join,
      &LauncherControl::serves,
      &LauncherControl::failed,
      &LauncherControl::run_over,
      &LauncherControl::handlers_over,
      &LauncherControl::closed,
      &LauncherControl::report,
      &LauncherControl::waits,
      &LauncherControl::waits_no_more,
      &LauncherControl::stop,
      &LauncherControl::locate>;
};

/// A worker process, for the launcher.
class WorkerControl {
public:
  virtual ~WorkerControl() = default;
  virtual void start(const std::string& node, std::int32_t incarnation) = 0;
  virtual void ask_to_stop(const std::string& node) = 0;
  virtual void hold(const std::string& node) = 0;
  virtual void close(const std::string& node, const Error& reason) = 0;
  /// A node that this process asked for is there, or nowhere.
  virtual void located(const Location& location) = 0;
  /// The process in which a node was has ended.
  virtual void gone(const std::string& node, std::int32_t life, const Error& reason) = 0;
  /// Nothing is left to do: the process ends.
  virtual void end() = 0;

  using exposed = methods<
      &WorkerControl::start,
      &WorkerControl::ask_to_stop,
      &WorkerControl::hold,
      &WorkerControl::close,
      &WorkerControl::located,
      &WorkerControl::gone,
      &WorkerControl::end>;
};

/// The names under which these services are called; no node can have them.
inline const std::string launcher_node = "(launcher)";
inline const std::string worker_node = "(worker)";
/// The launcher's name among processes.
inline const std::string launcher_process = "launcher";

} // namespace callboard::detail
