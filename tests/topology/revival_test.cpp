// SPDX-License-Identifier: Apache-2.0
// Nodes that fail and are started anew.
#include "topology/trace.hpp"

#include <callboard/callboard.hpp>

#include <gmock/gmock.h>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class RevivalTest : public TracedTest {};

/// Fails in its first lives, each of which it notes.
class Fragile {
public:
  Fragile(Context& context, int deaths) : context_(context), deaths_(deaths) {
    trace().add(name() + " is made");
  }
  ~Fragile() { trace().add(name() + " is gone"); }
  void run() {
    trace().add(name() + " runs");
    if (context_.incarnation() <= deaths_) {
      throw std::runtime_error("too fragile");
    }
    context_.wait_for_stop();
  }
  int incarnation() const { return context_.incarnation(); }
  std::uint64_t seed() const { return context_.seed(); }
  using exposed = methods<&Fragile::incarnation, &Fragile::seed>;

private:
  std::string name() const { return fmt(context_.node(), context_.incarnation()); }
  static std::string fmt(const std::string& node, int incarnation) {
    return node + "." + std::to_string(incarnation);
  }

  Context& context_;
  const int deaths_;
};

TEST_F(RevivalTest, StartsAFailedNodeAnewUnderItsName) {
  Program program("revival");
  auto fragile = program.add<Fragile>("fragile", 2);
  Running running = start(program);
  const auto client = running.client(fragile);
  EXPECT_TRUE(trace().wait_for("fragile/0.3 runs"));
  EXPECT_EQ(client.call<&Fragile::incarnation>(), 3);
  EXPECT_EQ(running.status()[0].incarnation, 3);
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  ASSERT_EQ(running.failures().size(), 2U);
  EXPECT_TRUE(running.failures()[0].restarted);
  EXPECT_EQ(running.failures()[1].incarnation, 2);
  EXPECT_EQ(running.failures()[1].cause.message, "too fragile");
}

TEST_F(RevivalTest, EndsALifeBeforeTheNextBegins) {
  Program program("revival");
  program.add<Fragile>("fragile", 1);
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("fragile/0.2 runs"));
  EXPECT_LT(trace().place("fragile/0.1 is gone"), trace().place("fragile/0.2 is made"));
}

TEST_F(RevivalTest, KeepsSeedAndClients) {
  class Watcher {
  public:
    Watcher(Context& context, Client<Fragile> fragile) : context_(context), fragile_(fragile) {}
    void run() {
      const auto seed = fragile_.call<&Fragile::seed>();
      while (fragile_.call<&Fragile::incarnation>() < 2) {}
      trace().add(fragile_.call<&Fragile::seed>() == seed ? "same seed" : "another seed");
      context_.stop();
    }

  private:
    Context& context_;
    Client<Fragile> fragile_;
  };
  Program program("revival");
  program.add<Watcher>("watcher", program.add<Fragile>("fragile", 1));
  Running running = start(program);
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().count("same seed"), 1);
}

TEST_F(RevivalTest, GivesUpOnANodeThatFailsTooOften) {
  Program program("revival");
  program.add<Fragile>({.label = "fragile", .policy = {.intensity = 2, .period = 60s}}, 1000);
  Running running = start(program);
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  const auto failures = running.failures();
  ASSERT_EQ(failures.size(), 3U);
  EXPECT_TRUE(failures[1].restarted);
  EXPECT_FALSE(failures[2].restarted);
  EXPECT_EQ(failures[2].incarnation, 3);
}

TEST_F(RevivalTest, StopsTheProgramAtOnceWhereThatIsAskedFor) {
  Program program("revival");
  program.add<Fragile>({.label = "fragile", .on_failure = OnFailure::stop_program}, 1);
  Running running = start(program);
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  EXPECT_EQ(running.failures().size(), 1U);
}

TEST_F(RevivalTest, LetsTemporaryNodesFailOnce) {
  Program program("revival");
  program.add<Fragile>({.label = "fragile", .policy = {.restart = Restart::temporary}}, 1);
  Running running = start(program);
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  EXPECT_EQ(trace().count("fragile/0.2 is made"), 0);
}

/// Its loop returns in the first life.
class Brief {
public:
  explicit Brief(Context& context) : context_(context) {}
  void run() {
    trace().add("life " + std::to_string(context_.incarnation()));
    if (context_.incarnation() > 1) {
      context_.wait_for_stop();
    }
  }

private:
  Context& context_;
};

TEST_F(RevivalTest, StartsAPermanentNodeAnewWhenItsLoopHasReturned) {
  Program program("revival");
  program.add<Brief>({.label = "brief", .policy = {.restart = Restart::permanent}});
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("life 2"));
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_TRUE(running.failures().empty());
}

/// Its loop returns in every life.
class Restless {
public:
  void run() const {}
};

TEST_F(RevivalTest, CanBeStoppedBetweenTwoLives) {
  Program program("revival");
  program.add<Restless>(
      {.label = "restless", .policy = {.restart = Restart::permanent, .intensity = 1000}});
  Running running = start(program);
  // The waits between lives grow, so that it is mostly there that it is found.
  EXPECT_TRUE(eventually([&] {
    const NodeStatus node = running.status()[0];
    return node.incarnation > 4 && node.state == NodeState::restarting;
  }));
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_TRUE(running.stubborn().empty());
}

} // namespace
} // namespace callboard
