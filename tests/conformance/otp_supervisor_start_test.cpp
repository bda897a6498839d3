// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: groups sup_start and sup_start_map.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

TEST_F(OtpSupervisorTest, SupStartNormal) {
  const auto family = start(two_in_an_hour());
  EXPECT_EQ(family->done(), "ready");
  stop(*family);
  EXPECT_EQ(family->done(), "end");
  EXPECT_EQ(exit_reason(family->terminated.value()).kind, ExitKind::shutdown);
}

TEST_F(OtpSupervisorTest, SupStartIgnoreChild) {
  const auto family = start(two_in_an_hour());
  family->conduct["child1"].start = Conduct::ignored;
  const supervision::Reply first = family->start_child(child("child1"));
  EXPECT_EQ(first.outcome, Outcome::ok);
  EXPECT_FALSE(first.incarnation);
  const supervision::Reply second = family->start_child(child("child2"));
  EXPECT_EQ(second.incarnation, family->incarnation("child2"));
  EXPECT_EQ(family->children(), "child1- child2");
  EXPECT_EQ(family->counts(), (Counts{2, 1, 0, 2}));
}

TEST_F(OtpSupervisorTest, SupStartIgnoreTemporaryChild) {
  const auto family = make(
      two_in_an_hour(), {child("child1", Restart::temporary), child("child2", Restart::temporary)});
  family->conduct["child1"].start = Conduct::ignored;
  family->begin();
  world.settle();
  EXPECT_EQ(family->children(), "child2");
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
}

TEST_F(OtpSupervisorTest, SupStartIgnoreTemporaryChildStartChild) {
  const auto family = start(two_in_an_hour());
  family->conduct["child1"].start = Conduct::ignored;
  EXPECT_EQ(family->start_child(child("child1", Restart::temporary)).outcome, Outcome::ok);
  EXPECT_EQ(family->start_child(child("child2", Restart::temporary)).outcome, Outcome::ok);
  EXPECT_EQ(family->children(), "child2");
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
}

TEST_F(OtpSupervisorTest, SupStartIgnoreTemporaryChildStartChildSimple) {
  const auto family =
      start(two_in_an_hour(Strategy::simple_one_for_one), {child("child", Restart::temporary)});
  family->conduct["child/0"].start = Conduct::ignored;
  EXPECT_FALSE(family->start_instance().incarnation);
  EXPECT_TRUE(family->start_instance().incarnation);
  EXPECT_EQ(family->children(), "child/1");
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
}

TEST_F(OtpSupervisorTest, SupStartIgnorePermanentChildStartChildSimple) {
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {child("child")});
  family->conduct["child/0"].start = Conduct::ignored;
  EXPECT_FALSE(family->start_instance().incarnation);
  EXPECT_TRUE(family->start_instance().incarnation);
  EXPECT_EQ(family->children(), "child/1");
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
  stop(*family);
  EXPECT_EQ(family->terminated.value().cause, EndCause::stopped);
}

TEST_F(OtpSupervisorTest, SupStartChildReturnsError) {
  const auto family = start(two_in_an_hour());
  family->conduct["child1"].start = Conduct::failed;
  const supervision::Reply reply = family->start_child(child("child1"));
  EXPECT_EQ(reply.outcome, Outcome::start_failed);
  EXPECT_EQ(reply.text, "abnormal: cannot start");
  EXPECT_EQ(family->children(), "");
}

TEST_F(OtpSupervisorTest, SupStartRestartChildReturnsError) {
  const auto family = start(two_in_an_hour(), {child("child1")});
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  family->conduct["child1"].start = Conduct::failed;
  EXPECT_EQ(family->restart_child("child1").outcome, Outcome::start_failed);
  EXPECT_EQ(family->children(), "child1-");
}

TEST_F(OtpSupervisorTest, SupStartChildReturnsErrorSimple) {
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {child("child")});
  family->conduct["child/0"].start = Conduct::failed;
  EXPECT_EQ(family->start_instance().outcome, Outcome::start_failed);
  EXPECT_EQ(family->children(), "");
}

TEST_F(OtpSupervisorTest, SupStartMap) {
  const auto family = start(
      {},
      {{.id = "child1"},
       {.id = "child2", .shutdown = brutal_kill},
       {.id = "child3", .kind = ChildKind::supervisor}});
  const auto spec = [&](const char* id) { return *family->supervisor().child_spec(id); };
  EXPECT_EQ(spec("child1").restart, Restart::permanent);
  EXPECT_EQ(spec("child1").kind, ChildKind::worker);
  EXPECT_FALSE(spec("child1").significant);
  EXPECT_EQ(shutdown_time(spec("child1")), 5s);
  EXPECT_EQ(shutdown_time(spec("child2")), brutal_kill);
  EXPECT_EQ(shutdown_time(spec("child3")), forever);
  EXPECT_EQ(family->supervisor().child_spec("child4"), nullptr);
  EXPECT_EQ(family->supervisor().spec().strategy, Strategy::one_for_one);
  EXPECT_EQ(family->supervisor().spec().intensity, 1);
  EXPECT_EQ(family->supervisor().spec().period, 5s);
  EXPECT_EQ(family->supervisor().spec().auto_shutdown, AutoShutdown::never);
}

TEST_F(OtpSupervisorTest, SupStartMapSimple) {
  const auto family = start(
      {.strategy = Strategy::simple_one_for_one}, {{.id = "child", .restart = Restart::temporary}});
  for (const char* id : {"child/0", "child/1", "child/2"}) {
    EXPECT_EQ(family->start_instance().id, id);
    EXPECT_EQ(family->supervisor().child_spec(id)->restart, Restart::temporary);
    EXPECT_EQ(shutdown_time(*family->supervisor().child_spec(id)), 5s);
  }
  EXPECT_EQ(family->supervisor().child_spec("child/3"), nullptr);
}

// OTP has no case of its own for what its manual says of start_link.
TEST_F(OtpSupervisorTest, ThoseThatStartedAreStoppedWhenTheFirstStartFails) {
  const auto family = make(two_in_an_hour(), {child("a"), child("b"), child("c"), child("d")});
  family->conduct["c"].start = Conduct::failed;
  family->begin();
  world.settle();
  EXPECT_EQ(family->done(), "start a, start b, start c, stop b, stop a, end");
  EXPECT_EQ(family->terminated.value().cause, EndCause::start_failed);
  EXPECT_EQ(to_string(*family->terminated), "c failed to start: abnormal: cannot start");
}

TEST_F(OtpSupervisorTest, TheNextIsStartedWhenTheOneBeforeIsUp) {
  const auto family = make(two_in_an_hour(), {child("a"), child("b")});
  family->conduct["a"].start_takes = 1s;
  family->begin();
  world.advance(999ms);
  EXPECT_EQ(family->done(), "start a");
  world.advance(1ms);
  EXPECT_EQ(family->done(), "start b, ready");
}

} // namespace
} // namespace callboard
