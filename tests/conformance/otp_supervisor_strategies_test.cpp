// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: the groups restart_…, multiple_restarts and order_of_children.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

TEST_F(OtpSupervisorTest, MultipleRestarts) {
  ChildSpec brutal = child("child1");
  brutal.shutdown = brutal_kill;
  const auto family = start_empty({.intensity = 1, .period = 1s}, {brutal});
  for (int i = 0; i < 4; ++i) {
    family->end("child1", abnormal);
    EXPECT_EQ(family->done(), "start child1");
    world.advance(2100ms);
  }
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_EQ(family->delete_child("child1"), Outcome::ok);
}

TEST_F(OtpSupervisorTest, OneForOne) {
  const auto family = start_empty(two_in_an_hour(), {child("child1"), child("child2")});
  family->end("child1", abnormal);
  EXPECT_EQ(family->done(), "start child1");
  EXPECT_EQ(family->counts(), (Counts{2, 2, 0, 2}));
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "start child2");
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "stop child1, end");
  EXPECT_EQ(family->terminated.value().cause, EndCause::intensity_reached);
}

TEST_F(OtpSupervisorTest, OneForOneEscalation) {
  const auto family =
      start_empty({.intensity = 4, .period = 1h}, {child("child1"), child("child2")});
  family->conduct["child1"].start = Conduct::failed;
  family->end("child1", abnormal);
  EXPECT_EQ(
      family->done(), "start child1, start child1, start child1, start child1, stop child2, end");
  EXPECT_EQ(family->terminated.value().cause, EndCause::intensity_reached);
}

TEST_F(OtpSupervisorTest, OneForAll) {
  const auto family =
      start_empty(two_in_an_hour(Strategy::one_for_all), {child("child1"), child("child2")});
  family->end("child1", abnormal);
  EXPECT_EQ(family->done(), "stop child2, start child1, start child2");
  EXPECT_EQ(family->counts(), (Counts{2, 2, 0, 2}));
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "stop child1, start child1, start child2");
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "stop child1, end");
}

TEST_F(OtpSupervisorTest, OneForAllEscalation) {
  const auto family = start_empty(
      {.strategy = Strategy::one_for_all, .intensity = 4, .period = 1h},
      {child("child1"), child("child2")});
  family->conduct["child2"].start = Conduct::failed;
  family->end("child1", abnormal);
  EXPECT_EQ(
      family->done(),
      "stop child2, start child1, start child2, "
      "stop child1, start child1, start child2, "
      "stop child1, start child1, start child2, "
      "stop child1, start child1, start child2, "
      "stop child1, end");
}

TEST_F(OtpSupervisorTest, OneForAllOtherChildFailsRestart) {
  const auto family = start(
      {.strategy = Strategy::one_for_all, .intensity = 3, .period = 1h},
      {child("child1"), child("child2")});
  family->done();
  family->conduct["child2"] = {.start = Conduct::failed, .start_takes = 1s};
  family->end("child1", abnormal);
  EXPECT_EQ(family->done(), "stop child2, start child1, start child2");
  family->conduct["child2"] = {};
  world.advance(1s);
  EXPECT_EQ(family->done(), "stop child1, start child1, start child2");
}

TEST_F(OtpSupervisorTest, RestForOne) {
  const auto family = start_empty(
      two_in_an_hour(Strategy::rest_for_one), {child("child1"), child("child2"), child("child3")});
  const Incarnation first = family->incarnation("child1");
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "stop child3, start child2, start child3");
  EXPECT_EQ(family->incarnation("child1"), first);
  EXPECT_EQ(family->counts(), (Counts{3, 3, 0, 3}));
  family->end("child3", abnormal);
  EXPECT_EQ(family->done(), "start child3");
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "stop child3, stop child1, end");
}

TEST_F(OtpSupervisorTest, RestForOneEscalation) {
  const auto family = start_empty(
      {.strategy = Strategy::rest_for_one, .intensity = 4, .period = 1h},
      {child("child1"), child("child2")});
  family->conduct["child2"].start = Conduct::failed;
  family->end("child1", abnormal);
  EXPECT_EQ(
      family->done(),
      "stop child2, start child1, start child2, start child2, start child2, start child2, "
      "stop child1, end");
}

TEST_F(OtpSupervisorTest, RestForOneOtherChildFailsRestart) {
  const auto family = start(
      {.strategy = Strategy::rest_for_one, .intensity = 3, .period = 1h},
      {child("child1"), child("child2")});
  family->done();
  family->conduct["child2"] = {.start = Conduct::failed, .start_takes = 1s};
  family->end("child1", abnormal);
  family->conduct["child2"] = {};
  world.advance(1s);
  EXPECT_EQ(family->done(), "stop child2, start child1, start child2, start child2");
}

TEST_F(OtpSupervisorTest, SimpleOneForOne) {
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {child("child")});
  family->start_instance();
  family->start_instance();
  family->done();
  family->end("child/0", abnormal);
  EXPECT_EQ(family->done(), "start child/0");
  EXPECT_EQ(family->counts(), (Counts{1, 2, 0, 2}));
  family->end("child/1", abnormal);
  EXPECT_EQ(family->done(), "start child/1");
  family->end("child/1", abnormal);
  EXPECT_EQ(family->done(), "stop child/0, end");
}

TEST_F(OtpSupervisorTest, SimpleOneForOneEscalation) {
  const auto family = start(
      {.strategy = Strategy::simple_one_for_one, .intensity = 4, .period = 1h}, {child("child")});
  family->start_instance();
  family->start_instance();
  family->done();
  family->conduct["child/0"].start = Conduct::failed;
  family->end("child/0", abnormal);
  EXPECT_EQ(
      family->done(),
      "start child/0, start child/0, start child/0, start child/0, stop child/1, end");
}

TEST_F(OtpSupervisorTest, SimpleOneForOneShutdown) {
  ChildSpec patient = child("child");
  patient.shutdown = 2s;
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {patient});
  for (const auto takes : {1s, 1s, 5s}) {
    family->conduct[family->start_instance().id].stop_takes = takes;
  }
  family->done();
  stop(*family);
  EXPECT_EQ(family->done(), "stop child/2, stop child/1, stop child/0");
  world.advance(2s - 1ns);
  EXPECT_EQ(family->done(), "");
  world.advance(1ns);
  EXPECT_EQ(family->done(), "kill child/2, end");
}

TEST_F(OtpSupervisorTest, SimpleOneForOneRestartIgnore) {
  for (const Restart restart : {Restart::transient, Restart::permanent}) {
    const auto family = start(
        {.strategy = Strategy::simple_one_for_one, .intensity = 10, .period = 1h},
        {child("child", restart)});
    family->start_instance();
    family->end("child/0", abnormal);
    EXPECT_EQ(family->children(), "child/0");
    family->conduct["child/0"].start = Conduct::ignored;
    family->end("child/0", abnormal);
    EXPECT_EQ(family->children(), "");
  }
}

TEST_F(OtpSupervisorTest, SimpleOneForOneCorruption) {
  const auto family =
      start(two_in_an_hour(Strategy::simple_one_for_one), {child("child", Restart::temporary)});
  family->start_instance();
  family->end("child/0", abnormal);
  const auto big = std::make_shared<std::string>(50'000, '\0');
  family->start_instance(big);
  family->arguments.clear();
  EXPECT_EQ(big.use_count(), 1) << "start arguments of a temporary child are kept";
}

TEST_F(OtpSupervisorTest, OrderOfChildren) {
  const auto family = make(
      two_in_an_hour(Strategy::rest_for_one),
      {child("ch7"), child("ch3"), child("ch10"), child("ch2"), child("ch5")});
  family->begin();
  world.settle();
  EXPECT_EQ(family->done(), "start ch7, start ch3, start ch10, start ch2, start ch5, ready");
  family->end("ch10", abnormal);
  EXPECT_EQ(family->done(), "stop ch5, stop ch2, start ch10, start ch2, start ch5");
  stop(*family);
  EXPECT_EQ(family->done(), "stop ch5, stop ch2, stop ch10, stop ch3, stop ch7, end");
}

// What OTP's code does and its manual doesn't mention: a group is started as a whole, those of it
// that had ended for good included.
TEST_F(OtpSupervisorTest, ARestartOfAllStartsThoseThatHadEndedToo) {
  const auto family = start_empty(
      two_in_an_hour(Strategy::one_for_all),
      {child("child1", Restart::transient), child("child2"), child("child3")});
  family->end("child1", normal);
  family->terminate_child("child3");
  EXPECT_EQ(family->children(), "child1- child2 child3-");
  family->done();
  family->end("child2", abnormal);
  EXPECT_EQ(family->done(), "start child1, start child2, start child3");
}

/// Two restarts are allowed within 5 s; the third comes when the first is `age` old.
class OtpSupervisorIntensityTest : public OtpSupervisorTest {
protected:
  bool survives_third_restart(Duration age) {
    const auto family = start_empty({.intensity = 2, .period = 5s}, {child("a")});
    family->end("a", abnormal);
    world.advance(2s);
    family->end("a", abnormal);
    world.advance(age - 2s);
    family->end("a", abnormal);
    return !family->terminated;
  }
};

TEST_F(OtpSupervisorIntensityTest, ARestartCountsUntilItIsOlderThanThePeriod) {
  EXPECT_FALSE(survives_third_restart(5s - 1ns));
  EXPECT_FALSE(survives_third_restart(5s));
  EXPECT_TRUE(survives_third_restart(5s + 1ns));
}

TEST_F(OtpSupervisorIntensityTest, NoneIsAllowedWithIntensityZero) {
  const auto family = start_empty({.intensity = 0}, {child("a"), child("b")});
  family->end("a", abnormal);
  EXPECT_EQ(family->done(), "stop b, end");
}

TEST_F(OtpSupervisorIntensityTest, TheReportNamesTheFirstCause) {
  const auto family = start_empty(two_in_an_hour(), {child("a")});
  family->end("a", {.text = "signal 9 (killed)"});
  family->end("a", abnormal);
  family->end("a", abnormal);
  EXPECT_EQ(
      to_string(family->terminated.value()),
      "a gave up: 3 restarts within 3600 s (intensity 2); "
      "first cause: abnormal: signal 9 (killed)");
}

} // namespace
} // namespace callboard
