// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a supervisor remembers between two events.
#pragma once

#include <callboard/supervision_events.hpp>

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace callboard {

/// Where a child stands.
enum class ChildState : unsigned char {
  idle,       ///< down (OTP: undefined)
  restarting, ///< down, will be started again by itself
  starting,
  running,
  stopping, ///< was asked to end, or killed
};

namespace detail {

/// A child's place in the order of start.
using ChildKey = std::uint64_t;

struct Child {
  ChildKey key = 0;
  ChildSpec spec;
  ChildState state = ChildState::idle;
  Incarnation incarnation = 0;
  bool dead = false;     ///< has ended; the supervisor will see to it when it has time
  ExitReason reason{};   ///< of the last end or failed start
  int failures = 0;      ///< since it was last healthy, for back-off
  int failed_starts = 0; ///< in a row
  TimePoint up_since{};
  std::pair<TimePoint, std::uint64_t> timer{}; ///< while restarting or stopping, see `Timers`
  RestartHistory history{};                    ///< if it has a limit of its own

  bool live() const { return !dead && state >= ChildState::starting; }
};

/// Times at which children are due; those due at the same time in the order in which they were set.
using Timers = std::set<std::tuple<TimePoint, std::uint64_t, ChildKey>>;

enum class TaskKind : unsigned char {
  initial,
  restart,
  pause, ///< stops the others of a group before a wait
  start_child,
  restart_child,
  terminate_child,
  shutdown,
};

/// What a supervisor is busy with: first stops children, then starts some.
struct SupervisorTask {
  TaskKind kind = TaskKind::initial;
  std::vector<ChildKey> stops{};      ///< those still to stop, the next one last
  std::vector<ChildKey> starts{};     ///< those still to start, the next one last
  bool together = false;              ///< all stop at one time
  std::size_t stopping = 0;           ///< those asked to end
  std::optional<ChildKey> starting{}; ///< the one awaited
  std::optional<RequestId> request{}; ///< whom to answer
  std::string id{};                   ///< of the child that the request is about
  supervision::Terminated end{};      ///< for shutdown
};

enum class SupervisorPhase : unsigned char { fresh, working, ended };

struct SupervisorState {
  SupervisorSpec spec;
  std::optional<ChildSpec> prototype{}; ///< of simple_one_for_one
  std::map<ChildKey, Child> children{};
  std::unordered_map<std::string, ChildKey> keys{};
  SupervisorPhase phase = SupervisorPhase::fresh;
  std::optional<SupervisorTask> task{};
  std::deque<supervision::Event> mailbox{}; ///< ends and requests that wait
  Timers retries{};                         ///< of children that are restarting
  Timers kills{};                           ///< of children that are stopping
  RestartHistory history{};
  TimePoint now = TimePoint::min();
  ChildKey next_key = 0;
  Incarnation last_incarnation = 0;
  std::uint64_t last_timer = 0;
  std::uint64_t next_instance = 0;

  Child* find(const std::string& id);
  const Child* find(const std::string& id) const;
  ChildKey add(ChildSpec child);
  void erase(ChildKey key);
  bool simple() const { return spec.strategy == Strategy::simple_one_for_one; }
};

} // namespace detail
} // namespace callboard
