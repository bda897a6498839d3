// SPDX-License-Identifier: Apache-2.0
#include "captured_log.hpp"
#include "error_of.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;

/// Opens for all who wait.
class Door {
public:
  Deferred<int> wait() { return waiting_.emplace_back(); }
  void open(int n) {
    for (const Deferred<int>& each : std::exchange(waiting_, {})) {
      each.set(n);
    }
  }
  void fail(const std::string& why) { throw std::runtime_error(why); }
  int waiting() const { return static_cast<int>(waiting_.size()); }
  void nothing() {}
  using exposed = methods<&Door::wait, &Door::open, &Door::fail, &Door::waiting, &Door::nothing>;

private:
  std::vector<Deferred<int>> waiting_;
};

class Porter {
public:
  explicit Porter(Client<Door> door) : door_(std::move(door)) {}

  Task<int> pass(int n) {
    ++inside_;
    const int opened = co_await door_.async<&Door::wait>();
    --inside_;
    co_return opened + n;
  }
  Task<int> pass_twice(int n) {
    const int once = co_await pass(n);
    co_return co_await pass(once);
  }
  Task<void> nothing() {
    co_await door_.async<&Door::nothing>();
    co_await leaf();
  }
  Task<std::string> text(const std::string& by_reference, std::string by_value) {
    co_await door_.async<&Door::wait>();
    co_return by_reference + by_value;
  }
  Task<int> fail_early(const std::string& why) {
    if (!why.empty()) {
      throw std::invalid_argument(why);
    }
    co_return 0;
  }
  Task<int> fail_late() {
    co_await door_.async<&Door::nothing>();
    throw std::invalid_argument("late");
  }
  Task<int> fail_inside() { co_return co_await fail_late(); }
  Task<std::string> catch_failure() {
    try {
      co_await door_.async<&Door::fail>("shut");
    } catch (const CallError& error) {
      co_return error.error().message;
    }
    co_return "none";
  }
  Task<int> count_down(int n) {
    int sum = 0;
    for (; n > 0; --n) {
      sum += co_await one();
    }
    co_return sum;
  }
  int inside() const { return inside_; }
  using exposed = methods<
      &Porter::pass,
      &Porter::pass_twice,
      &Porter::nothing,
      &Porter::text,
      &Porter::fail_early,
      &Porter::fail_late,
      &Porter::fail_inside,
      &Porter::catch_failure,
      &Porter::count_down,
      &Porter::inside>;

private:
  static Task<void> leaf() { co_return; }
  static Task<int> one() { co_return 1; }

  Client<Door> door_;
  int inside_ = 0;
};

class TaskTest : public ::testing::Test {
protected:
  /// Waits until so many tasks wait at the door.
  void await_waiting(int count) const {
    while (door_.client().call<&Door::waiting>() < count) {
      std::this_thread::yield();
    }
  }

  testing::Served<Door> door_ = testing::serve<Door>();
  testing::Served<Porter> porter_ = testing::serve<Porter>(door_.client());
  Client<Porter> client_ = porter_.client();
};

TEST_F(TaskTest, OtherMethodsRunWhileItWaits) {
  Future<int> passing = client_.async<&Porter::pass>(1);
  await_waiting(1);
  EXPECT_EQ(client_.call<&Porter::inside>(), 1);
  door_.client().call<&Door::open>(10);
  EXPECT_EQ(passing.get(), 11);
  EXPECT_EQ(client_.call<&Porter::inside>(), 0);
}

TEST_F(TaskTest, AHundredThousandWaitAtOnce) {
  constexpr int count = 100'000;
  std::vector<Future<int>> passing;
  passing.reserve(count);
  for (int i = 0; i < count; ++i) {
    passing.push_back(client_.with({.deadline = 100s}).async<&Porter::pass>(i));
  }
  await_waiting(count);
  EXPECT_EQ(client_.call<&Porter::inside>(), count);
  door_.client().with({.deadline = 100s}).call<&Door::open>(1);
  const std::vector<int> results = when_all(std::move(passing)).get();
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(results[static_cast<std::size_t>(i)], i + 1);
  }
  EXPECT_EQ(client_.call<&Porter::inside>(), 0);
}

TEST_F(TaskTest, TasksAwaitTasks) {
  Future<int> passing = client_.async<&Porter::pass_twice>(1);
  await_waiting(1);
  door_.client().call<&Door::open>(10);
  await_waiting(1);
  door_.client().call<&Door::open>(100);
  EXPECT_EQ(passing.get(), 111);
}

TEST_F(TaskTest, AwaitingFinishedTasksInALoopKeepsTheStackFlat) {
  EXPECT_EQ(client_.call<&Porter::count_down>(10'000), 10'000);
}

TEST_F(TaskTest, ReturnsNothing) {
  EXPECT_NO_THROW(client_.call<&Porter::nothing>());
}

TEST_F(TaskTest, ItsArgumentsLiveAsLongAsItDoes) {
  const std::string by_reference(100, 'r');
  const std::string by_value(100, 'v');
  Future<std::string> future = client_.async<&Porter::text>(by_reference, by_value);
  await_waiting(1);
  door_.client().call<&Door::open>(0);
  EXPECT_EQ(future.get(), by_reference + by_value);
}

TEST_F(TaskTest, ItsExceptionsFailTheCall) {
  const Error early = error_of([&] { return client_.call<&Porter::fail_early>("early"); });
  EXPECT_EQ(early.message, "early");
  EXPECT_EQ(early.type, "std::invalid_argument");
  EXPECT_EQ(error_of([&] { return client_.call<&Porter::fail_late>(); }).message, "late");
  EXPECT_EQ(error_of([&] { return client_.call<&Porter::fail_inside>(); }).message, "late");
  EXPECT_EQ(client_.call<&Porter::fail_early>(""), 0);
}

TEST_F(TaskTest, CountsItsFailures) {
  EXPECT_FALSE(client_.try_call<&Porter::fail_early>("early"));
  EXPECT_FALSE(client_.try_call<&Porter::fail_late>());
  EXPECT_EQ(client_.front()->counts().failed, 2U);
}

TEST_F(TaskTest, CatchesTheFailuresOfItsCalls) {
  EXPECT_EQ(client_.call<&Porter::catch_failure>(), "shut");
}

TEST_F(TaskTest, IsAbortedWhenItsNodeEnds) {
  Future<int> passing = client_.async<&Porter::pass>(1);
  await_waiting(1);
  porter_.close();
  EXPECT_EQ(std::move(passing).result().error().code, Code::aborted);
  door_.client().call<&Door::open>(10);
}

/// What is left of a service and of the frames of its tasks, and in which order they went.
struct Traces {
  std::atomic<bool> service_lives{true};
  std::atomic<int> in_time{0};
  std::atomic<int> too_late{0};

  void one_gone() { ++(service_lives ? in_time : too_late); }
};

class Trace {
public:
  explicit Trace(Traces& traces) : traces_(traces) {}
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace() { traces_.one_gone(); }

private:
  Traces& traces_;
};

/// Something that travels, and says when it is gone.
struct Luggage {
  int weight = 0;
  std::shared_ptr<const int> tag;
};

class Traveller {
public:
  Traveller(Client<Door> door, Traces& traces) : door_(std::move(door)), traces_(traces) {}
  ~Traveller() { traces_.service_lives = false; }
  Traveller(const Traveller&) = delete;
  Traveller& operator=(const Traveller&) = delete;

  Task<void> travel(Luggage luggage) {
    const Trace trace(traces_);
    co_await inner(luggage.weight);
  }
  using exposed = methods<&Traveller::travel>;

private:
  Task<void> inner(int /*weight*/) {
    const Trace trace(traces_);
    co_await door_.async<&Door::wait>();
  }

  Client<Door> door_;
  Traces& traces_;
};

TEST_F(TaskTest, FramesAndArgumentsGoBeforeTheService) {
  const CapturedLog log; // of the dropped call
  Traces traces;
  std::shared_ptr<const int> tag(new int(7), [&traces](const int* number) {
    traces.one_gone();
    delete number;
  });
  {
    auto served = testing::serve_with<Traveller>({.recode = false}, door_.client(), traces);
    served.client().tell<&Traveller::travel>(Luggage{1, std::move(tag)});
    await_waiting(1);
  }
  EXPECT_FALSE(traces.service_lives);
  EXPECT_EQ(traces.in_time, 3) << "two frames and an argument";
  EXPECT_EQ(traces.too_late, 0);
}

/// Calls itself, so that all of it runs in one virtual time.
class Hermit {
public:
  void know(Client<Hermit> self) { self_ = std::move(self); }
  Deferred<int> never() { return never_.emplace_back(); }
  void nothing() {}
  Task<int> wait_in_vain() {
    co_await self_.async<&Hermit::nothing>();
    try {
      co_return co_await self_.async<&Hermit::never>();
    } catch (const CallError& error) {
      seen_ = error.code();
      throw;
    }
  }
  Code seen() const { return seen_; }
  using exposed = methods<
      &Hermit::know,
      &Hermit::never,
      &Hermit::nothing,
      &Hermit::wait_in_vain,
      &Hermit::seen>;

private:
  Client<Hermit> self_;
  std::vector<Deferred<int>> never_;
  Code seen_ = Code::internal;
};

TEST(TaskInTimeTest, ItsCallsInheritTheDeadlineOfItsCaller) {
  auto served = testing::serve_with<Hermit>({.deterministic = true});
  const Client<Hermit> client = served.client();
  client.call<&Hermit::know>(client);
  Future<int> future = client.with({.deadline = 5s}).async<&Hermit::wait_in_vain>();
  served.advance(4999ms);
  EXPECT_EQ(client.call<&Hermit::seen>(), Code::internal);
  served.advance(1ms);
  EXPECT_EQ(client.call<&Hermit::seen>(), Code::deadline_exceeded);
  EXPECT_EQ(std::move(future).result().error().code, Code::deadline_exceeded);
}

} // namespace
} // namespace callboard
