// SPDX-License-Identifier: Apache-2.0
#include "supervised_threads.hpp"

#include <gmock/gmock.h>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using supervision::EndCause;
using supervision::Outcome;
using ::testing::ElementsAre;

const ExitReason failure{.text = "failure"};

/// Threads that outlive their supervisor, which tells them to end.
struct Supervised {
  Supervised(SupervisorSpec spec, std::vector<ChildSpec> children)
      : loop(std::move(spec), std::move(children), threads) {
    threads.attach(loop);
  }

  supervision::Terminated end() {
    loop.stop();
    return loop.wait(in_a_minute()).value();
  }

  SupervisedThreads threads{};
  SupervisorLoop loop;
};

TEST(SupervisorLoopTest, StartsThreadsInOrderAndStopsThemInReverse) {
  Supervised supervised({}, {{.id = "a"}, {.id = "b"}});
  supervised.loop.start();
  EXPECT_TRUE(supervised.loop.wait_until_ready(in_a_minute()));
  EXPECT_EQ(supervised.loop.count_children().active, 2U);
  EXPECT_EQ(supervised.end().cause, EndCause::stopped);
  std::vector<std::string> trace = supervised.threads.trace();
  std::erase(trace, "up a");
  std::erase(trace, "up b");
  EXPECT_THAT(trace, ElementsAre("start a", "start b", "ready", "stop b", "stop a", "end"));
}

TEST(SupervisorLoopTest, RestartsAThreadThatFails) {
  Supervised supervised({}, {{.id = "a"}});
  supervised.loop.start();
  supervised.threads.end("a", failure);
  EXPECT_TRUE(supervised.threads.await("up a", 2));
  EXPECT_FALSE(supervised.loop.wait(std::chrono::steady_clock::now()));
  supervised.end();
}

TEST(SupervisorLoopTest, EndsWhenAThreadFailsTooOften) {
  Supervised supervised({.intensity = 1}, {{.id = "a"}, {.id = "b"}});
  supervised.loop.start();
  supervised.threads.end("a", {.text = "first failure"});
  EXPECT_TRUE(supervised.threads.await("up a", 2));
  supervised.threads.end("a", {.text = "second failure"});
  const auto end = supervised.loop.wait(in_a_minute());
  EXPECT_EQ(
      to_string(end.value()),
      "a gave up: 2 restarts within 5 s (intensity 1); first cause: abnormal: first failure");
  EXPECT_EQ(supervised.loop.count_children().active, 0U);
}

TEST(SupervisorLoopTest, KillsAThreadThatDoesNotStopInTime) {
  Supervised supervised({}, {{.id = "a", .shutdown = 20ms}});
  supervised.threads.make_deaf("a");
  supervised.loop.start();
  EXPECT_TRUE(supervised.threads.await("up a"));
  const auto begin = std::chrono::steady_clock::now();
  supervised.end();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
  EXPECT_TRUE(supervised.threads.await("kill a"));
}

TEST(SupervisorLoopTest, WaitsBeforeARestartWithBackoff) {
  Supervised supervised({.backoff = Backoff{.initial = 30ms, .jitter = 0}}, {{.id = "a"}});
  supervised.loop.start();
  EXPECT_TRUE(supervised.threads.await("up a"));
  const auto begin = std::chrono::steady_clock::now();
  supervised.threads.end("a", failure);
  EXPECT_TRUE(supervised.threads.await("start a", 2));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms);
  supervised.end();
}

TEST(SupervisorLoopTest, AnswersRequestsAsOtpDoes) {
  Supervised supervised({}, {{.id = "a"}});
  SupervisorLoop& loop = supervised.loop;
  loop.start();
  EXPECT_EQ(loop.start_child({.id = "a"}).outcome, Outcome::already_started);
  EXPECT_EQ(loop.start_child({.id = "b"}).outcome, Outcome::ok);
  EXPECT_EQ(loop.children().back().state, ChildState::running);
  EXPECT_EQ(loop.delete_child("b").outcome, Outcome::running);
  EXPECT_EQ(loop.terminate_child("b").outcome, Outcome::ok);
  EXPECT_EQ(loop.restart_child("b").outcome, Outcome::ok);
  EXPECT_EQ(loop.start_instance().outcome, Outcome::bad_spec);
  supervised.end();
  EXPECT_EQ(loop.restart_child("b").outcome, Outcome::terminated);
}

TEST(SupervisorLoopTest, StartsInstancesWithTheirArguments) {
  class Counting : public SupervisedThreads {
  public:
    void start(const supervision::Start& start) override {
      sum += std::any_cast<int>(start.arguments);
      SupervisedThreads::start(start);
    }
    int sum = 0;
  };
  Counting threads;
  SupervisorLoop loop({.strategy = Strategy::simple_one_for_one}, {{.id = "w"}}, threads);
  threads.attach(loop);
  loop.start();
  EXPECT_EQ(loop.start_instance(1).id, "w/0");
  EXPECT_EQ(loop.start_instance(10).id, "w/1");
  EXPECT_EQ(loop.terminate_child("w/0").outcome, Outcome::ok);
  loop.stop();
  EXPECT_TRUE(loop.wait(in_a_minute()));
  EXPECT_EQ(threads.sum, 11);
}

TEST(SupervisorLoopTest, TakesRequestsAndFailuresFromManyThreads) {
  Supervised supervised({.intensity = 1'000'000}, {});
  supervised.loop.start();
  const auto work = [&](const std::string& id) {
    for (int i = 0; i < 25; ++i) {
      EXPECT_EQ(supervised.loop.start_child({.id = id}).outcome, Outcome::ok);
      supervised.threads.end(id, failure);
      EXPECT_TRUE(supervised.threads.await("up " + id, 2 * (i + 1)));
      EXPECT_EQ(supervised.loop.terminate_child(id).outcome, Outcome::ok);
      EXPECT_EQ(supervised.loop.delete_child(id).outcome, Outcome::ok);
    }
  };
  std::vector<std::thread> threads;
  for (const char* id : {"a", "b", "c", "d"}) {
    threads.emplace_back(work, id);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(supervised.loop.children().empty());
  EXPECT_EQ(supervised.end().cause, EndCause::stopped);
}

/// Does what its functions say.
class Driver : public ChildDriver {
public:
  void start(const supervision::Start& start) override { on_start(start); }
  void request_stop(const supervision::RequestStop& stop) override { on_stop(stop); }
  void kill(const supervision::Kill& kill) override { on_kill(kill); }
  void ready() override { on_ready(); }

  std::function<void(const supervision::Start&)> on_start = [](const auto&) {};
  std::function<void(const supervision::RequestStop&)> on_stop = [](const auto&) {};
  std::function<void(const supervision::Kill&)> on_kill = [](const auto&) {};
  std::function<void()> on_ready = [] {};
};

TEST(SupervisorLoopTest, AStartThatThrowsHasFailed) {
  Driver driver;
  driver.on_start = [](const auto&) { throw std::runtime_error("no room"); };
  SupervisorLoop loop({}, {{.id = "a"}}, driver);
  loop.start();
  const auto end = loop.wait(in_a_minute());
  EXPECT_EQ(end.value().cause, EndCause::start_failed);
  EXPECT_THAT(to_string(*end), ::testing::HasSubstr("no room"));
  EXPECT_FALSE(loop.wait_until_ready(in_a_minute()));
}

TEST(SupervisorLoopTest, ARequestToStopThatThrowsIsFollowedByAKill) {
  Driver driver;
  SupervisorLoop loop({}, {{.id = "a", .shutdown = 0s}}, driver);
  driver.on_start = [&](const auto& start) { loop.started(start.id, start.incarnation); };
  driver.on_stop = [](const auto&) { throw std::runtime_error("can't ask"); };
  driver.on_kill = [&](const auto& kill) { loop.exited(kill.id, kill.incarnation, failure); };
  loop.start();
  loop.stop();
  EXPECT_TRUE(loop.wait(in_a_minute()));
}

TEST(SupervisorLoopTest, ARequestEndsAtItsDeadline) {
  Driver driver; // its start never ends
  SupervisorLoop loop({}, {}, driver);
  loop.start();
  try {
    loop.start_child({.id = "a"}, 10ms);
    FAIL() << "the start can't be over";
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), Code::deadline_exceeded);
  }
}

TEST(SupervisorLoopTest, ADriverCantWaitForItsOwnSupervisor) {
  Driver driver;
  SupervisorLoop loop({}, {}, driver);
  std::promise<Code> code;
  driver.on_ready = [&] {
    try {
      loop.wait(in_a_minute());
    } catch (const CallError& error) {
      code.set_value(error.code());
    }
  };
  loop.start();
  EXPECT_EQ(code.get_future().get(), Code::failed_precondition);
}

TEST(SupervisorLoopTest, ALoopThatIsDestroyedHasItsChildrenKilled) {
  Driver driver;
  std::vector<std::string> killed;
  driver.on_kill = [&](const auto& kill) { killed.push_back(kill.id); };
  {
    SupervisorLoop loop({}, {{.id = "a"}, {.id = "b"}}, driver);
    driver.on_start = [&](const auto& start) { loop.started(start.id, start.incarnation); };
    loop.start();
    EXPECT_TRUE(loop.wait_until_ready(in_a_minute()));
  }
  EXPECT_THAT(killed, ElementsAre("a", "b"));
}

/// A supervisor whose child is a supervisor of threads.
TEST(SupervisorLoopTest, SupervisorsMayBeChildrenOfOthers) {
  struct Below : SupervisedThreads {
    void ready() override { when_ready(); }
    void terminated(const supervision::Terminated& end) override { when_terminated(end); }
    std::function<void()> when_ready;
    std::function<void(const supervision::Terminated&)> when_terminated;
  };
  struct Floor {
    Below threads{};
    SupervisorLoop loop{{.intensity = 0}, {{.id = "leaf"}}, threads};
  };
  std::vector<std::unique_ptr<Floor>> floors;
  Driver driver;
  SupervisorLoop top({}, {{.id = "below", .kind = ChildKind::supervisor}}, driver);
  driver.on_start = [&](const supervision::Start& start) {
    Floor& floor = *floors.emplace_back(std::make_unique<Floor>());
    floor.threads.attach(floor.loop);
    floor.threads.when_ready = [&top, start] { top.started(start.id, start.incarnation); };
    floor.threads.when_terminated = [&top, start](const auto& end) {
      top.exited(start.id, start.incarnation, exit_reason(end));
    };
    floor.loop.start();
  };
  driver.on_stop = [&](const auto&) { floors.back()->loop.stop(); };
  top.start();
  ASSERT_TRUE(top.wait_until_ready(in_a_minute()));
  Floor& first = *floors.front();
  first.threads.end("leaf", failure);
  EXPECT_TRUE(first.loop.wait(in_a_minute()));
  top.stop(); // comes after the news that the first floor has ended, and so after its restart
  EXPECT_EQ(top.wait(in_a_minute()).value().cause, EndCause::stopped);
  EXPECT_EQ(floors.size(), 2U);
  EXPECT_EQ(top.count_children().active, 0U);
}

} // namespace
} // namespace callboard
