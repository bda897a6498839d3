// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: group significant.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

constexpr std::array all_modes{
    AutoShutdown::never, AutoShutdown::any_significant, AutoShutdown::all_significant};

class OtpSupervisorSignificantTest : public OtpSupervisorTest {
protected:
  static SupervisorSpec mode(
      AutoShutdown auto_shutdown, Strategy strategy = Strategy::one_for_one) {
    return {.strategy = strategy, .intensity = 5, .auto_shutdown = auto_shutdown};
  }

  static ChildSpec significant(std::string id, Restart restart = Restart::transient) {
    return {.id = std::move(id), .restart = restart, .significant = true};
  }

  /// child1 and child2 are significant, child3 is not.
  std::shared_ptr<Family> start_three(AutoShutdown auto_shutdown, Restart kind) {
    return start_empty(
        mode(auto_shutdown),
        {significant("child1", kind), significant("child2", kind), child("child3", kind)});
  }

  /// Whether the end of child1 ends the supervisor, children and all.
  bool ends_all(Restart kind, const ExitReason& reason) {
    const auto family = start_three(AutoShutdown::any_significant, kind);
    family->end("child1", reason);
    return family->done() == "stop child3, stop child2, end"
        && family->terminated.value().cause == EndCause::auto_shutdown;
  }

  void expect_end_with_the_last(Restart kind) {
    const auto family = start_three(AutoShutdown::all_significant, kind);
    family->end("child1", normal);
    EXPECT_EQ(family->done(), "");
    family->end("child2", normal);
    EXPECT_EQ(family->done(), "stop child3, end");
    EXPECT_EQ(exit_reason(family->terminated.value()).kind, ExitKind::shutdown);
  }
};

TEST_F(OtpSupervisorSignificantTest, NonsignificantTemporary) {
  for (const AutoShutdown auto_shutdown : all_modes) {
    const auto family = start(mode(auto_shutdown));
    family->start_child(child("child1", Restart::temporary));
    EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
    for (const ExitReason& reason : {abnormal, normal, shutdown}) {
      family->start_child(child("child1", Restart::temporary));
      family->end("child1", reason);
      EXPECT_FALSE(family->terminated);
    }
  }
}

TEST_F(OtpSupervisorSignificantTest, NonsignificantTransient) {
  for (const AutoShutdown auto_shutdown : all_modes) {
    const auto family = start_empty(mode(auto_shutdown), {child("child1", Restart::transient)});
    EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
    family->restart_child("child1");
    family->end("child1", abnormal);
    family->end("child1", normal);
    EXPECT_EQ(family->children(), "child1-");
    EXPECT_FALSE(family->terminated);
  }
}

TEST_F(OtpSupervisorSignificantTest, SignificantTemporary) {
  const auto family = start_three(AutoShutdown::any_significant, Restart::temporary);
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_FALSE(family->terminated);
  EXPECT_TRUE(ends_all(Restart::temporary, abnormal));
  EXPECT_TRUE(ends_all(Restart::temporary, normal));
  expect_end_with_the_last(Restart::temporary);
}

TEST_F(OtpSupervisorSignificantTest, SignificantTransient) {
  const auto family = start_three(AutoShutdown::any_significant, Restart::transient);
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_FALSE(family->terminated);
  EXPECT_FALSE(ends_all(Restart::transient, abnormal));
  EXPECT_TRUE(ends_all(Restart::transient, normal));
  expect_end_with_the_last(Restart::transient);
}

TEST_F(OtpSupervisorSignificantTest, SignificantSimple) {
  for (const AutoShutdown auto_shutdown : all_modes) {
    const auto checked =
        check(mode(auto_shutdown, Strategy::simple_one_for_one), std::vector{child("child")});
    EXPECT_EQ(checked.ok(), auto_shutdown == AutoShutdown::never);
  }
}

TEST_F(OtpSupervisorSignificantTest, SignificantBystander) {
  const std::map<Strategy, std::string> expected{
      {Strategy::one_for_one, "start child2"},
      {Strategy::one_for_all, "stop child3, stop child1, start child1, start child2, start child3"},
      {Strategy::rest_for_one, "stop child3, start child2, start child3"},
  };
  for (const auto& [strategy, done] : expected) {
    for (const auto auto_shutdown :
         {AutoShutdown::any_significant, AutoShutdown::all_significant}) {
      const auto family = start_empty(
          mode(auto_shutdown, strategy),
          {significant("child1"), child("child2", Restart::transient), significant("child3")});
      family->end("child2", abnormal);
      EXPECT_EQ(family->done(), done);
      EXPECT_FALSE(family->terminated);
    }
  }
}

TEST_F(OtpSupervisorSignificantTest, SignificantEscalation) {
  for (const bool is_significant : {true, false}) {
    const auto top = make(
        mode(AutoShutdown::any_significant),
        {{.id = "sup1",
          .restart = Restart::transient,
          .kind = ChildKind::supervisor,
          .significant = is_significant}});
    top->conduct["sup1"].make_family = [this] {
      return make(mode(AutoShutdown::any_significant), {significant("child1")});
    };
    top->begin();
    world.settle();
    top->family("sup1").end("child1", normal);
    EXPECT_TRUE(top->family("sup1").terminated);
    EXPECT_EQ(top->terminated.has_value(), is_significant);
  }
}

/// The supervisor was started with the first mode and has the second now.
class OtpSupervisorUpgradeTest : public OtpSupervisorSignificantTest {
protected:
  std::shared_ptr<Family> upgraded(AutoShutdown before, AutoShutdown after) {
    const auto family = start(mode(before));
    if (before == AutoShutdown::never) {
      EXPECT_EQ(family->start_child(significant("child1")).outcome, Outcome::bad_spec);
      EXPECT_TRUE(family->change(mode(after), {}).ok());
    }
    family->start_child(significant("child1"));
    family->start_child(significant("child2"));
    EXPECT_TRUE(family->change(mode(after), {}).ok());
    family->done();
    return family;
  }

  void expect_any(AutoShutdown before) {
    const auto family = upgraded(before, AutoShutdown::any_significant);
    family->end("child1", normal);
    EXPECT_EQ(family->done(), "stop child2, end");
  }

  void expect_all(AutoShutdown before) {
    const auto family = upgraded(before, AutoShutdown::all_significant);
    family->end("child1", normal);
    EXPECT_FALSE(family->terminated);
    family->end("child2", normal);
    EXPECT_TRUE(family->terminated);
  }

  void expect_never(AutoShutdown before) {
    const auto family = upgraded(before, AutoShutdown::never);
    EXPECT_EQ(family->start_child(significant("child3")).outcome, Outcome::bad_spec);
    family->end("child1", normal);
    EXPECT_FALSE(family->terminated);
    EXPECT_EQ(family->restart_child("child1").outcome, Outcome::ok);
  }
};

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeNeverAny) {
  expect_any(AutoShutdown::never);
}

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeAnyNever) {
  expect_never(AutoShutdown::any_significant);
}

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeNeverAll) {
  expect_all(AutoShutdown::never);
}

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeAllNever) {
  expect_never(AutoShutdown::all_significant);
}

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeAnyAll) {
  expect_all(AutoShutdown::any_significant);
}

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeAllAny) {
  expect_any(AutoShutdown::all_significant);
}

TEST_F(OtpSupervisorUpgradeTest, SignificantUpgradeChild) {
  const ChildSpec plain = child("child", Restart::transient);
  const auto never = start(mode(AutoShutdown::never), {plain});
  EXPECT_FALSE(never->change(mode(AutoShutdown::never), {significant("child")}).ok());
  EXPECT_FALSE(never->supervisor().child_spec("child")->significant);

  const auto to_significant = start(mode(AutoShutdown::any_significant), {plain});
  EXPECT_TRUE(
      to_significant->change(mode(AutoShutdown::any_significant), {significant("child")}).ok());
  to_significant->end("child", normal);
  EXPECT_TRUE(to_significant->terminated);

  const auto to_plain = start(mode(AutoShutdown::any_significant), {significant("child")});
  EXPECT_TRUE(to_plain->change(mode(AutoShutdown::any_significant), {plain}).ok());
  to_plain->end("child", normal);
  EXPECT_FALSE(to_plain->terminated);
}

} // namespace
} // namespace callboard
