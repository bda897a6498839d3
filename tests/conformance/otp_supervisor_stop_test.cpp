// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: group sup_stop.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

TEST_F(OtpSupervisorTest, SupStopInfinity) {
  ChildSpec supervisor = child("child1");
  supervisor.kind = ChildKind::supervisor;
  ChildSpec worker = child("child2");
  supervisor.shutdown = worker.shutdown = forever;
  const auto family = start_empty(two_in_an_hour(), {supervisor, worker});
  family->conduct["child2"].stop_takes = 24h;
  stop(*family);
  world.advance(24h - 1ns);
  EXPECT_EQ(family->done(), "stop child2");
  world.advance(1ns);
  EXPECT_EQ(family->done(), "stop child1, end");
}

TEST_F(OtpSupervisorTest, SupStopTimeout) {
  const auto family = start_empty(two_in_an_hour(), {child("child1"), child("child2")});
  family->conduct["child2"].deaf = true;
  stop(*family);
  world.advance(1s - 1ns);
  EXPECT_EQ(family->done(), "stop child2");
  world.advance(1ns);
  EXPECT_EQ(family->done(), "kill child2, stop child1, end");
}

TEST_F(OtpSupervisorTest, SupStopTimeoutDynamic) {
  const auto family =
      start(two_in_an_hour(Strategy::simple_one_for_one), {child("child", Restart::temporary)});
  family->start_instance();
  family->start_instance();
  family->done();
  family->conduct["child/1"].deaf = true;
  stop(*family);
  world.advance(1s - 1ns);
  EXPECT_EQ(family->done(), "stop child/1, stop child/0");
  world.advance(1ns);
  EXPECT_EQ(family->done(), "kill child/1, end");
}

TEST_F(OtpSupervisorTest, SupStopBrutalKill) {
  ChildSpec brutal = child("child2");
  brutal.shutdown = brutal_kill;
  const auto family = start_empty(two_in_an_hour(), {child("child1"), brutal});
  stop(*family);
  EXPECT_EQ(family->done(), "kill child2, stop child1, end");
}

TEST_F(OtpSupervisorTest, SupStopBrutalKillDynamic) {
  ChildSpec brutal = child("child", Restart::temporary);
  brutal.shutdown = brutal_kill;
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {brutal});
  std::string expected;
  for (int i = 0; i < 10; ++i) {
    family->start_instance();
    expected = "kill child/" + std::to_string(i) + ", " + expected;
  }
  family->done();
  stop(*family);
  EXPECT_EQ(family->done(), expected + "end");
}

// Children end by themselves while the last one takes its time to stop.
TEST_F(OtpSupervisorTest, SupStopRace) {
  std::vector<ChildSpec> children{child("a", Restart::temporary)};
  const std::vector<ExitReason> reasons{normal, shutdown, abnormal};
  for (const Restart restart : {Restart::temporary, Restart::transient, Restart::permanent}) {
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      children.push_back(child("b" + std::to_string(children.size()), restart));
    }
  }
  children.push_back(child("z", Restart::temporary));
  const auto family = start(two_in_an_hour(), children);
  family->conduct["z"].stop_takes = 500ms;
  family->done();
  stop(*family);
  world.advance(200ms);
  for (std::size_t i = 1; i + 1 < children.size(); ++i) {
    family->end(children[i].id, reasons[i % reasons.size()]);
  }
  world.advance(300ms);
  EXPECT_EQ(family->done(), "stop z, stop a, end");
}

TEST_F(OtpSupervisorTest, SupStopNonShutdownExitDynamic) {
  for (const Restart restart : {Restart::temporary, Restart::transient, Restart::permanent}) {
    const auto family =
        start(two_in_an_hour(Strategy::simple_one_for_one), {child("child", restart)});
    for (const ExitReason& reason : {normal, shutdown, abnormal}) {
      family->conduct[family->start_instance().id].stop_reason = reason;
    }
    stop(*family);
    EXPECT_EQ(family->terminated.value().cause, EndCause::stopped);
  }
}

// Beyond OTP, which waits for the start: it may take long.
TEST_F(OtpSupervisorTest, AStopDoesNotWaitForAStart) {
  const auto family = make(two_in_an_hour(), {child("a"), child("b"), child("c")});
  family->conduct["b"].start = Conduct::hangs;
  family->begin();
  world.settle();
  EXPECT_EQ(family->done(), "start a, start b");
  stop(*family);
  EXPECT_EQ(family->done(), "stop b, stop a, end");
}

} // namespace
} // namespace callboard
