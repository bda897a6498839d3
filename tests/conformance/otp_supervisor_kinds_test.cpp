// SPDX-License-Identifier: Apache-2.0
// supervisor_SUITE: groups normal_termination, shutdown_termination and abnormal_termination.
#include "otp_supervisor.hpp"

namespace callboard {
namespace {

/// What is left of a child of that kind after such an end, as a list and counted.
class OtpSupervisorKindsTest : public OtpSupervisorTest {
protected:
  void expect_restarted(Restart kind, const ExitReason& reason) {
    const auto family = start_empty(two_in_an_hour(), {child("child1", kind)});
    const Incarnation before = family->incarnation("child1");
    family->end("child1", reason);
    EXPECT_GT(family->incarnation("child1"), before);
    EXPECT_EQ(family->done(), "start child1");
    EXPECT_EQ(family->counts(), (Counts{1, 1, 0, 1}));
  }

  void expect_left(Restart kind, const ExitReason& reason, const char* left, Counts counts) {
    const auto family = start_empty(two_in_an_hour(), {child("child1", kind)});
    family->end("child1", reason);
    EXPECT_EQ(family->done(), "");
    EXPECT_EQ(family->children(), left);
    EXPECT_EQ(family->counts(), counts);
  }
};

TEST_F(OtpSupervisorKindsTest, PermanentNormal) {
  expect_restarted(Restart::permanent, normal);
}

TEST_F(OtpSupervisorKindsTest, TransientNormal) {
  expect_left(Restart::transient, normal, "child1-", {1, 0, 0, 1});
}

TEST_F(OtpSupervisorKindsTest, TemporaryNormal) {
  expect_left(Restart::temporary, normal, "", {0, 0, 0, 0});
}

TEST_F(OtpSupervisorKindsTest, PermanentShutdown) {
  expect_restarted(Restart::permanent, shutdown);
}

TEST_F(OtpSupervisorKindsTest, TransientShutdown) {
  expect_left(Restart::transient, shutdown, "child1-", {1, 0, 0, 1});
}

TEST_F(OtpSupervisorKindsTest, TemporaryShutdown) {
  expect_left(Restart::temporary, shutdown, "", {0, 0, 0, 0});
}

TEST_F(OtpSupervisorKindsTest, PermanentAbnormal) {
  expect_restarted(Restart::permanent, abnormal);
}

TEST_F(OtpSupervisorKindsTest, TransientAbnormal) {
  expect_restarted(Restart::transient, abnormal);
}

TEST_F(OtpSupervisorKindsTest, TemporaryAbnormal) {
  expect_left(Restart::temporary, abnormal, "", {0, 0, 0, 0});
}

// A supervisor whose child can't start tells its own supervisor why.
TEST_F(OtpSupervisorKindsTest, FaultyApplicationShutdown) {
  const auto top = make(two_in_an_hour(), {{.id = "app", .kind = ChildKind::supervisor}});
  top->conduct["app"].make_family = [this] {
    auto app = make(two_in_an_hour(), {child("server")});
    app->conduct["server"].start = Conduct::failed;
    return app;
  };
  top->begin();
  world.settle();
  EXPECT_EQ(
      to_string(top->terminated.value()),
      "app failed to start: shutdown: server failed to start: abnormal: cannot start");
}

TEST_F(OtpSupervisorKindsTest, TemporaryBystander) {
  for (const Strategy strategy : {Strategy::one_for_all, Strategy::rest_for_one}) {
    const auto family = start_empty(
        two_in_an_hour(strategy), {child("child1"), child("child2", Restart::temporary)});
    family->end("child1", normal);
    EXPECT_EQ(family->done(), "stop child2, start child1");
    EXPECT_EQ(family->children(), "child1");
  }
}

} // namespace
} // namespace callboard
