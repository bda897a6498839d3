// SPDX-License-Identifier: Apache-2.0
// What Launchpad's own tests and examples show of programs, with durations scaled down.
#include "topology/trace.hpp"

#include <callboard/testing.hpp>

#include <gmock/gmock.h>

#include <numeric>
#include <thread>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using callboard::testing::ProgramTest;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Echoes; refuses one number.
class Producer {
public:
  int work(int x) const {
    if (x == failing) {
      throw std::runtime_error("no work today");
    }
    return x;
  }
  using exposed = methods<&Producer::work>;
  static constexpr int failing = -4;
};

class Consumer {
public:
  Consumer(Context& context, std::vector<Client<Producer>> producers, int failing_step)
      : context_(context), producers_(std::move(producers)), failing_step_(failing_step) {
    trace().add("constructed");
  }

  void run() {
    trace().add("run");
    std::vector<int> expected(producers_.size());
    std::iota(expected.begin(), expected.end(), 0);
    for (int i = 0; i < 10; ++i) {
      trace().add(when_all(ask()).get() == expected ? "in order" : "out of order");
    }
    context_.stop("ten steps are done");
  }

  Task<std::vector<int>> step() { co_return co_await when_all(ask()); }
  using exposed = methods<&Consumer::step>;

private:
  std::vector<Future<int>> ask() {
    ++steps_;
    std::vector<Future<int>> results;
    for (std::size_t i = 0; i < producers_.size(); ++i) {
      const bool fails = steps_ == failing_step_ && i + 1 == producers_.size();
      results.push_back(
          producers_[i].async<&Producer::work>(fails ? Producer::failing : static_cast<int>(i)));
    }
    return results;
  }

  Context& context_;
  std::vector<Client<Producer>> producers_;
  int failing_step_;
  int steps_ = 0;
};

Program consumer_producers(int producers, int failing_step = 0) {
  Program program("consumer_producers");
  auto group = program.add_group<Producer>({.label = "producer", .replicas = producers});
  program.add<Consumer>("consumer", group, failing_step);
  return program;
}

class LaunchpadA1 : public TracedTest, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Producers, LaunchpadA1, ::testing::Values(2, 64));

TEST_P(LaunchpadA1, ConsumerGathersFromProducersInOrderAndStopsTheProgram) {
  std::uint64_t calls = 0;
  const double seconds = seconds_of([&] {
    Running running = start(consumer_producers(GetParam()));
    EXPECT_EQ(running.wait(), 0);
    EXPECT_TRUE(running.failures().empty());
    EXPECT_TRUE(running.stubborn().empty());
    for (const NodeStatus& node : running.status()) {
      calls += node.calls;
      EXPECT_EQ(node.state, NodeState::stopped) << node.name;
    }
  });
  EXPECT_EQ(calls, 10U * static_cast<unsigned>(GetParam()));
  EXPECT_EQ(trace().count("in order"), 10);
  EXPECT_LT(seconds, 1);
}

class LaunchpadA2 : public TracedTest {};

TEST_F(LaunchpadA2, StepsAConsumerWhoseLoopIsDisabled) {
  for (const bool deterministic : {false, true}) {
    trace().clear();
    {
      ProgramTest test(
          consumer_producers(2), {.disable_run = {"consumer"}, .deterministic = deterministic});
      const auto consumer = test.client<Consumer>("consumer/0");
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(consumer.call<&Consumer::step>(), (std::vector<int>{0, 1}));
      }
    }
    EXPECT_EQ(trace().lines(), std::vector<std::string>{"constructed"});
  }
}

TEST_F(LaunchpadA2, FailsTheStepWithTheProducersNodeAndMessage) {
  ProgramTest test(consumer_producers(2, 4), {.disable_run = {"consumer"}});
  const auto consumer = test.client<Consumer>("consumer/0");
  for (int i = 1; i <= 5; ++i) {
    const auto result = consumer.try_call<&Consumer::step>();
    EXPECT_EQ(result.ok(), i != 4);
    if (i == 4) {
      EXPECT_EQ(result.error().node, "producer/1");
      EXPECT_EQ(result.error().message, "no work today");
      EXPECT_THAT(result.error().method, HasSubstr("Producer::work"));
    }
  }
}

// A3, the rules of graphs: tests/topology/graph_rules_test.cpp.

class LaunchpadA4 : public TracedTest {};

class Main {
public:
  void run() const {}
};
class Waits {
public:
  explicit Waits(Context& context) : context_(context) {}
  void run() { context_.wait_for_stop(); }

private:
  Context& context_;
};
class Throws {
public:
  void run() const { throw std::runtime_error("a known text"); }
};

TEST_F(LaunchpadA4, WaitsForOneGroupWhileADaemonLives) {
  Program program("group");
  program.add<Main>("main");
  program.add<Waits>("daemon");
  Running running = start(program);
  running.wait("main");
  EXPECT_FALSE(running.wait_for(0s));
}

TEST_F(LaunchpadA4, SeesAFailureThatNobodyWaitsFor) {
  Program program("group");
  program.add<Waits>("main");
  program.add<Throws>("daemon");
  Running running = start(program);
  EXPECT_TRUE(eventually([&] { return !running.failures().empty(); }));
  EXPECT_LT(running.failures()[0].at, 1s);
  EXPECT_THAT(
      to_string(running.failures()[0]), AllOf(HasSubstr("daemon/0"), HasSubstr("a known text")));
  EXPECT_EQ(running.wait(), exit_status::node_failed);
}

TEST_F(LaunchpadA4, ShowsEachNodeOfEachGroup) {
  Program program("group");
  program.add<Waits>("one");
  program.add_group<Waits>({.label = "two", .replicas = 2});
  Running running = start(program);
  std::map<std::string, int> nodes;
  for (const NodeStatus& node : running.status()) {
    ++nodes[node.group];
  }
  EXPECT_EQ(nodes, (std::map<std::string, int>{{"one", 1}, {"two", 2}}));
}

/// Waits for the stop in one of four ways, then cleans up.
class WaitsForStop {
public:
  WaitsForStop(Context& context, std::string form) : context_(context), form_(std::move(form)) {
    if (form_ == "handler") {
      context_.on_stop([this] { clean_up(); });
    }
  }

  void run() {
    EXPECT_FALSE(context_.wait_for_stop(0s));
    EXPECT_FALSE(context_.stopping());
    const double seconds = seconds_of([&] { EXPECT_FALSE(context_.wait_for_stop(20ms)); });
    EXPECT_GE(seconds, 0.019);
    trace().add("waits");
    if (form_ == "polling") {
      while (!context_.wait_for_stop(10ms)) {}
    } else if (form_ == "token") {
      std::mutex mutex;
      std::condition_variable_any changed;
      std::unique_lock lock(mutex);
      changed.wait(lock, context_.stop_token(), [] { return false; });
    } else {
      EXPECT_TRUE(context_.wait_for_stop());
    }
    EXPECT_TRUE(context_.wait_for_stop(0s));
    EXPECT_TRUE(context_.stopping());
    if (form_ != "handler") {
      clean_up();
    }
  }

private:
  void clean_up() {
    trace().add("cleans up");
    std::this_thread::sleep_for(100ms);
    trace().add(form_ + " ends");
  }

  Context& context_;
  std::string form_;
};

/// Stops the program from its loop, from a method, or from a thread of its own.
class Stopper {
public:
  Stopper(Context& context, std::string from) : context_(context), from_(std::move(from)) {}
  ~Stopper() { thread_.joinable() ? thread_.join() : void(); }
  void run() {
    gates().pass("stop");
    if (from_ == "run") {
      context_.stop("time is up");
    } else if (from_ == "thread") {
      thread_ = std::thread([this] { context_.stop("time is up"); });
    }
  }
  void stop() { context_.stop("time is up"); }
  using exposed = methods<&Stopper::stop>;

private:
  Context& context_;
  std::string from_;
  std::thread thread_;
};

class LaunchpadA5 : public TracedTest, public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(From, LaunchpadA5, ::testing::Values("run", "method", "thread"));

TEST_P(LaunchpadA5, NoticesTheStopInAllFourForms) {
  const std::vector<std::string> forms{"polling", "endless", "token", "handler"};
  Program program("wait");
  for (const std::string& form : forms) {
    program.add<WaitsForStop>(form, form);
  }
  auto stopper = program.add<Stopper>("stopper", GetParam());
  Program other("other");
  other.add<Waits>("waits");
  Running second = start(other);
  Running running = start(program);
  EXPECT_TRUE(eventually([] { return trace().count("waits") == 4; }));
  EXPECT_EQ(trace().count("cleans up"), 0);
  const double seconds = seconds_of([&] {
    gates().open("stop");
    if (GetParam() == "method") {
      running.client(stopper).call<&Stopper::stop>();
    }
    EXPECT_EQ(running.wait(), 0);
  });
  EXPECT_GE(seconds, 0.1) << "it ended before all had cleaned up";
  EXPECT_LT(seconds, 2);
  for (const std::string& form : forms) {
    EXPECT_EQ(trace().count(form + " ends"), 1) << form;
  }
  EXPECT_TRUE(running.failures().empty());
  EXPECT_TRUE(running.stubborn().empty());
  EXPECT_FALSE(second.wait_for(0s)) << "another program was stopped too";
}

class LaunchpadSmallChecks : public TracedTest {};

TEST_F(LaunchpadSmallChecks, RunsAHandlerOnceAndOneThatComesTooLateAtOnce) {
  class Node {
  public:
    explicit Node(Context& context) : context_(context) {
      context_.on_stop([] { trace().add("first"); });
      context_.on_stop([] { trace().add("second"); });
    }
    void run() {
      trace().add("runs");
      context_.wait_for_stop();
      context_.on_stop([] { trace().add("late"); });
    }

  private:
    Context& context_;
  };
  Program program("handlers");
  program.add<Node>("node");
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("runs"));
  running.stop();
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().count("first"), 1);
  EXPECT_EQ(trace().count("second"), 1);
  EXPECT_EQ(trace().count("late"), 1);
  EXPECT_LT(trace().place("first"), trace().place("second"));
}

TEST_F(LaunchpadSmallChecks, CanStartFromAnyThread) {
  std::thread([] { EXPECT_EQ(start(consumer_producers(2)).wait(), 0); }).join();
}

} // namespace
} // namespace callboard
