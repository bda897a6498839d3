// SPDX-License-Identifier: Apache-2.0
// How programs end.
#include "topology/trace.hpp"

#include <callboard/callboard.hpp>

#include <gmock/gmock.h>

#include <deque>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StopTest : public TracedTest {};

/// Serves; notes when its loop and its life end.
class Sink {
public:
  explicit Sink(Context& context) : context_(context) {}
  ~Sink() { trace().add(context_.node() + " gone"); }
  void put(int value) { trace().add(context_.node() + " got " + std::to_string(value)); }
  using exposed = methods<&Sink::put>;

private:
  Context& context_;
};

/// Puts one last value when it is asked to end.
class Writer {
public:
  Writer(Context& context, Client<Sink> sink) : context_(context), sink_(std::move(sink)) {}
  void run() {
    trace().add(context_.node() + " runs");
    context_.wait_for_stop();
    sink_.call<&Sink::put>(context_.rank().index);
    trace().add(context_.node() + " ends");
  }
  void poke() {}
  using exposed = methods<&Writer::poke>;

private:
  Context& context_;
  Client<Sink> sink_;
};

TEST_F(StopTest, EndsCallersBeforeWhomTheyCall) {
  Program program("order");
  auto sink = program.add<Sink>("sink");
  program.add_group<Writer>({.label = "writer", .replicas = 3}, sink);
  Running running = start(program);
  for (const char* line : {"writer/0 runs", "writer/1 runs", "writer/2 runs"}) {
    EXPECT_TRUE(trace().wait_for(line));
  }
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_TRUE(running.failures().empty());
  for (const char* line : {"sink/0 got 0", "sink/0 got 1", "sink/0 got 2"}) {
    EXPECT_EQ(trace().count(line), 1) << "what was put before the end is lost";
  }
  EXPECT_EQ(trace().lines().back(), "sink/0 gone");
}

TEST_F(StopTest, EndsGroupsAfterThoseTheyName) {
  Program program("stop_after");
  auto sink = program.add<Sink>("sink");
  program.add<Writer>({.label = "consumer", .stop_after = {"producer"}}, sink);
  program.add<Writer>("producer", sink);
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("consumer/0 runs"));
  EXPECT_TRUE(trace().wait_for("producer/0 runs"));
  running.stop();
  EXPECT_EQ(running.wait(), 0);
  EXPECT_LT(trace().place("producer/0 ends"), trace().place("consumer/0 ends"));
  EXPECT_LT(trace().place("consumer/0 ends"), trace().place("sink/0 gone"));
}

/// Two that call each other, and one that calls only the first of them.
class Partner {
public:
  Partner(Context& context, Client<Partner> other) : context_(context), other_(std::move(other)) {}
  void run() {
    trace().add(context_.node() + " runs");
    context_.wait_for_stop();
    trace().add(context_.node() + " told");
    other_.call<&Partner::poke>();
    trace().add(context_.node() + " ends");
  }
  void poke() { trace().add(context_.node() + " poked"); }
  using exposed = methods<&Partner::poke>;

private:
  Context& context_;
  Client<Partner> other_;
};

class Outsider {
public:
  Outsider(Context& context, Client<Partner> partner)
      : context_(context), partner_(std::move(partner)) {}
  void run() {
    trace().add("outsider runs");
    context_.wait_for_stop();
    gates().pass("outsider");
    partner_.call<&Partner::poke>();
    trace().add("outsider ends");
  }

private:
  Context& context_;
  Client<Partner> partner_;
};

TEST_F(StopTest, EndsThoseWhoCallEachOtherTogether) {
  Program program("cycle");
  auto a = program.declare<Partner>("a");
  auto b = program.add<Partner>("b", a);
  program.define(a, b);
  program.add<Outsider>("outsider", a);
  Running running = start(program);
  for (const char* line : {"a/0 runs", "b/0 runs", "outsider runs"}) {
    EXPECT_TRUE(trace().wait_for(line));
  }
  running.stop();
  EXPECT_FALSE(running.wait_for(20ms));
  EXPECT_EQ(trace().count("a/0 told") + trace().count("b/0 told"), 0);
  gates().open("outsider");
  EXPECT_EQ(running.wait(), 0);
  EXPECT_TRUE(running.failures().empty());
  EXPECT_LT(trace().place("outsider ends"), trace().place("a/0 told"));
  EXPECT_LT(trace().place("outsider ends"), trace().place("b/0 told"));
  EXPECT_EQ(trace().count("a/0 poked"), 2);
  EXPECT_EQ(trace().count("b/0 poked"), 1);
}

/// Never replies.
class Silent {
public:
  Deferred<int> get() {
    trace().add("asked");
    return waiting_.emplace_back();
  }
  Deferred<int> drop() { return {}; }
  using exposed = methods<&Silent::get, &Silent::drop>;

private:
  std::deque<Deferred<int>> waiting_;
};

class Waiting {
public:
  explicit Waiting(Client<Silent> silent) : silent_(std::move(silent)) {}
  void run() {
    try {
      silent_.call<&Silent::get>();
    } catch (const CallError& error) {
      trace().add(std::string(to_string(error.code())));
      throw;
    }
  }
  int ask() { return silent_.call<&Silent::get>(); } // on a thread of its own
  using exposed = methods<&Waiting::ask>;

private:
  Client<Silent> silent_;
};

TEST_F(StopTest, CancelsTheEndlessWaitsOfLoops) {
  Program program("deferred");
  program.add<Waiting>("waiting", program.add<Silent>("silent"));
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("asked"));
  running.stop();
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(running.wait(), 0); }), 2);
  EXPECT_EQ(trace().count("cancelled"), 1);
  EXPECT_TRUE(running.failures().empty());
}

/// Its loop waits for futures made of a reply that never comes.
class Gatherer {
public:
  Gatherer(Client<Silent> silent, std::string way)
      : silent_(std::move(silent)), way_(std::move(way)) {}

  void run() {
    Future<int> reply = silent_.async<&Silent::get>();
    if (way_ == "when_all") {
      std::vector<Future<int>> replies;
      replies.push_back(std::move(reply));
      when_all(std::move(replies)).get();
    } else if (way_ == "then") {
      reply.then([](int value) { return value; }).get();
    } else {
      EXPECT_TRUE(reply.wait_for(long_enough));
      reply.get();
    }
  }

private:
  Client<Silent> silent_;
  std::string way_;
};

TEST_F(StopTest, CancelsTheEndlessWaitsOfLoopsForFuturesOfAnyKind) {
  for (const std::string way : {"when_all", "then", "wait_for"}) {
    trace().clear();
    Program program("deferred");
    program.add<Gatherer>("gatherer", program.add<Silent>("silent"), way);
    Running running = start(program);
    EXPECT_TRUE(trace().wait_for("asked"));
    running.stop();
    EXPECT_LT(seconds_of([&] { EXPECT_EQ(running.wait(), 0); }), 2) << way;
    EXPECT_TRUE(running.failures().empty()) << way;
  }
}

TEST_F(StopTest, CancelsTheEndlessWaitsOfMethodsWithAThreadOfTheirOwn) {
  Program program("deferred");
  auto silent = program.add<Silent>("silent");
  auto waiting = program.add<Waiting>({.label = "waiting", .own_thread = true}, silent);
  Running running = start(program, {.disable_run = {"waiting"}});
  const auto future = running.client(waiting).async<&Waiting::ask>();
  EXPECT_TRUE(trace().wait_for("asked"));
  running.stop();
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(running.wait(), 0); }), 2);
  EXPECT_TRUE(running.stubborn().empty());
}

/// Its constructor waits for what never comes.
class Hopeful {
public:
  explicit Hopeful(Client<Silent> silent) { silent.call<&Silent::get>(); }
};

TEST_F(StopTest, CancelsTheEndlessWaitsOfConstructors) {
  Program program("deferred");
  program.add<Hopeful>("hopeful", program.add<Silent>("silent"));
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("asked"));
  running.stop();
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(running.wait(), 0); }), 2);
}

/// Its constructor waits for the stop.
class Sluggish {
public:
  Sluggish(Context& context, Client<Sink> /*later*/) {
    trace().add("constructing");
    context.wait_for_stop();
  }
  int get() const { return 1; }
  using exposed = methods<&Sluggish::get>;
};

TEST_F(StopTest, TellsNodesThatAreStillBeingConstructed) {
  Program program("constructing");
  auto sluggish = program.add<Sluggish>("sluggish", program.add<Sink>("sink"));
  class Caller {
  public:
    explicit Caller(Client<Sluggish> /*unused*/) {}
    void run() {}
  };
  program.add<Caller>("caller", sluggish);
  Running running = start(program);
  EXPECT_TRUE(trace().wait_for("constructing"));
  running.stop();
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(running.wait(), 0); }), 2);
  EXPECT_EQ(running.status().at(2).state, NodeState::stopped);
}

class Failing {
public:
  Failing(Context& context, Code code) : context_(context), code_(code) {}
  void run() {
    context_.wait_for_stop();
    throw CallError(code_, "while stopping");
  }

private:
  Context& context_;
  Code code_;
};

int status_of_failing(Code code) {
  Program program("failing");
  program.add<Failing>("failing", code);
  Running running = start(program);
  EXPECT_TRUE(eventually([&] { return running.status()[0].state == NodeState::running; }));
  running.stop();
  const int status = running.wait();
  EXPECT_EQ(running.failures().size(), status == 0 ? 0U : 1U);
  return status;
}

TEST_F(StopTest, IsCleanForLoopsWhoseWaitsItEnds) {
  EXPECT_EQ(status_of_failing(Code::cancelled), 0);
  EXPECT_EQ(status_of_failing(Code::unavailable), 0);
}

TEST_F(StopTest, ReportsOtherFailuresMeanwhile) {
  EXPECT_EQ(status_of_failing(Code::deadline_exceeded), exit_status::node_failed);
  EXPECT_EQ(status_of_failing(Code::application), exit_status::node_failed);
}

TEST_F(StopTest, IsNotCleanForUnavailableBefore) {
  class Unavailable {
  public:
    void run() const { throw CallError(Code::unavailable, "before"); }
  };
  Program program("failing");
  program.add<Unavailable>("failing");
  EXPECT_EQ(start(program).wait(), exit_status::node_failed);
}

TEST_F(StopTest, KeepsTheFirstReasonAndStatus) {
  Program program("status");
  program.add<Sink>("sink");
  Running running = start(program);
  running.stop("first", 7);
  running.stop("second", 8);
  EXPECT_EQ(running.wait(), 7);
  EXPECT_EQ(running.wait(), 7) << "and may be asked again";
}

/// Stays in its loop, a method or a stop handler until the gate opens.
class Stubborn {
public:
  explicit Stubborn(Context& context, std::string where)
      : context_(context), where_(std::move(where)) {
    if (where_ == "handler") {
      context_.on_stop([this] { stay(); });
    }
  }
  void run() {
    if (where_ == "run") {
      stay();
    }
    trace().add("serves");
    context_.wait_for_stop();
  }
  void method() { stay(); }
  using exposed = methods<&Stubborn::method>;

private:
  void stay() {
    trace().add("stays");
    gates().pass("stubborn");
    // What it refers to is still there, though its program's owner has gone.
    trace().add(context_.node() + (context_.stopping() ? " leaves at last" : " leaves early"));
    context_.metrics().counter("late").increment();
    context_.on_stop([] { trace().add("late handler"); });
  }

  Context& context_;
  std::string where_;
};

class StubbornTest : public TracedTest, public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(Where, StubbornTest, ::testing::Values("run", "method", "handler"));

TEST_P(StubbornTest, IsNamedAndLeftBehindAfterTheGrace) {
  Program program("stubborn");
  auto stubborn = program.add<Stubborn>("stubborn", GetParam());
  program.add<Sink>("sink");
  {
    Running running = start(program, {.grace = 200ms});
    if (GetParam() == "method") {
      running.client(stubborn).tell<&Stubborn::method>();
    }
    EXPECT_TRUE(trace().wait_for(GetParam() == "handler" ? "serves" : "stays"));
    EXPECT_TRUE(eventually([&] { return running.status()[1].state == NodeState::serving; }));
    running.stop();
    const double seconds = seconds_of([&] { EXPECT_EQ(running.wait(), exit_status::stubborn); });
    EXPECT_GE(seconds, 0.19);
    EXPECT_LT(seconds, 2);
    EXPECT_THAT(running.stubborn(), ElementsAre("stubborn/0"));
    EXPECT_EQ(trace().count("sink/0 gone"), 1) << "the others end in order";
  }
  gates().open("stubborn");
  EXPECT_TRUE(trace().wait_for("stubborn/0 leaves at last"));
  EXPECT_TRUE(trace().wait_for("late handler"));
}

TEST_F(StopTest, SharesTheGraceAmongAll) {
  Program program("shared");
  auto sink = program.add<Sink>("sink");
  program.add_group<Stubborn>({.label = "stubborn", .replicas = 5}, "run");
  program.add<Writer>({.label = "writer", .stop_after = {"stubborn"}}, sink);
  Running running = start(program, {.grace = 400ms});
  EXPECT_TRUE(eventually([] { return trace().count("stays") == 5; }));
  EXPECT_TRUE(trace().wait_for("writer/0 runs"));
  running.stop();
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(running.wait(), exit_status::stubborn); }), 1);
  EXPECT_EQ(running.stubborn().size(), 5U);
  EXPECT_EQ(trace().count("writer/0 ends"), 1) << "those behind the stubborn ones get time too";
  EXPECT_EQ(trace().count("sink/0 gone"), 1);
  gates().open("stubborn");
  EXPECT_TRUE(eventually([] { return trace().count("late handler") == 5; }));
}

TEST_F(StopTest, EndsAProgramAtOnceWithoutGrace) {
  Program program("none");
  program.add<Stubborn>("stubborn", "run");
  Running running = start(program, {.grace = 0ms});
  EXPECT_TRUE(trace().wait_for("stays"));
  running.stop();
  EXPECT_EQ(running.wait(), exit_status::stubborn);
  gates().open("stubborn");
  EXPECT_TRUE(trace().wait_for("late handler"));
}

TEST_F(StopTest, HappensWhenTheOwnerLetsGo) {
  Program program("owner");
  auto sink = program.add<Sink>("sink");
  program.add<Writer>("writer", sink);
  {
    Running running = start(program);
    EXPECT_TRUE(trace().wait_for("writer/0 runs"));
  }
  EXPECT_EQ(trace().lines().back(), "sink/0 gone");
}

TEST_F(StopTest, LeavesClientsThatSayWhy) {
  Client<Sink> client;
  {
    Program program("gone");
    auto sink = program.add<Sink>("sink");
    Running running = start(program);
    client = running.client(sink);
    client.call<&Sink::put>(1);
    running.stop("enough");
    running.wait();
    const Error error = client.try_call<&Sink::put>(2).error();
    EXPECT_EQ(error.code, Code::unavailable);
    EXPECT_THAT(error.message, HasSubstr("the program has stopped: enough"));
  }
  EXPECT_EQ(client.try_call<&Sink::put>(3).error().code, Code::unavailable);
}

TEST_F(StopTest, EndsAProgramThatHasHardlyBegun) {
  for (int i = 0; i < 20; ++i) {
    Program program("hardly");
    auto sink = program.add<Sink>("sink");
    program.add_group<Writer>({.label = "writer", .replicas = 4}, sink);
    Running running = start(program);
    running.stop();
    EXPECT_EQ(running.wait(), 0);
    EXPECT_TRUE(running.stubborn().empty());
  }
}

TEST_F(StopTest, EndsAnEmptyProgram) {
  Running running = start(Program("empty"));
  EXPECT_FALSE(running.wait_for(10ms)) << "no loop has returned, so it waits to be stopped";
  running.stop();
  EXPECT_EQ(running.wait(), 0);
}

} // namespace
} // namespace callboard
