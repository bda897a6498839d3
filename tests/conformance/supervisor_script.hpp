// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: a random history of a supervisor, as a script that the supervisor and a model follow.
/// What a child does depends on its incarnation only; times are whole ticks, so that limits are
/// often hit exactly.
#pragma once

#include <callboard/supervisor.hpp>

#include <compare>
#include <ostream>
#include <random>
#include <tuple>

namespace callboard::script {

inline constexpr TimePoint beginning{std::chrono::hours(1)};
inline constexpr Duration tick = std::chrono::milliseconds(1);

/// When something happens. Of what happens at one time, ticks come first, then ends, requests and
/// outcomes of starts, each in the order of their numbers.
struct Moment {
  enum Kind { timer, end, request, outcome };

  TimePoint at{};
  Kind kind = timer;
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
  std::vector<std::pair<Moment, supervision::Event>> requests{}; ///< the last one is `Stop`
};

/// Dice that show the same for the same seed on every machine.
class Dice {
public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  /// 0 to `count` - 1. SplitMix64 (Steele, Lea and Flood 2014).
  int roll(int count) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return static_cast<int>((z ^ (z >> 31U)) % static_cast<std::uint64_t>(count));
  }
  bool one_in(int count) { return roll(count) == 0; }
  Duration ticks(int from, int to) { return tick * (from + roll(to - from + 1)); }

private:
  std::uint64_t state_;
};

inline ExitReason random_reason(Dice& dice) {
  return {.kind = static_cast<ExitKind>(std::min(dice.roll(4), 2)), .counted = !dice.one_in(8)};
}

inline Life life_of(const Script& script, Incarnation incarnation) {
  Dice dice(script.seed * 1'000'003 + incarnation);
  Life life;
  life.start = dice.one_in(4) ? Life::failed : dice.one_in(12) ? Life::ignored : Life::up;
  life.start_takes = dice.ticks(1, 3);
  life.lasts = dice.one_in(3) ? forever : dice.ticks(1, 25);
  life.reason = random_reason(dice);
  life.stop_takes = dice.one_in(4) ? dice.ticks(1, 12) : tick;
  return life;
}

inline RestartLimit random_limit(Dice& dice) {
  return {.intensity = dice.roll(4), .period = dice.ticks(1, 12)};
}

inline Backoff random_backoff(Dice& dice) {
  return {
      .initial = tick,
      .factor = 2,
      .maximum = dice.ticks(1, 8),
      .jitter = 0,
      .healthy = dice.ticks(0, 20),
  };
}

inline SupervisorSpec random_supervisor(Dice& dice) {
  SupervisorSpec spec{.strategy = static_cast<Strategy>(dice.roll(4))};
  std::tie(spec.intensity, spec.period) = std::tuple(dice.roll(6), dice.ticks(1, 20));
  if (spec.strategy != Strategy::simple_one_for_one) {
    spec.auto_shutdown = static_cast<AutoShutdown>(dice.roll(3));
  }
  if (dice.one_in(3)) {
    spec.backoff = random_backoff(dice);
  }
  if (dice.one_in(3)) {
    spec.max_failed_starts = dice.roll(3);
  }
  return spec;
}

inline ChildSpec random_child(Dice& dice, const SupervisorSpec& spec, std::string id) {
  ChildSpec child{.id = std::move(id), .restart = static_cast<Restart>(dice.roll(3))};
  const int shutdown = dice.roll(4);
  child.shutdown = shutdown == 0 ? brutal_kill : shutdown == 1 ? forever : dice.ticks(0, 8);
  child.significant = spec.auto_shutdown != AutoShutdown::never
      && child.restart != Restart::permanent && dice.one_in(2);
  if (dice.one_in(4)) {
    child.limit = random_limit(dice);
  }
  if (spec.strategy == Strategy::one_for_one && dice.one_in(4)) {
    child.exhausted = Exhausted::give_up_child;
  }
  return child;
}

inline supervision::Event random_request(
    Dice& dice, const SupervisorSpec& spec, const std::string& id, RequestId request) {
  switch (dice.roll(5)) {
  case 0: return supervision::StartChild{random_child(dice, spec, id), request};
  case 1: return supervision::TerminateChild{id, request};
  case 2: return supervision::RestartChild{id, request};
  case 3: return supervision::DeleteChild{id, request};
  default: return supervision::StartInstance{request};
  }
}

/// The script with that number.
inline Script make(std::uint64_t seed) {
  Dice dice(seed);
  Script script{.seed = seed, .spec = random_supervisor(dice)};
  const bool simple = script.spec.strategy == Strategy::simple_one_for_one;
  const std::string names = "abcdef";
  for (int i = simple ? 0 : dice.roll(2); i < (simple ? 1 : 5); i += 1 + dice.roll(2)) {
    script.children.push_back(random_child(dice, script.spec, names.substr(i, 1)));
  }
  TimePoint at = beginning;
  RequestId number = 1;
  for (const int last = 1 + dice.roll(8); number < static_cast<RequestId>(last); ++number) {
    at += dice.ticks(0, 12);
    const std::string id =
        simple ? "a/" + std::to_string(dice.roll(4)) : names.substr(dice.roll(6), 1);
    script.requests.emplace_back(
        Moment{at, Moment::request, number}, random_request(dice, script.spec, id, number));
  }
  at += dice.ticks(0, 60);
  script.requests.emplace_back(Moment{at, Moment::request, number}, supervision::Stop{});
  return script;
}

/// One thing that was done, in a form that two players can be compared by.
struct Line {
  TimePoint at{};
  std::string what{};
  std::string child{};
  std::uint64_t number = 0; ///< incarnation, or request

  bool operator==(const Line&) const = default;

  friend std::ostream& operator<<(std::ostream& out, const Line& line) {
    return out << (line.at - beginning) / tick << ' ' << line.what << ' ' << line.child << ' '
               << line.number;
  }
};

/// What was done, what was answered, and what is left.
struct Outcome {
  std::vector<Line> actions{};
  std::vector<Line> replies{};
  std::vector<std::string> children{};

  bool operator==(const Outcome&) const = default;
};

} // namespace callboard::script
