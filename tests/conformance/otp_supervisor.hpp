// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: supervisor_SUITE, the suite of Erlang/OTP's own supervisor (stdlib/test, OTP 28),
/// case by case: `sup_start_normal` is `SupStartNormal`. What its cases check is checked here, on
/// virtual time; how is our own.
///
/// Cases without a counterpart: there is no init callback that could fail or be wrong
/// (sup_start_ignore_init, sup_start_error_return, sup_start_fail) and no callback module
/// (get_callback_module), a specification is a struct (sup_start_map, sup_start_map_faulty_specs,
/// child_specs_map, code_change_map, code_change_simple_map: their defaults and errors are in the
/// cases of the same name without "map"), a start returns nothing more (simple_one_for_one_extra,
/// external_start_no_progress_log), nothing is registered by name
/// (already_started_outside_supervisor), links can't be broken (child_unlink), and the supervisor
/// writes no log (format_log_1, format_log_2).
#pragma once

#include "supervisor_family.hpp"

#include <gmock/gmock.h>

namespace callboard {

using namespace std::chrono_literals;

class OtpSupervisorTest : public ::testing::Test {
protected:
  using Outcome = supervision::Outcome;
  using EndCause = supervision::EndCause;
  using Counts = std::array<std::size_t, 4>;

  static inline const ExitReason normal{.kind = ExitKind::normal};
  static inline const ExitReason shutdown{.kind = ExitKind::shutdown};
  static inline const ExitReason abnormal{.kind = ExitKind::abnormal, .text = "died"};

  /// Most cases allow 2 restarts within an hour.
  static SupervisorSpec two_in_an_hour(Strategy strategy = Strategy::one_for_one) {
    return {.strategy = strategy, .intensity = 2, .period = 1h};
  }

  static ChildSpec child(std::string id, Restart restart = Restart::permanent) {
    return {.id = std::move(id), .restart = restart, .shutdown = 1s};
  }

  /// A supervisor that has not begun yet.
  std::shared_ptr<Family> make(SupervisorSpec spec, std::vector<ChildSpec> children = {}) {
    return std::make_shared<Family>(world, std::move(spec), std::move(children));
  }

  /// A supervisor that has begun.
  std::shared_ptr<Family> start(SupervisorSpec spec, std::vector<ChildSpec> children = {}) {
    std::shared_ptr<Family> family = make(std::move(spec), std::move(children));
    family->begin();
    world.settle();
    return family;
  }

  /// One with children added at run time.
  std::shared_ptr<Family> start_empty(SupervisorSpec spec, const std::vector<ChildSpec>& children) {
    std::shared_ptr<Family> family = start(std::move(spec));
    for (const ChildSpec& added : children) {
      EXPECT_EQ(family->start_child(added).outcome, Outcome::ok);
    }
    family->done();
    return family;
  }

  void stop(Family& family) {
    family.tell(supervision::Stop{});
    world.settle();
  }

  World world{};
};

} // namespace callboard
