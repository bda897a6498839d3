// SPDX-License-Identifier: Apache-2.0
// What can be done with a program while it runs.
#include "topology/trace.hpp"

#include <callboard/callboard.hpp>

#include <gmock/gmock.h>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RunningTest : public TracedTest {};

class Number {
public:
  explicit Number(Context& context, int value) : context_(context), value_(value) {
    if (value < 0) {
      throw std::invalid_argument("a negative number");
    }
  }
  ~Number() { trace().add(context_.node() + " gone"); }
  int get() {
    context_.metrics().counter("asked").increment();
    return value_;
  }
  int index() const { return context_.rank().index; }
  int size() const { return context_.rank().size; }
  using exposed = methods<&Number::get, &Number::index, &Number::size>;

private:
  Context& context_;
  int value_;
};

class Text {
public:
  std::string get() const { return "text"; }
  using exposed = methods<&Text::get>;
};

/// Runs until it is asked to end.
class Loop {
public:
  explicit Loop(Context& context) : context_(context) {}
  void run() {
    trace().add(context_.node() + " runs");
    context_.wait_for_stop();
    trace().add(context_.node() + " ends");
  }

private:
  Context& context_;
};

/// Runs until its gate opens; fails if `fails`.
class Gated {
public:
  Gated(Context& context, bool fails) : context_(context), fails_(fails) {}
  void run() {
    gates().pass(context_.node());
    if (fails_) {
      throw std::runtime_error("a known text");
    }
  }

private:
  Context& context_;
  bool fails_;
};

TEST_F(RunningTest, WaitsForOneGroupWhileOthersGoOn) {
  Program program("groups");
  program.add_group<Gated>({.label = "main", .replicas = 2}, false);
  program.add<Loop>("daemon");
  Running running = start(program);
  gates().open("main/0");
  gates().open("main/1");
  running.wait("main");
  EXPECT_TRUE(trace().wait_for("daemon/0 runs"));
  EXPECT_FALSE(running.wait_for(0ms));
  EXPECT_EQ(running.status().at(0).state, NodeState::serving) << "it still serves";
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().count("daemon/0 ends"), 1);
}

TEST_F(RunningTest, TellsWhoWaitsForOneGroupOfAnyFailure) {
  Program program("groups");
  program.add<Loop>("main");
  program.add<Gated>("daemon", true);
  Running running = start(program);
  gates().open("daemon/0");
  try {
    running.wait("main");
    // The failure stops the program, so that main may have ended first.
  } catch (const CallError& error) {
    EXPECT_EQ(error.error().node, "daemon/0");
    EXPECT_EQ(error.error().message, "a known text");
  }
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  EXPECT_THROW(running.wait("main"), CallError) << "the failure stays for who asks later";
  EXPECT_THAT(to_string(running.failures().at(0)), StartsWith("daemon/0 (incarnation 1) failed"));
}

TEST_F(RunningTest, EndsWithTheLastLoop) {
  Program program("loops");
  program.add<Number>("number", 1);
  program.add_group<Gated>({.label = "gated", .replicas = 2}, false);
  Running running = start(program);
  gates().open("gated/0");
  EXPECT_FALSE(running.wait_for(20ms));
  gates().open("gated/1");
  EXPECT_TRUE(running.wait_for(long_enough));
  EXPECT_EQ(running.wait(), 0);
}

TEST_F(RunningTest, GoesOnWithoutLoopsUntilItIsStopped) {
  Program program("services");
  auto number = program.add<Number>("number", 1);
  Running running = start(program);
  EXPECT_EQ(running.client(number).call<&Number::get>(), 1);
  EXPECT_FALSE(running.wait_for(20ms));
  running.stop();
  EXPECT_TRUE(running.wait_for(long_enough));
}

TEST_F(RunningTest, GivesClientsByName) {
  Program program("names");
  auto number = program.add<Number>("number", 5);
  program.add<Text>("text");
  Running running = start(program);
  EXPECT_EQ(running.client<Number>("number/0").call<&Number::get>(), 5);
  EXPECT_EQ(running.client(number).call<&Number::get>(), 5);
  const auto refused = [&]<class S>(const std::string& node, S* /*type*/) {
    try {
      static_cast<void>(running.client<S>(node));
    } catch (const CallError& error) {
      EXPECT_EQ(error.code(), Code::not_found);
      return error.error().message;
    }
    return std::string("no error");
  };
  EXPECT_THAT(
      refused("number/1", static_cast<Number*>(nullptr)),
      HasSubstr("program \"names\" has no node number/1"));
  EXPECT_THAT(
      refused("text/0", static_cast<Number*>(nullptr)),
      AllOf(
          HasSubstr("text/0 is a"), HasSubstr("which does not expose"), HasSubstr("Number::get")));
}

TEST_F(RunningTest, RefusesHandlesOfAnotherProgram) {
  Program program("one");
  program.add<Number>("number", 5);
  Program other("other");
  auto foreign = other.add<Number>("number", 6);
  Running running = start(program);
  EXPECT_THROW(static_cast<void>(running.client(foreign)), CallError);
}

TEST_F(RunningTest, RunsCopiesOfAProgramWithTheSameHandles) {
  Program program("one");
  auto number = program.add<Number>("number", 5);
  const Program copy = program;
  Running first = start(program);
  Running second = start(copy);
  first.stop();
  first.wait();
  EXPECT_EQ(second.client(number).call<&Number::get>(), 5);
}

TEST_F(RunningTest, RunsSeveralProgramsAtOnce) {
  std::vector<std::unique_ptr<Running>> running;
  for (int i = 0; i < 4; ++i) {
    Program program("p" + std::to_string(i));
    program.add<Number>("number", i);
    program.add<Loop>("loop");
    running.push_back(std::make_unique<Running>(start(program)));
  }
  running[1]->stop();
  EXPECT_EQ(running[1]->wait(), 0);
  for (const int i : {0, 2, 3}) {
    EXPECT_EQ(running[i]->client<Number>("number/0").call<&Number::get>(), i);
    EXPECT_FALSE(running[i]->wait_for(0ms));
  }
}

class Sum {
public:
  Sum(Client<Number> a, Client<Number> b) : sum_(a.call<&Number::get>() + b.call<&Number::get>()) {}
  int get() const { return sum_; }
  using exposed = methods<&Sum::get>;

private:
  int sum_;
};

TEST_F(RunningTest, AddsNodesWhileItRuns) {
  Program program("growing");
  program.add<Loop>("loop");
  auto number = program.add<Number>("number", 1);
  Running running = start(program);
  auto more = running.add<Number>("more", 2);
  EXPECT_EQ(more.call<&Number::get>(), 2);
  EXPECT_EQ(running.client<Number>("more/0").call<&Number::get>(), 2);
  EXPECT_EQ(running.status().size(), 3U);
  auto sum = running.add<Sum>({.label = "sum", .stop_after = {"loop"}}, number, more);
  EXPECT_EQ(sum.call<&Sum::get>(), 3) << "a handle and a client of the same program";
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_LT(trace().place("loop/0 ends"), trace().place("number/0 gone"));
}

TEST_F(RunningTest, RefusesToAddWhatBreaksTheRules) {
  Program program("growing");
  program.add<Number>("number", 1);
  Program other("other");
  other.add<Number>("number", 1);
  Running running = start(program);
  Running stranger = start(other);
  class Holder {
  public:
    explicit Holder(Client<Number> number) : number_(std::move(number)) {}

  private:
    Client<Number> number_;
  };
  EXPECT_THROW(running.add<Number>("number", 2), GraphError);
  EXPECT_THROW(running.add<Number>("", 2), GraphError);
  EXPECT_THROW(running.add<Number>({.label = "n", .stop_after = {"none"}}, 2), GraphError);
  EXPECT_THROW(running.add<Holder>("h", stranger.client<Number>("number/0")), GraphError);
  EXPECT_THROW(program.add<Holder>("h", running.client<Number>("number/0")), GraphError);
  EXPECT_EQ(running.status().size(), 1U);
  running.stop();
  EXPECT_THROW(running.add<Number>("late", 2), CallError);
}

TEST_F(RunningTest, SaysWhyAnAddedNodeDidNotStart) {
  Program program("growing");
  program.add<Loop>("loop");
  Running running = start(program);
  try {
    running.add<Number>({.label = "bad", .on_failure = OnFailure::ignore}, -1);
    ADD_FAILURE() << "started";
  } catch (const CallError& error) {
    EXPECT_EQ(error.error().node, "bad/0");
    EXPECT_EQ(error.error().message, "a negative number");
  }
  EXPECT_FALSE(running.wait_for(0ms)) << "its failure was to be ignored";
  EXPECT_THROW(running.add<Number>("worse", -1), CallError);
  EXPECT_EQ(running.wait(), exit_status::node_failed);
}

TEST_F(RunningTest, GrowsAndShrinksAGroup) {
  Program program("sizes");
  program.add_group<Number>({.label = "n", .replicas = 2}, 4);
  Running running = start(program);
  running.resize("n", 4);
  ASSERT_EQ(running.status().size(), 4U);
  const auto last = running.client<Number>("n/3");
  EXPECT_EQ(last.call<&Number::index>(), 3);
  EXPECT_EQ(last.call<&Number::size>(), 4);
  EXPECT_EQ(running.client<Number>("n/0").call<&Number::size>(), 4) << "an older one";
  EXPECT_EQ(last.call<&Number::get>(), 4);

  running.resize("n", 1);
  ASSERT_EQ(running.status().size(), 1U);
  EXPECT_EQ(running.status()[0].name, "n/0");
  EXPECT_EQ(running.client<Number>("n/0").call<&Number::size>(), 1);
  for (const char* line : {"n/1 gone", "n/2 gone", "n/3 gone"}) {
    EXPECT_EQ(trace().count(line), 1);
  }
  const Error error = last.try_call<&Number::get>().error();
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_THAT(error.message, HasSubstr("n/3 was taken out of its group"));
  EXPECT_THROW(static_cast<void>(running.client<Number>("n/3")), CallError);
  EXPECT_THROW(static_cast<void>(running.metrics("n/3")), CallError);

  running.resize("n", 2);
  EXPECT_EQ(running.client<Number>("n/1").call<&Number::get>(), 4);
}

TEST_F(RunningTest, EndsTheLoopsOfWhatItTakesOut) {
  Program program("sizes");
  program.add_group<Loop>({.label = "loop", .replicas = 3});
  Running running = start(program);
  for (const char* line : {"loop/0 runs", "loop/1 runs", "loop/2 runs"}) {
    EXPECT_TRUE(trace().wait_for(line));
  }
  running.resize("loop", 1);
  EXPECT_EQ(trace().count("loop/0 ends"), 0);
  EXPECT_EQ(trace().count("loop/1 ends") + trace().count("loop/2 ends"), 2);
  EXPECT_FALSE(running.wait_for(0ms));
}

TEST_F(RunningTest, TakesOutNodesThatHaveNotStarted) {
  for (int i = 0; i < 20; ++i) {
    Program program("sizes");
    program.add_group<Loop>({.label = "loop", .replicas = 3});
    Running running = start(program);
    running.resize("loop", 1);
    EXPECT_EQ(running.status().size(), 1U);
  }
}

TEST_F(RunningTest, RefusesSizesThatMakeNoSense) {
  Program program("sizes");
  program.add<Number>("n", 4);
  Running running = start(program);
  const auto code = [&](const char* group, int size) {
    try {
      running.resize(group, size);
    } catch (const CallError& error) {
      return error.code();
    }
    return Code::internal;
  };
  EXPECT_EQ(code("m", 2), Code::not_found);
  EXPECT_EQ(code("n", 0), Code::invalid_argument);
  running.stop();
  EXPECT_EQ(code("n", 2), Code::failed_precondition);
}

TEST_F(RunningTest, CanBeStoppedWhileItIsResized) {
  for (int i = 0; i < 10; ++i) {
    Program program("race");
    program.add_group<Loop>({.label = "loop", .replicas = 6});
    Running running = start(program);
    std::thread resizing([&] {
      try {
        running.resize("loop", 2);
        running.resize("loop", 5);
        running.add<Number>("n", 1);
      } catch (const CallError& error) {
        EXPECT_THAT(error.what(), HasSubstr("stopped"));
      }
    });
    running.stop();
    EXPECT_EQ(running.wait(), 0);
    resizing.join();
    EXPECT_TRUE(running.stubborn().empty());
  }
}

TEST_F(RunningTest, ShowsTheMetricsOfANode) {
  Program program("metrics");
  auto numbers = program.add_group<Number>({.label = "n", .replicas = 2}, 1);
  Running running = start(program);
  for (int i = 0; i < 3; ++i) {
    running.client(numbers[1]).call<&Number::get>();
  }
  const auto asked = [&](const char* node) -> std::uint64_t {
    for (const MetricSample& sample : running.metrics(node)->snapshot()) {
      if (sample.name == "asked") {
        return std::get<std::uint64_t>(sample.value);
      }
    }
    return 0;
  };
  EXPECT_EQ(asked("n/0"), 0U);
  EXPECT_EQ(asked("n/1"), 3U);
  EXPECT_EQ(running.status().at(1).calls, 3U);
  EXPECT_EQ(running.status().at(1).waiting, 0U);
  EXPECT_THROW(static_cast<void>(running.metrics("n/2")), CallError);
}

TEST_F(RunningTest, PassesTimeOnlyWhereItIsVirtual) {
  Program program("time");
  program.add<Number>("n", 1);
  Running running = start(program);
  EXPECT_THROW(running.advance(1s), CallError);
}

} // namespace
} // namespace callboard
