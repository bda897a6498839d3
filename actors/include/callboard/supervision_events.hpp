// SPDX-License-Identifier: Apache-2.0
/// @file
/// What happens to a supervisor, and what it wants done: the language between a `Supervisor` and
/// whoever runs its children.
#pragma once

#include <callboard/restart_history.hpp>
#include <callboard/supervision.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace callboard {

/// One life of a child: a number that its supervisor never gives twice, and that grows.
using Incarnation = std::uint64_t;

/// Chosen by who makes a request, to know its answer by.
using RequestId = std::uint64_t;

namespace supervision {

// --- events: what has happened
// --------------------------------------------------------------------

/// The supervisor shall start its children.
struct Begin {};

/// The child is up: its start has succeeded.
struct Started {
  std::string id;
  Incarnation incarnation = 0;
};

/// The child's start decided that there is nothing to run (OTP: `ignore`): no failure.
struct Ignored {
  std::string id;
  Incarnation incarnation = 0;
};

/// The child's start has failed, and nothing of it is left.
struct StartFailed {
  std::string id;
  Incarnation incarnation = 0;
  ExitReason reason{};
};

/// The child has ended, for whatever reason, and nothing of it is left. While it starts: as
/// `StartFailed`.
struct Exited {
  std::string id;
  Incarnation incarnation = 0;
  ExitReason reason{};
};

/// Time has passed, see `Supervisor::deadline`.
struct Tick {};

/// The supervisor shall stop its children and end.
struct Stop {};

/// Adds a child and starts it. Not with simple_one_for_one.
struct StartChild {
  ChildSpec child;
  RequestId request = 0;
};

/// Starts one more child of the only specification. Only with simple_one_for_one; ids are those of
/// the specification with a number: "worker/0", "worker/1".
struct StartInstance {
  RequestId request = 0;
  std::any arguments{}; ///< if any, instead of those of the specification
};

/// Stops a child that runs, or is to be restarted. Its specification stays, unless it is temporary.
struct TerminateChild {
  std::string id;
  RequestId request = 0;
};

/// Starts a child that is down. Not counted as a restart. Not with simple_one_for_one.
struct RestartChild {
  std::string id;
  RequestId request = 0;
};

/// Forgets a child that is down. Not with simple_one_for_one.
struct DeleteChild {
  std::string id;
  RequestId request = 0;
};

using Event = std::variant<
    Begin,
    Started,
    Ignored,
    StartFailed,
    Exited,
    Tick,
    Stop,
    StartChild,
    StartInstance,
    TerminateChild,
    RestartChild,
    DeleteChild>;

// --- actions: what is to be done, in order
// --------------------------------------------------------

/// Start the child; answer `Started`, `Ignored`, `StartFailed` or `Exited`.
struct Start {
  std::string id;
  Incarnation incarnation = 0;
  std::any arguments{}; ///< of its specification or instance
};

/// Ask the child to end, also if its start isn't through; `Exited` is awaited.
struct RequestStop {
  std::string id;
  Incarnation incarnation = 0;
};

/// End the child by force; `Exited` is awaited, without limit.
struct Kill {
  std::string id;
  Incarnation incarnation = 0;
};

/// All children have started.
struct Ready {};

/// The outcome of a request; names of failures are OTP's.
enum class Outcome : unsigned char {
  ok,
  already_started,    ///< the id is that of a child that runs
  already_present,    ///< the id is that of a child that is down
  not_found,          ///< there is no such child
  running,            ///< the child isn't down
  restarting,         ///< the child is about to be restarted
  simple_one_for_one, ///< not with this strategy, or not with this id
  bad_spec,           ///< see the text
  start_failed,       ///< see the text
  terminated,         ///< the supervisor has ended or is ending
};

/// OTP's name of the outcome, such as "already_present".
std::string_view to_string(Outcome outcome);

/// The answer to a request.
struct Reply {
  RequestId request = 0;
  Outcome outcome = Outcome::ok;
  std::string id{};                         ///< of the child
  std::optional<Incarnation> incarnation{}; ///< of the child, for ok and already_started, if any
  std::string text{};                       ///< for people
};

/// The child stays down, see `Exhausted::give_up_child`.
struct GaveUp {
  std::string id;
  ExitReason reason{}; ///< the last end or failed start
};

/// Why a supervisor has ended.
enum class EndCause : unsigned char {
  stopped,           ///< it was told to
  start_failed,      ///< a child failed at the first start
  intensity_reached, ///< more restarts than allowed within the period
  failed_starts,     ///< more failed starts of a child in a row than allowed
  auto_shutdown,     ///< significant children have ended
};

/// The supervisor has ended, and none of its children is left.
struct Terminated {
  EndCause cause = EndCause::stopped;
  std::string child{};                   ///< whose end was the last straw; empty if it was told to
  ExitReason reason{};                   ///< of that end
  RestartLimit limit{};                  ///< for intensity_reached
  std::vector<RestartRecord> restarts{}; ///< for intensity_reached: the restarts, oldest first
};

/// "replay gave up: 3 restarts within 5 s (intensity 2); first cause: abnormal: signal 9".
std::string to_string(const Terminated& end);

/// What the supervisor of the supervisor that has ended so is told: OTP's `shutdown`, whatever the
/// cause; so a transient supervisor that gave up is not restarted. Where the cause is
/// `start_failed`, its own start has failed with this reason.
ExitReason exit_reason(const Terminated& end);

using Action = std::variant<Start, RequestStop, Kill, Ready, Reply, GaveUp, Terminated>;
using Actions = std::vector<Action>;

} // namespace supervision
} // namespace callboard
