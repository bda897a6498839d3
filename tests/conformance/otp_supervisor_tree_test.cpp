// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: supervisors of supervisors, restarts that hang, many children, changes.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

ChildSpec supervisor_child(std::string id) {
  return {.id = std::move(id), .kind = ChildKind::supervisor};
}

TEST_F(OtpSupervisorTest, Tree) {
  const SupervisorSpec four{.intensity = 4, .period = 1h};
  const auto top = make({.strategy = Strategy::one_for_all, .intensity = 4, .period = 1h});
  top->begin();
  top->conduct["sup1"].make_family = [&] { return make(four, {child("child1"), child("child2")}); };
  top->conduct["sup2"].make_family = [&] { return make(four); };
  EXPECT_EQ(top->start_child(supervisor_child("sup1")).outcome, Outcome::ok);
  EXPECT_EQ(top->start_child(supervisor_child("sup2")).outcome, Outcome::ok);
  EXPECT_EQ(top->counts(), (Counts{2, 2, 2, 0}));
  EXPECT_EQ(top->family("sup1").counts(), (Counts{2, 2, 0, 2}));
  EXPECT_EQ(top->family("sup2").counts(), (Counts{0, 0, 0, 0}));

  top->family("sup2").start_child(child("child3"));
  top->family("sup2").start_child(child("child4"));
  top->family("sup2").end("child4", abnormal);
  EXPECT_EQ(top->family("sup2").children(), "child3 child4");
  top->done();

  // child3 can't be restarted, so sup2 gives up and all supervisors are restarted, but not those
  // children that were added to sup2.
  top->family("sup1").done();
  top->family("sup2").conduct["child3"].start = Conduct::failed;
  top->family("sup2").end("child3", abnormal);
  EXPECT_EQ(top->done(), "stop sup1, start sup1, start sup2");
  EXPECT_EQ(top->family("sup1").children(), "child1 child2");
  EXPECT_EQ(top->family("sup2").children(), "");
  EXPECT_EQ(top->counts(), (Counts{2, 2, 2, 0}));
}

TEST_F(OtpSupervisorTest, AStopGoesDownTheTreeAndComesBackInOrder) {
  const auto top = make(two_in_an_hour(), {child("a"), supervisor_child("b"), child("c")});
  std::shared_ptr<Family> middle;
  top->conduct["b"].make_family = [&] {
    return middle = make(two_in_an_hour(), {child("b1"), child("b2")});
  };
  top->begin();
  world.settle();
  top->done();
  middle->done();
  middle->conduct["b2"].deaf = true; // killed after 1 s; its supervisor has all the time it needs
  stop(*top);
  EXPECT_EQ(top->done(), "stop c, stop b");
  EXPECT_EQ(middle->done(), "stop b2");
  world.advance(1s);
  EXPECT_EQ(middle->done(), "kill b2, stop b1, end");
  EXPECT_EQ(top->done(), "stop a, end");
}

TEST_F(OtpSupervisorTest, FailuresClimbTheTreeUntilSomebodyHasRestartsLeft) {
  const auto top = make({.intensity = 1, .period = 1h}, {supervisor_child("b")});
  top->conduct["b"].make_family = [&] {
    return make({.intensity = 1, .period = 1h}, {child("c")});
  };
  top->begin();
  world.settle();
  top->done();
  for (const char* done : {"", "start b", "", "end"}) {
    top->family("b").end("c", abnormal);
    EXPECT_EQ(top->done(), done);
  }
  EXPECT_THAT(
      to_string(top->terminated.value()),
      ::testing::HasSubstr("first cause: shutdown: c gave up: 2 restarts within 3600 s"));
}

/// top, one_for_all, above middle, one_for_all, above child.
class OtpGlobalSupervisorTest : public OtpSupervisorTest {
protected:
  void SetUp() override {
    const SupervisorSpec three{.strategy = Strategy::one_for_all, .intensity = 3, .period = 60s};
    top = make(three, {{.id = "middle", .shutdown = 2s, .kind = ChildKind::supervisor}});
    top->conduct["middle"].make_family = [this, three] { return make(three, {child("child")}); };
    top->begin();
    world.settle();
    top->done();
  }

  void expect_all_up() { EXPECT_EQ(top->family("middle").children(), "child"); }

  std::shared_ptr<Family> top;
};

TEST_F(OtpGlobalSupervisorTest, SimpleGlobalSupervisorKillSupervisor) {
  top->crash("middle");
  EXPECT_EQ(top->done(), "start middle");
  expect_all_up();
}

TEST_F(OtpGlobalSupervisorTest, SimpleGlobalSupervisorKillWorker) {
  top->family("middle").end("child", abnormal);
  expect_all_up();
}

TEST_F(OtpGlobalSupervisorTest, SimpleGlobalSupervisorExitWorker) {
  top->family("middle").end("child", normal);
  expect_all_up();
}

TEST_F(OtpGlobalSupervisorTest, SimpleGlobalSupervisorRestartWorker) {
  EXPECT_EQ(top->family("middle").terminate_child("child"), Outcome::ok);
  EXPECT_EQ(top->family("middle").restart_child("child").outcome, Outcome::ok);
  expect_all_up();
}

// --- restarts that hang: each attempt takes 2 s and fails
// -----------------------------------------

TEST_F(OtpSupervisorTest, HangingRestartLoop) {
  const auto family = start_empty({.intensity = 8, .period = 10s}, {child("child1")});
  family->conduct["child1"] = {Conduct::failed, 2s};
  family->end("child1", abnormal);
  for (int i = 0; i < 100; ++i) { // never more than 6 within the period
    world.advance(2s);
    ASSERT_FALSE(family->terminated);
  }

  // Requests are seen to between two attempts.
  std::vector<RequestId> requests;
  const auto send = [&](auto request) {
    request.request = ++family->last_request;
    requests.push_back(request.request);
    family->tell(request);
  };
  send(supervision::StartChild{.child = child("child1")});
  send(supervision::RestartChild{.id = "child1"});
  send(supervision::DeleteChild{.id = "child1"});
  send(supervision::TerminateChild{.id = "child1"});
  world.advance(2s);
  std::vector<Outcome> outcomes;
  for (const RequestId request : requests) {
    outcomes.push_back(family->replies.at(request).outcome);
  }
  EXPECT_EQ(
      outcomes,
      (std::vector{
          Outcome::already_present, Outcome::restarting, Outcome::restarting, Outcome::ok}));
  EXPECT_EQ(family->children(), "child1-");

  family->conduct["child1"] = {};
  EXPECT_EQ(family->restart_child("child1").outcome, Outcome::ok);
  family->conduct["child1"] = {Conduct::failed, 2s};
  family->end("child1", abnormal);
  world.advance(3s);
  stop(*family);
  EXPECT_EQ(family->terminated.value().cause, EndCause::stopped);
}

TEST_F(OtpSupervisorTest, HangingRestartLoopRestForOne) {
  const auto family = start_empty(
      {.strategy = Strategy::rest_for_one, .intensity = 8, .period = 10s},
      {child("child1"), child("child2"), child("child3")});
  const Incarnation first = family->incarnation("child1");
  family->conduct["child2"] = {Conduct::failed, 2s};
  family->end("child2", abnormal);
  family->tell(supervision::RestartChild{"child2", 100});
  family->tell(supervision::TerminateChild{"child2", 101});
  world.advance(2s);
  EXPECT_EQ(family->replies.at(100).outcome, Outcome::restarting);
  EXPECT_EQ(family->replies.at(101).outcome, Outcome::ok);
  EXPECT_EQ(family->children(), "child1 child2- child3-");
  EXPECT_EQ(family->counts(), (Counts{3, 1, 0, 3}));
  EXPECT_EQ(family->incarnation("child1"), first);
}

TEST_F(OtpSupervisorTest, HangingRestartLoopSimple) {
  const auto family = start(
      {.strategy = Strategy::simple_one_for_one, .intensity = 8, .period = 10s}, {child("child")});
  family->start_instance();
  family->conduct["child/0"] = {Conduct::failed, 2s};
  family->end("child/0", abnormal);
  family->tell(supervision::RestartChild{"child/0", 100});
  family->tell(supervision::DeleteChild{"child/0", 101});
  family->tell(supervision::TerminateChild{"child/0", 102});
  EXPECT_EQ(family->counts(), (Counts{1, 0, 0, 1}));
  world.advance(2s);
  EXPECT_EQ(family->replies.at(100).outcome, Outcome::simple_one_for_one);
  EXPECT_EQ(family->replies.at(101).outcome, Outcome::simple_one_for_one);
  EXPECT_EQ(family->replies.at(102).outcome, Outcome::ok);
  EXPECT_EQ(family->children(), "");
}

// --- many children
// --------------------------------------------------------------------------------

/// How long it takes to add and terminate so many children, in a run.
template <class Start>
std::chrono::duration<double> seconds_for(Family& family, int count, Start start_one) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) {
    ids.push_back(start_one(i));
  }
  for (const std::string& id : ids) {
    EXPECT_EQ(family.terminate_child(id), supervision::Outcome::ok);
  }
  family.done();
  return std::chrono::steady_clock::now() - begin;
}

// A square law would take minutes.
TEST_F(OtpSupervisorTest, SimpleOneForOneScaleManyTemporaryChildren) {
  const auto family =
      start(two_in_an_hour(Strategy::simple_one_for_one), {child("child", Restart::temporary)});
  const auto start_one = [&](int) { return family->start_instance().id; };
  EXPECT_LT(seconds_for(*family, 10'000, start_one), 30s);
}

TEST_F(OtpSupervisorTest, ScaleStartStopManyChildren) {
  const auto family = start(two_in_an_hour());
  const auto start_one = [&](int i) { return family->start_child(child(std::to_string(i))).id; };
  EXPECT_LT(seconds_for(*family, 10'000, start_one), 30s);
}

TEST_F(OtpSupervisorTest, DoNotSaveStartParametersForTemporaryChildren) {
  const auto arguments = std::make_shared<int>(1);
  std::map<Restart, long> kept;
  for (const Restart restart : {Restart::permanent, Restart::transient, Restart::temporary}) {
    ChildSpec spec = child("child", restart);
    spec.arguments = arguments;
    const auto family = start({}, {spec});
    EXPECT_EQ(std::any_cast<std::shared_ptr<int>>(family->arguments.at("child")), arguments);
    family->arguments.clear();
    spec.arguments.reset();
    kept[restart] = arguments.use_count() - 1;
  }
  EXPECT_EQ(
      kept,
      (std::map<Restart, long>{
          {Restart::permanent, 1}, {Restart::transient, 1}, {Restart::temporary, 0}}));
}

TEST_F(OtpSupervisorTest, ArgumentsOfAnInstanceAreThoseOfItsRestartsToo) {
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {child("child")});
  family->start_instance(7);
  family->arguments.clear();
  family->end("child/0", abnormal);
  EXPECT_EQ(std::any_cast<int>(family->arguments.at("child/0")), 7);
}

TEST_F(OtpSupervisorTest, DoNotSaveChildSpecsForTemporaryChildren) {
  for (const auto strategy :
       {Strategy::one_for_one, Strategy::one_for_all, Strategy::rest_for_one}) {
    for (const bool by_request : {false, true}) {
      const auto family = start({.strategy = strategy, .intensity = 10});
      const auto again = [&](Restart restart, const ExitReason& reason) {
        family->start_child(child("child", restart));
        by_request ? void(family->terminate_child("child")) : family->end("child", reason);
        const Outcome outcome = family->start_child(child("child", restart)).outcome;
        family->terminate_child("child");
        family->delete_child("child");
        return outcome;
      };
      const Outcome kept = by_request ? Outcome::already_present : Outcome::already_started;
      EXPECT_EQ(again(Restart::permanent, normal), kept);
      EXPECT_EQ(again(Restart::transient, normal), Outcome::already_present);
      EXPECT_EQ(again(Restart::transient, abnormal), kept);
      EXPECT_EQ(again(Restart::temporary, normal), Outcome::ok);
      EXPECT_EQ(again(Restart::temporary, abnormal), Outcome::ok);
    }
  }
}

// --- changes
// --------------------------------------------------------------------------------------

TEST_F(OtpSupervisorTest, CodeChange) {
  const auto family = start({.intensity = 0});
  EXPECT_TRUE(family->change({.intensity = 1, .period = 3s}, {}).ok());
  EXPECT_EQ(family->supervisor().spec().period, 3s);

  EXPECT_FALSE(family->change({}, {{.id = ""}}).ok());
  EXPECT_EQ(family->supervisor().spec().period, 3s) << "nothing changes on an error";

  EXPECT_TRUE(family->change({}, {child("child1"), child("child2")}).ok());
  EXPECT_EQ(family->children(), "child1- child2-") << "children are not started";
  EXPECT_EQ(family->restart_child("child1").outcome, Outcome::ok);
  EXPECT_EQ(family->restart_child("child2").outcome, Outcome::ok);

  ChildSpec brief = child("child1");
  brief.shutdown = 1ms;
  EXPECT_TRUE(family->change({}, {brief, child("child3")}).ok());
  EXPECT_EQ(family->children(), "child1 child3- child2") << "children are not deleted";
  EXPECT_EQ(family->supervisor().child_spec("child1")->shutdown, 1ms);
  family->done();
  family->end("child1", abnormal);
  EXPECT_EQ(family->done(), "start child1");

  EXPECT_FALSE(family->change({.intensity = -1}, {}).ok());
  stop(*family);
  EXPECT_EQ(family->done(), "stop child2, stop child1, end");
}

TEST_F(OtpSupervisorTest, CodeChangeSimple) {
  const SupervisorSpec simple{.strategy = Strategy::simple_one_for_one};
  const auto family = start(simple, {child("child1")});
  family->start_instance();
  ChildSpec brief = child("child1");
  brief.shutdown = 1ms;
  EXPECT_TRUE(family->change(simple, {brief}).ok());
  EXPECT_EQ(family->supervisor().child_spec("child1/0")->shutdown, 1ms);
  EXPECT_FALSE(family->change(simple, {child("child1"), child("child2")}).ok());
  EXPECT_FALSE(family->change(simple, {}).ok());
  EXPECT_EQ(family->change({}, {}).error().code, Code::failed_precondition);
}

TEST_F(OtpSupervisorTest, NoChangeWhileAChildStarts) {
  const auto family = make({}, {child("a")});
  family->conduct["a"].start = Conduct::hangs;
  family->begin();
  EXPECT_EQ(family->change({}, {}).error().code, Code::failed_precondition);
}

} // namespace
} // namespace callboard
