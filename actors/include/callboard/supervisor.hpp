// SPDX-License-Identifier: Apache-2.0
/// @file
/// OTP's supervisor as a value: events and times go in, actions come out.
#pragma once

#include <callboard/detail/supervisor_state.hpp>
#include <callboard/supervision_events.hpp>

namespace callboard {

/// A child at one moment.
struct ChildInfo {
  std::string id{};
  ChildKind kind = ChildKind::worker;
  ChildState state = ChildState::idle;
  std::optional<Incarnation> incarnation{}; ///< where there is a live one
};

/// Numbers of children, as OTP counts them.
struct ChildCounts {
  std::size_t specs = 0;       ///< specifications; 1 with simple_one_for_one
  std::size_t active = 0;      ///< children that are up
  std::size_t supervisors = 0; ///< children of that kind, up or not
  std::size_t workers = 0;     ///< children of that kind, up or not
};

/// Decides when children are started, stopped and restarted; Erlang/OTP's `supervisor` (stdlib
/// reference manual and supervisor.erl, OTP 28). Has no clock, no thread, does nothing itself: the
/// same events at the same times give the same actions. `SupervisorLoop` runs one in real time.
///
/// Children are started one at a time, left to right, each when the one before is up, and stopped
/// one at a time, right to left; with simple_one_for_one all are stopped at once. Each is asked to
/// end, and killed when its shutdown time is over. While it starts or stops children, the
/// supervisor keeps ends and requests, in order, as OTP's mailbox does, and an end of a child that
/// it stops meanwhile is forgotten.
///
/// Otherwise than OTP's: a `Stop` does not wait for starts under way, those children are stopped
/// like others; times are exact where OTP rounds restarts to whole seconds.
///
/// A value: copies are independent. Not thread-safe.
class Supervisor {
public:
  /// @throws CallError{invalid_argument}  see `check`
  explicit Supervisor(SupervisorSpec spec, std::vector<ChildSpec> children = {});

  /// Takes an event and returns what is to be done. Events of incarnations that have ended are
  /// ignored, and so is everything but requests once the supervisor has ended; requests are then
  /// answered with `terminated`. `now` never goes back: an earlier time is taken for the last.
  supervision::Actions handle(const supervision::Event& event, TimePoint now);

  /// When a `Tick` is due at the latest; the end of time if none is. A `Tick` may come at any time.
  TimePoint deadline() const;

  /// `Terminated` was among the actions.
  bool ended() const { return state_.phase == detail::SupervisorPhase::ended; }

  /// All children in the order of start (OTP: which_children).
  std::vector<ChildInfo> children() const;
  std::optional<ChildInfo> child(const std::string& id) const;

  ChildCounts count_children() const;

  const SupervisorSpec& spec() const { return state_.spec; }
  /// Null if there is no such child.
  const ChildSpec* child_spec(const std::string& id) const;

  /// Puts other specifications in the place of the present ones (OTP: code_change). Children of the
  /// same id go on as they are, new ones are down until `RestartChild`, the others stay, after
  /// them. Nothing changes on an error.
  /// @returns invalid_argument, see `check`; failed_precondition while children are being started
  ///          or stopped, or if the strategy becomes simple_one_for_one or ceases to be it
  Result<void> change(SupervisorSpec spec, const std::vector<ChildSpec>& children);

private:
  detail::SupervisorState state_;
};

} // namespace callboard
