// SPDX-License-Identifier: Apache-2.0
#include <callboard/supervision_events.hpp>

#include <fmt/format.h>

#include <array>

namespace callboard::supervision {
namespace {

constexpr std::array<std::string_view, 10> outcome_names{
    "ok",
    "already_started",
    "already_present",
    "not_found",
    "running",
    "restarting",
    "simple_one_for_one",
    "bad_spec",
    "start_failed",
    "terminated",
};

std::string gave_up(const Terminated& end) {
  return fmt::format(
      "{} gave up: {} restarts within {} s (intensity {}); first cause: {}",
      end.child,
      end.restarts.size(),
      std::chrono::duration<double>(end.limit.period).count(),
      end.limit.intensity,
      end.restarts.empty() ? to_string(end.reason) : to_string(end.restarts.front().reason));
}

} // namespace

std::string_view to_string(Outcome outcome) {
  return outcome_names.at(static_cast<std::size_t>(outcome));
}

std::string to_string(const Terminated& end) {
  switch (end.cause) {
  case EndCause::stopped: return "stopped";
  case EndCause::start_failed:
    return fmt::format("{} failed to start: {}", end.child, callboard::to_string(end.reason));
  case EndCause::intensity_reached: return gave_up(end);
  case EndCause::failed_starts:
    return fmt::format(
        "{} gave up: too many failed starts in a row; the last: {}",
        end.child,
        callboard::to_string(end.reason));
  case EndCause::auto_shutdown: break;
  }
  return fmt::format("{} has ended: {}", end.child, callboard::to_string(end.reason));
}

ExitReason exit_reason(const Terminated& end) {
  return {.kind = ExitKind::shutdown, .text = to_string(end)};
}

} // namespace callboard::supervision
