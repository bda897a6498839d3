// SPDX-License-Identifier: Apache-2.0
// How nodes come to life, and what happens when one does not.
#include "topology/trace.hpp"

#include <callboard/callboard.hpp>

#include <gmock/gmock.h>

namespace callboard {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class StartTest : public TracedTest {};

/// Constructed slowly: when the gate of its node is open.
class Slow {
public:
  explicit Slow(Context& context) {
    gates().pass(context.node());
    trace().add(context.node());
  }
  int get() const { return 3; }
  using exposed = methods<&Slow::get>;
};

class Dependent {
public:
  Dependent(Context& context, std::vector<Client<Slow>> slow) {
    trace().add(context.node());
    for (const auto& each : slow) {
      EXPECT_EQ(each.call<&Slow::get>(), 3);
    }
  }
  void run() const { trace().add("run"); }
};

TEST_F(StartTest, FollowsTheEdges) {
  Program program("order");
  auto slow = program.declare<Slow>("slow"); // added first, or last: only edges count
  program.add<Dependent>("dependent", std::vector<Handle<Slow>>{slow});
  program.define(slow);
  Running running = start(program);
  EXPECT_EQ(running.status().at(1).state, NodeState::waiting);
  gates().open("slow/0");
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().lines(), (std::vector<std::string>{"slow/0", "dependent/0", "run"}));
}

TEST_F(StartTest, WaitsForEveryTarget) {
  Program program("order");
  auto group = program.add_group<Slow>({.label = "slow", .replicas = 3});
  program.add<Dependent>("dependent", group);
  Running running = start(program);
  gates().open("slow/2");
  EXPECT_TRUE(trace().wait_for("slow/2"));
  gates().open("slow/0");
  EXPECT_TRUE(trace().wait_for("slow/0"));
  EXPECT_EQ(trace().count("dependent/0"), 0);
  gates().open("slow/1");
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().lines().at(3), "dependent/0");
}

TEST_F(StartTest, ShowsTheStatesOfALife) {
  Program program("states");
  auto slow = program.add<Slow>("slow");
  program.add<Dependent>("dependent", std::vector<Handle<Slow>>{slow});
  Running running = start(program);
  const auto state = [&](std::size_t node) { return running.status().at(node).state; };
  EXPECT_TRUE(eventually([&] { return state(0) == NodeState::starting; }));
  EXPECT_EQ(state(1), NodeState::waiting);
  gates().open("slow/0");
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(state(0), NodeState::stopped);
  EXPECT_EQ(state(1), NodeState::stopped);
}

/// Calls its peer from the constructor.
class Impatient {
public:
  explicit Impatient(Client<Impatient> peer) { peer.call<&Impatient::get>(); }
  int get() const { return 1; }
  using exposed = methods<&Impatient::get>;
};

TEST_F(StartTest, FindsConstructorsThatWaitForEachOther) {
  Program program("cycle");
  auto a = program.declare<Impatient>("a");
  auto b = program.declare<Impatient>("b");
  auto c = program.add<Impatient>("c", a);
  program.define(a, b);
  program.define(b, c);
  double seconds = 0;
  seconds = seconds_of([&] { EXPECT_EQ(start(program).wait(), exit_status::node_failed); });
  EXPECT_LT(seconds, 1);
  Running running = start(program);
  running.wait();
  const Error cause = running.failures().at(0).cause;
  EXPECT_EQ(cause.code, Code::failed_precondition);
  EXPECT_THAT(
      cause.message, AllOf(HasSubstr("constructors wait for each other"), HasSubstr(" → ")));
  for (const char* name : {"a/0", "b/0", "c/0"}) {
    EXPECT_THAT(cause.message, HasSubstr(name));
  }
}

TEST_F(StartTest, FindsAConstructorThatCallsItself) {
  Program program("self");
  auto a = program.declare<Impatient>("a");
  program.define(a, a);
  Running running = start(program);
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  EXPECT_THAT(running.failures().at(0).cause.message, HasSubstr("a/0 → a/0"));
}

/// Goes on after its constructor's call was refused.
class Forgiving {
public:
  explicit Forgiving(Client<Forgiving> peer) {
    const auto result = peer.try_call<&Forgiving::get>();
    trace().add(result.ok() ? "reply" : "refused");
  }
  int get() const { return 1; }
  using exposed = methods<&Forgiving::get>;
};

TEST_F(StartTest, GoesOnWhenAConstructorCopesWithACycle) {
  Program program("cycle");
  auto a = program.declare<Forgiving>("a");
  auto b = program.add<Forgiving>("b", a);
  program.add<Forgiving>("c", a);
  program.define(a, b);
  Running running = start(program);
  EXPECT_TRUE(eventually([] { return trace().lines().size() == 3; }));
  EXPECT_EQ(trace().count("refused"), 1);
  running.stop();
  EXPECT_EQ(running.wait(), 0);
}

class Learner {
public:
  Learner(Context& context, bool fails) {
    gates().pass("learner");
    if (fails) {
      throw std::runtime_error("no data");
    }
    trace().add(context.node() + " serves");
  }
  int get() const { return 1; }
  using exposed = methods<&Learner::get>;
};

/// Waits for the learner in its constructor or in its loop, and notes why it could not.
class Actor {
public:
  Actor(Context& context, Client<Learner> learner, bool early, Client<Actor> /*peer*/)
      : context_(context), learner_(std::move(learner)), early_(early) {
    if (early_) {
      ask();
    }
  }
  void run() { ask(); }
  void poke() {}
  using exposed = methods<&Actor::poke>;

private:
  void ask() {
    trace().add("asks");
    const auto result = learner_.try_call<&Learner::get>();
    trace().add(result.ok() ? "reply" : to_string(result.error()));
    result.ok() ? void() : throw CallError(result.error());
  }

  Context& context_;
  Client<Learner> learner_;
  bool early_;
};

/// A learner in one cycle with those who wait for it, so that all start together.
class Follower : public Learner {
public:
  Follower(Context& context, std::vector<Client<Actor>> /*actors*/) : Learner(context, true) {}
  using exposed = Learner::exposed;
};

TEST_F(StartTest, ReportsTheRootCauseFirst) {
  for (const bool early : {true, false}) {
    trace().clear();
    gates().clear();
    Program program("root");
    auto learner = program.declare<Follower>("learner");
    std::vector<Handle<Actor>> actors;
    for (int i = 0; i < 8; ++i) {
      actors.push_back(program.declare<Actor>("actor" + std::to_string(i)));
    }
    for (const auto& actor : actors) {
      program.define(actor, learner, early, actors.front());
    }
    program.define(learner, actors);
    Running running = start(program);
    EXPECT_TRUE(eventually([&] { return trace().count("asks") == 8; }));
    gates().open("learner");
    EXPECT_EQ(running.wait(), exit_status::node_failed);

    ASSERT_EQ(running.failures().size(), 1U) << "those who waited did not fail by themselves";
    const Failure failure = running.failures().front();
    EXPECT_EQ(failure.node, "learner/0");
    EXPECT_EQ(failure.cause.message, "no data");
    EXPECT_EQ(failure.cause.code, Code::application);
    auto seen = trace().lines();
    std::erase(seen, "asks");
    EXPECT_EQ(seen.size(), 8U);
    EXPECT_THAT(seen, Each(HasSubstr("learner/0 failed to start: ")));
    EXPECT_THAT(seen, Each(HasSubstr("no data")));
  }
}

TEST_F(StartTest, GivesTheNodeCauseAndTimeOfAFailure) {
  Program program("failing");
  program.add<Learner>("learner", true);
  gates().open("learner");
  Running running = start(program);
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  const Failure failure = running.failures().at(0);
  EXPECT_GT(failure.at, Duration::zero());
  EXPECT_LT(failure.at, long_enough);
  EXPECT_THAT(
      to_string(failure),
      AllOf(HasSubstr("learner/0 (incarnation 1) failed 0."), HasSubstr("no data")));
  EXPECT_EQ(running.status().at(0).state, NodeState::failed);
}

TEST_F(StartTest, LetsOthersGoOnWhenAFailureIsIgnored) {
  Program program("ignored");
  auto learner = program.add<Learner>({.label = "learner", .on_failure = OnFailure::ignore}, true);
  auto fine = program.add<Learner>("fine", false);
  class Both {
  public:
    Both(Client<Learner> bad, Client<Learner> good)
        : bad_(std::move(bad)), good_(std::move(good)) {}
    void run() const {
      trace().add(to_string(bad_.try_call<&Learner::get>().error()));
      trace().add(std::to_string(good_.call<&Learner::get>()));
    }

  private:
    Client<Learner> bad_;
    Client<Learner> good_;
  };
  program.add<Both>("both", learner, fine);
  gates().open("learner");
  Running running = start(program);
  EXPECT_EQ(running.wait(), 0);
  EXPECT_THAT(trace().lines().at(1), HasSubstr("learner/0 failed to start: "));
  EXPECT_EQ(trace().lines().at(2), "1");
  ASSERT_EQ(running.failures().size(), 1U);
  EXPECT_EQ(running.failures()[0].node, "learner/0");
}

} // namespace
} // namespace callboard
