// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a supervisor is told before it starts: its children, and how to keep them alive. Names,
/// defaults and meaning are those of Erlang/OTP's `supervisor` (stdlib reference manual, OTP 28);
/// what goes beyond it says so, and is off by default.
#pragma once

#include <callboard/error.hpp>
#include <callboard/restart.hpp>
#include <callboard/time.hpp>

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

/// Whom the end of a child concerns, if it is to be restarted.
enum class Strategy : unsigned char {
  one_for_one,        ///< that child only
  one_for_all,        ///< all: the others are stopped, then all are started
  rest_for_one,       ///< that child and those after it in the order of start
  simple_one_for_one, ///< that child; all are instances of one specification, added at run time
};

/// Whether a supervisor ends by itself when significant children have ended for good. Children that
/// it stops itself, on request or for a sibling's sake, don't count.
enum class AutoShutdown : unsigned char { never, any_significant, all_significant };

enum class ChildKind : unsigned char { worker, supervisor };

/// As a child's `shutdown`: killed at once, without being asked to end.
inline constexpr Duration brutal_kill = Duration::min();

/// More than `intensity` restarts within `period`, its edges included, are too many.
struct RestartLimit {
  int intensity = 1; ///< 0 or more
  Duration period = std::chrono::seconds(5);
};

/// Beyond OTP: waits before restarts that grow while a child keeps failing. Each is
/// `initial · factor^(failures − 1)`, at most `maximum`, times a factor within 1 ± `jitter` which
/// depends on `seed` and the incarnation that ended, so that a run can be repeated.
struct Backoff {
  Duration initial = std::chrono::milliseconds(100);
  double factor = 2; ///< 1 or more
  Duration maximum = std::chrono::seconds(30);
  double jitter = 0.2;                         ///< 0 to below 1
  Duration healthy = std::chrono::seconds(60); ///< who ran so long has no failures any more
  std::uint64_t seed = 0;
};

/// Beyond OTP: what follows when a child was restarted, or failed to start, too often.
enum class Exhausted : unsigned char {
  end_supervisor, ///< OTP's rule: all children are stopped, and the supervisor ends
  give_up_child,  ///< the child stays down; not with one_for_all and rest_for_one
};

/// One child.
struct ChildSpec {
  std::string id; ///< not empty, unique in its supervisor
  Restart restart = Restart::permanent;
  /// From the request to stop until it is killed; `brutal_kill`, or `forever`.
  /// Default: 5 s for a worker, `forever` for a supervisor.
  std::optional<Duration> shutdown{};
  ChildKind kind = ChildKind::worker;
  bool significant = false; ///< not for permanent children, nor where `auto_shutdown` is never
  /// Beyond OTP: its restarts are counted by themselves, not with those of its siblings.
  std::optional<RestartLimit> limit{};
  Exhausted exhausted = Exhausted::end_supervisor;
  /// Whatever starts it may want to know; dropped with the first start of a temporary child, which
  /// has only one.
  std::any arguments{};
};

/// The time from `child`'s request to stop until it is killed, with the default for its kind.
Duration shutdown_time(const ChildSpec& child);

/// Beyond OTP: whether restarts of several children may be under way at one time.
enum class Restarts : unsigned char {
  one_at_a_time, ///< OTP's way: the next begins when the one before has started
  side_by_side,  ///< only with one_for_one and simple_one_for_one
};

/// One supervisor. The default is OTP's: one_for_one, and not more than 1 restart in 5 s.
struct SupervisorSpec {
  Strategy strategy = Strategy::one_for_one;
  int intensity = 1; ///< see `RestartLimit`
  Duration period = std::chrono::seconds(5);
  AutoShutdown auto_shutdown = AutoShutdown::never; ///< never with simple_one_for_one
  std::optional<Backoff> backoff{};                 ///< none: restart at once, as OTP does
  /// Beyond OTP: more failed starts of a child in a row than this are too many, however slow they
  /// are; OTP tries for ever where one takes longer than the period. Default: no limit.
  std::optional<int> max_failed_starts{};
  Restarts restarts = Restarts::one_at_a_time;
};

/// Whether a supervisor can be made of them; if not, `invalid_argument` with what is wrong.
Result<void> check(const SupervisorSpec& supervisor, const std::vector<ChildSpec>& children);

/// Whether `child` may be added to such a supervisor, whatever the ids of the others.
Result<void> check(const SupervisorSpec& supervisor, const ChildSpec& child);

/// How a child ended.
enum class ExitKind : unsigned char {
  normal,   ///< by itself, its work is done
  shutdown, ///< because it was asked to, or for another planned reason
  abnormal, ///< any other way: an error, a signal
};

/// Why a child ended, or could not be started.
struct ExitReason {
  ExitKind kind = ExitKind::abnormal;
  std::string text{}; ///< for people, such as "signal 9 (killed)"
  /// Beyond OTP: false where it is not the child's fault, such as the loss of its host; the restart
  /// that follows is not counted. A failed start counts for `max_failed_starts` all the same.
  bool counted = true;
};

/// "abnormal: signal 9 (killed)", or the kind alone.
std::string to_string(const ExitReason& reason);

} // namespace callboard
