// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: a random history of a supervisor, as a script that two players can follow. What a
/// child does depends on its incarnation only; times are whole ticks, so that limits are often hit
/// exactly.
#pragma once

#include <callboard/supervisor.hpp>

#include <compare>
#include <random>

namespace callboard {

/// When something happens. Of what happens at one time, ticks come first, then ends, requests and
/// outcomes of starts, each by number.
struct Moment {
  enum Kind { tick, end, request, outcome };

  TimePoint at{};
  Kind kind = tick;
  std::uint64_t number = 0;

  auto operator<=>(const Moment&) const = default;
};

inline constexpr Moment never{TimePoint::max(), Moment::outcome, 0};

/// What one incarnation does.
struct Life {
  enum Start { up, ignored, failed };

  Start start = up;
  Duration start_takes{};
  Duration lasts{}; ///< `forever`: it runs until it is stopped
  ExitReason reason{};
  Duration stop_takes{}; ///< from the request to its end
};

/// The supervisor, the requests made to it, and what children do.
struct Script {
  std::uint64_t seed = 0;
  SupervisorSpec spec{};
  std::vector<ChildSpec> children{};
  std::vector<std::pair<TimePoint, supervision::Event>> requests{}; ///< the last one is `Stop`

  Life life(Incarnation incarnation) const;
};

/// The script with that number.
Script make_script(std::uint64_t seed);

/// What was asked for, with times: all actions but replies, then replies, then what is left.
struct Record {
  std::vector<std::string> actions{};
  std::vector<std::string> replies{};
  std::vector<std::string> children{};

  void add(TimePoint at, const supervision::Action& action);

  bool operator==(const Record&) const = default;
};

/// Plays the script with a `Supervisor`.
Record play(const Script& script);

/// What OTP's supervisor does, by a model that is written as a process is: it blocks while children
/// start and stop, reads its mailbox in between, and looks for limits through its whole past.
Record expected(const Script& script);

inline constexpr TimePoint script_start{std::chrono::hours(1)};
inline constexpr Duration tick = std::chrono::milliseconds(1);

} // namespace callboard
