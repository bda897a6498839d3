// SPDX-License-Identifier: Apache-2.0
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Worker {
public:
  explicit Worker(Gate* gate = nullptr) : gate_(gate) {}
  void hold() {
    gate_->arrive();
    gate_->pass();
  }
  int work() { return ++worked_; }
  int worked() const { return worked_; }
  Deferred<int> later() { return pending_.emplace_back(); }
  using exposed = methods<&Worker::hold, &Worker::work, &Worker::worked, &Worker::later>;

private:
  Gate* gate_;
  int worked_ = 0;
  std::vector<Deferred<int>> pending_;
};

TEST(DeadlineTest, AnExpiredCallInTheQueueIsNotRun) {
  Gate gate;
  auto served = testing::serve<Worker>(&gate);
  Future<void> held = served.client().async<&Worker::hold>();
  ASSERT_TRUE(gate.await_arrival());
  const Error error =
      error_of([&] { return served.client().with({.deadline = 5ms}).call<&Worker::work>(); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  Future<int> unwatched = served.client().with({.deadline = 0s}).async<&Worker::work>();
  gate.open();
  held.get();
  EXPECT_EQ(served.client().call<&Worker::worked>(), 0);
  EXPECT_EQ(
      std::move(unwatched).result().error().message,
      "it came to its turn too late and was not run");
}

TEST(DeadlineTest, TheErrorSaysWhatTheCallerWaitedFor) {
  Gate gate;
  auto served = testing::serve<Worker>(&gate);
  Future<void> held = served.client().async<&Worker::hold>();
  ASSERT_TRUE(gate.await_arrival());
  const Error error =
      error_of([&] { return served.client().with({.deadline = 5ms}).call<&Worker::work>(); });
  EXPECT_EQ(error.node, "served/0");
  EXPECT_THAT(error.method, ::testing::EndsWith("Worker::work"));
  EXPECT_THAT(error.message, HasSubstr("no reply in time; served/0 is busy"));
  gate.open();
  held.get();
}

TEST(DeadlineTest, ABlockedCallerReturnsAtItsDeadline) {
  auto served = testing::serve<Worker>();
  const auto start = std::chrono::steady_clock::now();
  const auto result = served.client().with({.deadline = 30ms}).try_call<&Worker::later>();
  const auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(result.error().code, Code::deadline_exceeded);
  EXPECT_GE(waited, 30ms);
  EXPECT_LT(waited, 10s);
}

TEST(DeadlineTest, ADeadlineIsNeverEarly) {
  auto served = testing::serve<Worker>();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Future<Duration>> waits;
  for (int i = 0; i < 20; ++i) {
    const auto patience = std::chrono::milliseconds(3 * i);
    waits.push_back(
        served.client()
            .with({.deadline = patience})
            .async<&Worker::later>()
            .then([start](Result<int>) { return std::chrono::steady_clock::now() - start; }));
  }
  const std::vector<Duration> waited = when_all(std::move(waits)).get();
  for (int i = 0; i < 20; ++i) {
    EXPECT_GE(waited[static_cast<std::size_t>(i)], std::chrono::milliseconds(3 * i));
  }
}

/// With virtual time.
class DeadlineInTimeTest : public ::testing::Test {
protected:
  testing::Served<Worker> served_ =
      testing::serve_with<Worker>({.deterministic = true, .call_deadline = 7s});
  Client<Worker> client_ = served_.client();
};

TEST_F(DeadlineInTimeTest, CallsEndInTheOrderOfTheirDeadlines) {
  std::vector<int> ended;
  std::vector<Future<void>> waits;
  for (const int seconds : {30, 1, 20, 2, 100}) {
    waits.push_back(client_.with({.deadline = std::chrono::seconds(seconds)})
                        .async<&Worker::later>()
                        .then([&ended, seconds](Result<int>) { ended.push_back(seconds); }));
  }
  served_.advance(1999ms);
  EXPECT_EQ(ended, (std::vector{1}));
  served_.advance(1ms);
  EXPECT_EQ(ended, (std::vector{1, 2}));
  served_.advance(10min);
  EXPECT_EQ(ended, (std::vector{1, 2, 20, 30, 100}));
}

TEST_F(DeadlineInTimeTest, ACallThatNamesNoneHasThatOfItsProgram) {
  Gate gate;
  Future<int> future = client_.async<&Worker::work>();
  served_.advance(0s);
  EXPECT_EQ(future.get(), 1);
  static_assert(defaults::call_deadline == 10s);
}

TEST_F(DeadlineInTimeTest, AWaitThatNothingCanEndFailsInsteadOfHanging) {
  const Error error = error_of([&] { return client_.call<&Worker::later>(); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  EXPECT_EQ(error.message, "nothing is left to run, so the call can never end");
}

TEST_F(DeadlineInTimeTest, ADeadlineOfNothingIsPassedAtOnce) {
  Future<int> future =
      client_.with({.deadline = 0s}).async<&Worker::work>().then([](int n) { return n; });
  EXPECT_EQ(std::move(future).result().error().code, Code::deadline_exceeded);
  EXPECT_EQ(
      client_.with({.deadline = -1s}).try_call<&Worker::work>().error().code,
      Code::deadline_exceeded);
  EXPECT_EQ(client_.call<&Worker::worked>(), 0);
}

/// Keeps its replies outside.
class Keeper {
public:
  explicit Keeper(std::vector<Deferred<int>>& kept) : kept_(kept) {}
  Deferred<int> keep() { return kept_.emplace_back(); }
  using exposed = methods<&Keeper::keep>;

private:
  std::vector<Deferred<int>>& kept_;
};

TEST(DeadlineEndTest, WhatStillWaitsWhenItsProgramEndsIsCancelled) {
  std::vector<Deferred<int>> kept;
  Future<int> future;
  {
    auto served = testing::serve<Keeper>(kept);
    future =
        served.client().with({.deadline = 1h}).async<&Keeper::keep>().then([](int n) { return n; });
  }
  EXPECT_EQ(std::move(future).result().error().code, Code::cancelled);
  EXPECT_FALSE(kept.front().set(1));
}

} // namespace
} // namespace callboard
