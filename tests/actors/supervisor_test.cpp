// SPDX-License-Identifier: Apache-2.0
// What goes beyond OTP; what OTP does is in conformance/otp_supervisor_….
#include "conformance/supervisor_family.hpp"

#include <gmock/gmock.h>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using supervision::EndCause;

const ExitReason normal{.kind = ExitKind::normal};
const ExitReason failure{.text = "failure"};

class SupervisorTest : public ::testing::Test {
protected:
  std::shared_ptr<Family> start(SupervisorSpec spec, std::vector<ChildSpec> children) {
    auto family = std::make_shared<Family>(world, std::move(spec), std::move(children));
    family->begin();
    world.settle();
    family->done();
    return family;
  }

  /// 1 s, 2 s, 4 s, 4 s …; healthy after 10 s. As many restarts as there may be.
  static SupervisorSpec with_backoff(Strategy strategy = Strategy::one_for_one) {
    return {
        .strategy = strategy,
        .intensity = 100,
        .backoff = Backoff{.initial = 1s, .maximum = 4s, .jitter = 0, .healthy = 10s},
    };
  }

  /// How long the child stays down after it has failed.
  Duration downtime(Family& family) {
    const TimePoint begin = world.now();
    family.end("a", failure);
    while (family.incarnation("a") == 0) {
      world.advance(100ms);
    }
    return world.now() - begin;
  }

  World world;
};

// --- back-off
// -------------------------------------------------------------------------------------

TEST_F(SupervisorTest, BackoffGrowsWhileTheChildKeepsFailing) {
  const auto family = start(with_backoff(), {{.id = "a"}});
  std::vector<Duration> downtimes;
  for (int i = 0; i < 4; ++i) {
    downtimes.push_back(downtime(*family));
  }
  EXPECT_EQ(downtimes, (std::vector<Duration>{1s, 2s, 4s, 4s}));
}

TEST_F(SupervisorTest, BackoffBeginsAnewAfterHealthyTime) {
  const auto family = start(with_backoff(), {{.id = "a"}});
  downtime(*family);
  EXPECT_EQ(downtime(*family), 2s);
  world.advance(10s - 1ns);
  EXPECT_EQ(downtime(*family), 4s) << "not healthy yet";
  world.advance(10s);
  EXPECT_EQ(downtime(*family), 1s);
}

TEST_F(SupervisorTest, BackoffWaitsAfterFailedStartsToo) {
  const auto family = start(with_backoff(), {{.id = "a"}});
  family->conduct["a"].start = Conduct::failed;
  family->end("a", failure);
  world.advance(1s);
  world.advance(2s - 1ns);
  EXPECT_EQ(family->done(), "start a");
  EXPECT_EQ(family->children(), "a~");
  world.advance(1ns);
  EXPECT_EQ(family->done(), "start a");
}

TEST_F(SupervisorTest, SiblingsOfAGroupAreDownWhileItWaits) {
  const auto family = start(with_backoff(Strategy::one_for_all), {{.id = "a"}, {.id = "b"}});
  family->end("a", failure);
  EXPECT_EQ(family->done(), "stop b");
  EXPECT_EQ(family->children(), "a~ b-");
  world.advance(1s);
  EXPECT_EQ(family->done(), "start a, start b");
}

TEST_F(SupervisorTest, OnlyWhatComesAfterItIsDownWhileItWaitsWithRestForOne) {
  const auto family =
      start(with_backoff(Strategy::rest_for_one), {{.id = "a"}, {.id = "b"}, {.id = "c"}});
  family->end("b", failure);
  EXPECT_EQ(family->children(), "a b~ c-");
  world.advance(1s);
  EXPECT_EQ(family->done(), "stop c, start b, start c");
}

TEST_F(SupervisorTest, AStopEndsAWait) {
  const auto family = start(with_backoff(), {{.id = "a"}, {.id = "b"}});
  family->end("a", failure);
  family->tell(supervision::Stop{});
  world.settle();
  EXPECT_EQ(family->done(), "stop b, end");
  EXPECT_EQ(family->supervisor().deadline(), TimePoint::max());
}

TEST_F(SupervisorTest, OthersAreSeenToDuringAWait) {
  const auto family = start(with_backoff(), {{.id = "a"}, {.id = "b"}});
  family->end("a", failure);
  world.advance(500ms);
  family->end("b", failure);
  world.advance(500ms);
  EXPECT_EQ(family->done(), "start a");
  world.advance(500ms);
  EXPECT_EQ(family->done(), "start b");
}

TEST_F(SupervisorTest, ATerminatedChildIsNotRestartedAfterItsWait) {
  const auto family = start(with_backoff(), {{.id = "a"}});
  family->end("a", failure);
  EXPECT_EQ(family->terminate_child("a"), supervision::Outcome::ok);
  world.advance(1h);
  EXPECT_EQ(family->done(), "");
}

TEST_F(SupervisorTest, AWaitSurvivesAChange) {
  const auto family = start(with_backoff(), {{.id = "a"}, {.id = "b"}});
  family->end("b", failure);
  EXPECT_TRUE(family->change(with_backoff(), {{.id = "c"}, {.id = "b"}}).ok());
  world.advance(1s);
  EXPECT_EQ(family->done(), "start b");
}

// --- limits
// ---------------------------------------------------------------------------------------

TEST_F(SupervisorTest, GivesUpAfterTooManyFailedStartsHoweverSlow) {
  const auto family = start({.intensity = 1, .period = 5s, .max_failed_starts = 3}, {{.id = "a"}});
  family->conduct["a"] = {.start = Conduct::failed, .start_takes = 1min};
  family->end("a", failure);
  world.advance(10min);
  EXPECT_EQ(family->done(), "start a, start a, start a, start a, end");
  EXPECT_EQ(family->terminated.value().cause, EndCause::failed_starts);
  EXPECT_EQ(
      to_string(*family->terminated),
      "a gave up: too many failed starts in a row; the last: abnormal: cannot start");
}

TEST_F(SupervisorTest, AStartThatSucceedsEndsTheRowOfFailedOnes) {
  const auto family = start({.intensity = 100, .max_failed_starts = 1}, {{.id = "a"}});
  for (int i = 0; i < 5; ++i) {
    family->conduct["a"] = {.start = Conduct::failed, .start_takes = 1s};
    family->end("a", failure);
    family->conduct["a"] = {};
    world.advance(1s);
    EXPECT_EQ(family->children(), "a");
  }
}

TEST_F(SupervisorTest, ChildrenWithLimitsOfTheirOwnDontUseUpTheCommonOne) {
  const RestartLimit five{.intensity = 5, .period = 60s};
  const auto family =
      start({}, {{.id = "a", .limit = five}, {.id = "b", .limit = five}, {.id = "c"}});
  for (int i = 0; i < 5; ++i) {
    family->end("a", failure);
    family->end("b", failure);
  }
  family->end("c", failure);
  EXPECT_FALSE(family->terminated);
  world.advance(60s);
  family->end("b", failure);
  EXPECT_EQ(family->terminated.value().child, "b");
  EXPECT_EQ(family->terminated->limit.intensity, 5);
  EXPECT_EQ(family->terminated->restarts.size(), 6U);
}

TEST_F(SupervisorTest, EndsThatAreNotTheChildsFaultDontCount) {
  const auto family = start({.intensity = 1}, {{.id = "a"}});
  for (int i = 0; i < 100; ++i) {
    family->end("a", {.text = "its host is lost", .counted = false});
  }
  family->end("a", failure);
  EXPECT_EQ(family->children(), "a");
  family->end("a", failure);
  EXPECT_TRUE(family->terminated);
}

TEST_F(SupervisorTest, AChildThatIsGivenUpLeavesItsSiblingsAlone) {
  const auto family =
      start({.intensity = 1}, {{.id = "a", .exhausted = Exhausted::give_up_child}, {.id = "b"}});
  family->end("a", failure);
  family->end("a", failure);
  EXPECT_THAT(family->given_up, ::testing::ElementsAre("a"));
  EXPECT_EQ(family->children(), "a- b");
  EXPECT_EQ(family->restart_child("a").outcome, supervision::Outcome::ok);
}

// --- restarts side by side
// ------------------------------------------------------------------------

TEST_F(SupervisorTest, RestartsSideBySideDontWaitForEachOther) {
  const auto family =
      start({.intensity = 9, .restarts = Restarts::side_by_side}, {{.id = "a"}, {.id = "b"}});
  family->conduct["a"].start = Conduct::hangs;
  family->end("a", failure);
  family->end("b", failure);
  EXPECT_EQ(family->done(), "start a, start b");
  EXPECT_EQ(family->supervisor().child("b")->state, ChildState::running);
  family->tell(supervision::Stop{});
  world.settle();
  EXPECT_EQ(family->done(), "stop b, stop a, end");
}

TEST_F(SupervisorTest, RestartsOneAtATimeWaitForEachOther) {
  const auto family = start({.intensity = 9}, {{.id = "a"}, {.id = "b"}});
  family->conduct["a"].start_takes = 1s;
  family->end("a", failure);
  family->end("b", failure);
  EXPECT_EQ(family->done(), "start a");
  world.advance(1s);
  EXPECT_EQ(family->done(), "start b");
}

TEST_F(SupervisorTest, FailedRestartsSideBySideAreRetriedAndCounted) {
  const auto family =
      start({.intensity = 3, .restarts = Restarts::side_by_side}, {{.id = "a"}, {.id = "b"}});
  family->conduct["a"].start = Conduct::failed;
  family->end("a", failure);
  EXPECT_EQ(family->done(), "start a, start a, start a, stop b, end");
}

TEST_F(SupervisorTest, AChildThatRestartsBesideOthersCanBeTerminated) {
  const auto family = start({.restarts = Restarts::side_by_side}, {{.id = "a"}});
  family->conduct["a"].start = Conduct::hangs;
  family->end("a", failure);
  EXPECT_EQ(family->restart_child("a").outcome, supervision::Outcome::running);
  EXPECT_EQ(family->terminate_child("a"), supervision::Outcome::ok);
  EXPECT_EQ(family->done(), "start a, stop a");
  EXPECT_EQ(family->children(), "a-");
}

// --- events
// ---------------------------------------------------------------------------------------

TEST_F(SupervisorTest, EventsOfIncarnationsThatHaveEndedAreIgnored) {
  const auto family = start({.intensity = 9}, {{.id = "a"}});
  const Incarnation first = family->incarnation("a");
  family->end("a", failure);
  const Incarnation second = family->incarnation("a");
  family->done();
  family->tell(supervision::Exited{"a", first, failure});
  family->tell(supervision::StartFailed{"a", first, failure});
  family->tell(supervision::Ignored{"a", first});
  family->tell(supervision::Started{"a", first});
  family->tell(supervision::Exited{"a", second + 1, failure});
  family->tell(supervision::Exited{"nobody", second, failure});
  world.settle();
  EXPECT_EQ(family->done(), "");
  EXPECT_EQ(family->incarnation("a"), second);
}

TEST_F(SupervisorTest, AnEndDuringTheStartIsAFailedStart) {
  const auto family = start({}, {});
  family->conduct["a"].start = Conduct::hangs;
  family->tell(supervision::StartChild{.child = {.id = "a"}, .request = 7});
  family->end("a", normal);
  EXPECT_EQ(family->replies.at(7).outcome, supervision::Outcome::start_failed);
  EXPECT_EQ(family->children(), "");
}

TEST_F(SupervisorTest, RequestsThatCantBeCarriedOutAnyMoreAreAnswered) {
  const auto family = start({}, {});
  family->conduct["a"].start = Conduct::hangs;
  family->tell(supervision::StartChild{.child = {.id = "a"}, .request = 7});
  family->tell(supervision::RestartChild{.id = "b", .request = 8});
  EXPECT_TRUE(family->replies.empty());
  family->tell(supervision::Stop{});
  world.settle();
  family->tell(supervision::DeleteChild{.id = "b", .request = 9});
  for (const RequestId request : {7, 8, 9}) {
    EXPECT_EQ(family->replies.at(request).outcome, supervision::Outcome::terminated);
  }
  EXPECT_EQ(family->done(), "start a, stop a, end");
}

TEST_F(SupervisorTest, NothingHappensTwice) {
  const auto family = start({}, {{.id = "a"}});
  family->begin();
  family->tell(supervision::Tick{});
  EXPECT_EQ(family->done(), "");
  family->tell(supervision::Stop{});
  family->tell(supervision::Stop{});
  world.settle();
  family->tell(supervision::Stop{});
  family->begin();
  EXPECT_EQ(family->done(), "stop a, end");
}

TEST_F(SupervisorTest, AStopBeforeTheBeginningIsTheEnd) {
  auto family =
      std::make_shared<Family>(world, SupervisorSpec(), std::vector<ChildSpec>{{.id = "a"}});
  family->tell(supervision::Stop{});
  family->begin();
  EXPECT_EQ(family->done(), "end");
}

TEST_F(SupervisorTest, CopiesAreIndependent) {
  Supervisor one({}, {{.id = "a"}});
  const TimePoint now{1h};
  one.handle(supervision::Begin{}, now);
  Supervisor other = one;
  one.handle(supervision::Started{"a", 1}, now);
  EXPECT_EQ(one.child("a")->state, ChildState::running);
  EXPECT_EQ(other.child("a")->state, ChildState::starting);
  EXPECT_EQ(other.handle(supervision::Started{"a", 1}, now).size(), 1U) << "Ready";
}

TEST_F(SupervisorTest, TimeNeverGoesBack) {
  Supervisor supervisor({.intensity = 1, .period = 5s}, {{.id = "a"}});
  supervisor.handle(supervision::Begin{}, TimePoint(1h));
  supervisor.handle(supervision::Started{"a", 1}, TimePoint(1h));
  supervisor.handle(supervision::Exited{"a", 1, failure}, TimePoint(1h));
  supervisor.handle(supervision::Started{"a", 2}, TimePoint(1min));
  supervisor.handle(supervision::Exited{"a", 2, failure}, TimePoint(1min));
  EXPECT_TRUE(supervisor.ended());
}

} // namespace
} // namespace callboard
