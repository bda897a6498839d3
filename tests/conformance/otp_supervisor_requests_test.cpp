// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: requests at run time, and specifications that are wrong.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

TEST_F(OtpSupervisorTest, ChildAdm) {
  const auto family = start(two_in_an_hour(), {child("child1")});
  EXPECT_EQ(family->children(), "child1");
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
  const supervision::Reply present = family->start_child(child("child1"));
  EXPECT_EQ(present.outcome, Outcome::already_started);
  EXPECT_EQ(present.incarnation, family->incarnation("child1"));

  EXPECT_EQ(family->terminate_child("hej"), Outcome::not_found);
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_EQ(family->children(), "child1-");
  EXPECT_EQ(family->counts(), (Counts{1, 0, 0, 1}));
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_EQ(family->start_child(child("child1")).outcome, Outcome::already_present);

  const supervision::Reply restarted = family->restart_child("child1");
  EXPECT_EQ(restarted.incarnation, family->incarnation("child1"));
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
  EXPECT_EQ(family->restart_child("child1").outcome, Outcome::running);
  EXPECT_EQ(family->restart_child("child2").outcome, Outcome::not_found);

  EXPECT_EQ(family->delete_child("child1"), Outcome::running);
  EXPECT_EQ(family->delete_child("hej"), Outcome::not_found);
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_EQ(family->delete_child("child1"), Outcome::ok);
  EXPECT_EQ(family->restart_child("child1").outcome, Outcome::not_found);
  EXPECT_EQ(family->counts(), (Counts{0, 0, 0, 0}));

  EXPECT_EQ(family->start_child(child("child1")).outcome, Outcome::ok);
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
}

TEST_F(OtpSupervisorTest, ChildAdmSimple) {
  const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {child("child")});
  EXPECT_EQ(family->counts(), (Counts{1, 0, 0, 0}));
  EXPECT_EQ(family->start_instance().id, "child/0");
  EXPECT_EQ(family->start_instance().id, "child/1");
  EXPECT_EQ(family->children(), "child/0 child/1");
  EXPECT_EQ(family->counts(), (Counts{1, 2, 0, 2}));

  EXPECT_EQ(family->terminate_child("child"), Outcome::simple_one_for_one);
  EXPECT_EQ(family->terminate_child("child/0"), Outcome::ok);
  EXPECT_EQ(family->children(), "child/1");
  EXPECT_EQ(family->terminate_child("child/0"), Outcome::ok) << "it has ended already";
  for (const char* other : {"child/2", "child/", "child/x", "child/00", "other/0"}) {
    EXPECT_EQ(family->terminate_child(other), Outcome::not_found) << other;
  }
  EXPECT_EQ(family->restart_child("child").outcome, Outcome::simple_one_for_one);
  EXPECT_EQ(family->delete_child("child"), Outcome::simple_one_for_one);
  EXPECT_EQ(family->start_child(child("other")).outcome, Outcome::simple_one_for_one);
}

// Starts return nothing more than that they succeeded; a child can be stopped, restarted, deleted
// and added again, and is then restarted like others.
TEST_F(OtpSupervisorTest, ExtraReturn) {
  const auto family = start(two_in_an_hour(), {child("child1")});
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_EQ(family->restart_child("child1").outcome, Outcome::ok);
  EXPECT_EQ(family->terminate_child("child1"), Outcome::ok);
  EXPECT_EQ(family->delete_child("child1"), Outcome::ok);
  EXPECT_EQ(family->start_child(child("child1")).outcome, Outcome::ok);
  family->end("child1", abnormal);
  EXPECT_EQ(family->children(), "child1");
}

class OtpSupervisorSpecTest : public OtpSupervisorTest {
protected:
  static std::string fault(const SupervisorSpec& spec, const std::vector<ChildSpec>& children) {
    const Result<void> checked = check(spec, children);
    EXPECT_EQ(checked.ok() ? Code::invalid_argument : checked.error().code, Code::invalid_argument);
    EXPECT_EQ(checked.ok(), !throws(spec, children));
    return checked.ok() ? "" : checked.error().message;
  }

  static bool throws(const SupervisorSpec& spec, const std::vector<ChildSpec>& children) {
    try {
      const Supervisor supervisor(spec, children);
      return false;
    } catch (const CallError& error) {
      return error.code() == Code::invalid_argument;
    }
  }

  static std::string fault(const ChildSpec& child) { return fault(SupervisorSpec(), {child}); }
  static std::string fault(const SupervisorSpec& spec) { return fault(spec, {}); }
};

TEST_F(OtpSupervisorSpecTest, ChildSpecs) {
  const auto family = start(two_in_an_hour());
  const supervision::Reply reply = family->start_child({.id = "child", .shutdown = -10s});
  EXPECT_EQ(reply.outcome, Outcome::bad_spec);
  EXPECT_EQ(reply.text, "child \"child\": shutdown is -10 s, expected 0 or more, or brutal_kill");
  EXPECT_EQ(family->start_child({}).text, "a child has no id");

  EXPECT_EQ(
      fault(ChildSpec{.id = "child", .shutdown = -10s}),
      "child \"child\": shutdown is -10 s, expected 0 or more, or brutal_kill");
  EXPECT_EQ(
      fault({.id = "a", .limit = RestartLimit{-1, 1s}}),
      "child \"a\": intensity is -1, expected 0 or more");
  EXPECT_EQ(fault({.id = "a", .shutdown = 0s}), "");
  EXPECT_EQ(fault({.id = "a", .shutdown = forever, .kind = ChildKind::supervisor}), "");
  EXPECT_EQ(fault({.id = "a", .shutdown = 1s, .kind = ChildKind::supervisor}), "");
  EXPECT_EQ(fault({}, {child("a"), child("a")}), "two children have the id \"a\"; rename one");

  const SupervisorSpec simple{.strategy = Strategy::simple_one_for_one};
  EXPECT_EQ(fault(simple, {}), "simple_one_for_one has one child specification, but was given 0");
  EXPECT_NE(fault(simple, {child("a"), child("b")}), "");
}

TEST_F(OtpSupervisorSpecTest, SupFlags) {
  EXPECT_EQ(
      fault(SupervisorSpec{.intensity = -1}), "supervisor: intensity is -1, expected 0 or more");
  EXPECT_EQ(fault(SupervisorSpec{.period = 0s}), "supervisor: period is 0 s, expected more than 0");
  EXPECT_NE(fault(SupervisorSpec{.period = -1s}), "");
  EXPECT_EQ(fault(SupervisorSpec{.intensity = 1'000'000'000, .period = forever}), "");
}

TEST_F(OtpSupervisorSpecTest, OptionsBeyondOtpAreCheckedToo) {
  const auto backoff_fault = [](Backoff backoff) {
    return fault(SupervisorSpec{.backoff = backoff});
  };
  EXPECT_EQ(backoff_fault({}), "");
  EXPECT_NE(backoff_fault({.initial = -1s}), "");
  EXPECT_NE(backoff_fault({.initial = 2s, .maximum = 1s}), "");
  EXPECT_NE(backoff_fault({.factor = 0.5}), "");
  EXPECT_NE(backoff_fault({.factor = std::numeric_limits<double>::quiet_NaN()}), "");
  EXPECT_NE(backoff_fault({.jitter = 1}), "");
  EXPECT_NE(backoff_fault({.healthy = -1s}), "");
  EXPECT_NE(fault(SupervisorSpec{.max_failed_starts = -1}), "");
  for (const Strategy strategy : {Strategy::one_for_all, Strategy::rest_for_one}) {
    EXPECT_NE(fault({.strategy = strategy, .restarts = Restarts::side_by_side}), "");
    EXPECT_NE(
        fault({.strategy = strategy}, {{.id = "a", .exhausted = Exhausted::give_up_child}}), "");
  }
}

TEST_F(OtpSupervisorTest, WhichChildren) {
  const auto family = start({});
  EXPECT_FALSE(family->supervisor().child("childx"));
  family->start_child(child("child1"));
  family->start_child(child("child2"));
  EXPECT_EQ(family->children(), "child1 child2");
  EXPECT_EQ(family->supervisor().child("child1")->state, ChildState::running);
  EXPECT_EQ(family->supervisor().child("child1")->kind, ChildKind::worker);
  family->terminate_child("child1");
  EXPECT_EQ(family->supervisor().child("child1")->state, ChildState::idle);
  EXPECT_FALSE(family->supervisor().child("child1")->incarnation);
  family->delete_child("child1");
  EXPECT_FALSE(family->supervisor().child("child1"));
  EXPECT_EQ(family->children(), "child2");
}

TEST_F(OtpSupervisorTest, WhichChildrenSimpleOneForOne) {
  const auto family =
      start({.strategy = Strategy::simple_one_for_one}, {child("child", Restart::temporary)});
  family->start_instance();
  family->start_instance();
  EXPECT_EQ(family->children(), "child/0 child/1");
  EXPECT_TRUE(family->supervisor().child("child/0"));
  EXPECT_FALSE(family->supervisor().child("child"));
  family->terminate_child("child/0");
  EXPECT_FALSE(family->supervisor().child("child/0"));
  EXPECT_TRUE(family->supervisor().child("child/1"));
}

TEST_F(OtpSupervisorTest, CountChildren) {
  for (const ChildKind kind : {ChildKind::worker, ChildKind::supervisor}) {
    const bool workers = kind == ChildKind::worker;
    ChildSpec spec = child("child", Restart::temporary);
    spec.kind = kind;
    const auto family = start(two_in_an_hour(Strategy::simple_one_for_one), {spec});
    for (std::size_t i = 1; i <= 2000; ++i) {
      family->start_instance();
      ASSERT_EQ(family->counts(), (Counts{1, i, workers ? 0 : i, workers ? i : 0}));
    }
    for (int i = 0; i < 2000; ++i) {
      family->end("child/" + std::to_string(i), abnormal);
    }
    EXPECT_EQ(family->counts(), (Counts{1, 0, 0, 0}));
  }
}

TEST_F(OtpSupervisorTest, CountRestartingChildren) {
  const auto family = start(
      {.strategy = Strategy::simple_one_for_one, .intensity = 20, .period = 10s}, {child("child")});
  for (int i = 0; i < 3; ++i) {
    family->start_instance();
    family->end("child/" + std::to_string(i), abnormal);
  }
  EXPECT_EQ(family->counts(), (Counts{1, 3, 0, 3}));
  family->conduct["child/0"] = family->conduct["child/1"] = {Conduct::failed, 2s};
  family->end("child/0", abnormal);
  family->end("child/1", abnormal);
  world.advance(3s);
  EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 3}));
  family->conduct.clear();
  world.advance(4s);
  EXPECT_EQ(family->counts(), (Counts{1, 3, 0, 3}));
  for (const std::size_t left : {2, 1, 0}) {
    EXPECT_EQ(family->terminate_child("child/" + std::to_string(left)), Outcome::ok);
    EXPECT_EQ(family->counts(), (Counts{1, left, 0, left}));
  }
}

} // namespace
} // namespace callboard
