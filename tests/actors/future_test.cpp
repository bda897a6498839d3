// SPDX-License-Identifier: Apache-2.0
#include "captured_log.hpp"
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Replies when it is told to.
class Oracle {
public:
  int now(int n) { return n; }
  void nothing() {}
  void fail(const std::string& why) { throw std::runtime_error(why); }
  Deferred<int> later() { return pending_.emplace_back(); }
  int answer(int n) {
    int taken = 0;
    for (const Deferred<int>& each : std::exchange(pending_, {})) {
      taken += each.set(n) ? 1 : 0;
    }
    return taken;
  }
  using exposed =
      methods<&Oracle::now, &Oracle::nothing, &Oracle::fail, &Oracle::later, &Oracle::answer>;

private:
  std::vector<Deferred<int>> pending_;
};

class FutureTest : public ::testing::Test {
protected:
  testing::Served<Oracle> served_ = testing::serve<Oracle>();
  Client<Oracle> client_ = served_.client();
};

TEST_F(FutureTest, GetTakesTheResult) {
  Future<int> future = client_.async<&Oracle::now>(3);
  EXPECT_TRUE(future.valid());
  EXPECT_EQ(future.get(), 3);
  EXPECT_FALSE(future.valid());
}

TEST_F(FutureTest, AnEmptyFutureFailsAsFailedPrecondition) {
  Future<int> future;
  EXPECT_EQ(error_of([&] { return future.get(); }).code, Code::failed_precondition);
  EXPECT_EQ(error_of([&] { return future.ready(); }).code, Code::failed_precondition);
  EXPECT_EQ(error_of([&] { return future.wait_for(1s); }).code, Code::failed_precondition);
  EXPECT_EQ(error_of([&] { return future.cancel(), 0; }).code, Code::failed_precondition);
  EXPECT_EQ(error_of([&] { return future.then([](int) {}); }).code, Code::failed_precondition);
  std::vector<Future<int>> futures(1);
  EXPECT_EQ(error_of([&] { return when_all(std::move(futures)); }).code, Code::failed_precondition);
}

TEST_F(FutureTest, WaitForEndsWithTheResultOrThePatience) {
  Future<int> future = client_.async<&Oracle::later>();
  EXPECT_FALSE(future.wait_for(5ms));
  EXPECT_FALSE(future.ready());
  EXPECT_EQ(client_.call<&Oracle::answer>(4), 1);
  EXPECT_TRUE(future.wait_for(10s));
  EXPECT_TRUE(future.ready());
  EXPECT_EQ(future.get(), 4);
}

TEST_F(FutureTest, IsReadyAtItsDeadlineThoughNobodyWaits) {
  auto served = testing::serve_with<Oracle>({.deterministic = true});
  Future<int> future = served.client().with({.deadline = 2s}).async<&Oracle::later>();
  served.advance(1s);
  EXPECT_FALSE(future.ready());
  served.advance(1s);
  EXPECT_TRUE(future.ready());
  EXPECT_EQ(std::move(future).result().error().code, Code::deadline_exceeded);
}

TEST_F(FutureTest, ThenSeesTheValue) {
  Future<std::string> future =
      client_.async<&Oracle::now>(5).then([](int n) { return std::to_string(n); });
  EXPECT_EQ(future.get(), "5");
}

TEST_F(FutureTest, ThenWithoutResultSeesNothing) {
  EXPECT_EQ(client_.async<&Oracle::nothing>().then([] { return 8; }).get(), 8);
  bool seen = false;
  client_.async<&Oracle::now>(1).then([&](int) { seen = true; }).get();
  EXPECT_TRUE(seen);
}

TEST_F(FutureTest, ThenWithAValueIsSkippedByAFailure) {
  bool seen = false;
  Future<void> future = client_.async<&Oracle::fail>("no").then([&] { seen = true; });
  EXPECT_EQ(std::move(future).result().error().message, "no");
  EXPECT_FALSE(seen);
}

TEST_F(FutureTest, ThenWithAResultSeesFailuresToo) {
  auto text = [](Result<void> result) {
    return result ? std::string("fine") : result.error().message;
  };
  EXPECT_EQ(client_.async<&Oracle::fail>("no").then(text).get(), "no");
  EXPECT_EQ(client_.async<&Oracle::nothing>().then(text).get(), "fine");
  EXPECT_EQ(client_.async<&Oracle::now>(6).then([](Result<int> n) { return *n + 1; }).get(), 7);
}

TEST_F(FutureTest, ThenFailsWithWhatItsFunctionThrows) {
  Future<int> future =
      client_.async<&Oracle::now>(1).then([](int) -> int { throw std::out_of_range("far"); });
  const Error error = error_of([&] { return future.get(); });
  EXPECT_EQ(error.code, Code::application);
  EXPECT_EQ(error.type, "std::out_of_range");
}

TEST_F(FutureTest, ThenIsChained) {
  Future<int> future = client_.async<&Oracle::now>(0);
  for (int i = 0; i < 1000; ++i) {
    future = std::move(future).then([](int n) { return n + 1; });
  }
  EXPECT_EQ(future.get(), 1000);
}

TEST_F(FutureTest, ThenEndsAtTheDeadlineOfItsCall) {
  auto seen = [](Result<int> result) { return result.error().code; };
  Future<Code> future = client_.with({.deadline = 20ms}).async<&Oracle::later>().then(seen);
  EXPECT_EQ(future.get(), Code::deadline_exceeded);
}

TEST_F(FutureTest, ThenMayNotBlockAThreadOfTheScheduler) {
  Future<int> future =
      client_.async<&Oracle::now>(1).then([this](int n) { return client_.call<&Oracle::now>(n); });
  const Error error = error_of([&] { return future.get(); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(
      error.message, HasSubstr("would block a thread of the scheduler: use async and then"));
}

TEST_F(FutureTest, CancelEndsTheCall) {
  Future<int> future = client_.async<&Oracle::later>();
  future.cancel();
  EXPECT_EQ(std::move(future).result().error().code, Code::cancelled);
  EXPECT_EQ(client_.call<&Oracle::answer>(1), 0) << "the caller has left";
}

TEST_F(FutureTest, CancelAfterTheResultChangesNothing) {
  Future<int> future = client_.async<&Oracle::now>(2);
  ASSERT_TRUE(future.wait_for(10s));
  future.cancel();
  EXPECT_EQ(future.get(), 2);
}

TEST_F(FutureTest, ACancelledCallIsNotRunWhenItsTurnComes) {
  Gate gate;
  Future<int> held = client_.async<&Oracle::now>(1).then([&](int n) {
    gate.pass();
    return n;
  });
  auto served = testing::serve_with<Oracle>({.deterministic = true});
  Future<int> future = served.client().async<&Oracle::later>();
  future.cancel();
  EXPECT_EQ(served.client().call<&Oracle::answer>(1), 0);
  gate.open();
  EXPECT_EQ(held.get(), 1);
}

TEST_F(FutureTest, WhenAllKeepsTheOrderOfTheFutures) {
  std::vector<Future<int>> futures;
  futures.push_back(client_.async<&Oracle::later>());
  for (int i = 1; i < 100; ++i) {
    futures.push_back(client_.async<&Oracle::now>(i));
  }
  Future<std::vector<int>> all = when_all(std::move(futures));
  client_.call<&Oracle::answer>(0);
  const std::vector<int> values = all.get();
  ASSERT_EQ(values.size(), 100U);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(FutureTest, WhenAllFailsWithTheFirstFailureAndDoesNotWaitForTheRest) {
  std::vector<Future<int>> futures;
  futures.push_back(client_.async<&Oracle::later>());
  futures.push_back(client_.async<&Oracle::later>());
  futures.back().cancel();
  futures.push_back(
      client_.async<&Oracle::now>(1).then([](int) -> int { throw std::runtime_error("second"); }));
  EXPECT_EQ(when_all(std::move(futures)).result().error().code, Code::cancelled);
  EXPECT_EQ(client_.call<&Oracle::answer>(0), 1);
}

TEST_F(FutureTest, WhenAllOfVoidAndOfNothing) {
  std::vector<Future<void>> futures;
  futures.push_back(client_.async<&Oracle::nothing>());
  futures.push_back(client_.async<&Oracle::nothing>());
  Future<void> all = when_all(std::move(futures));
  EXPECT_NO_THROW(all.get());
  EXPECT_TRUE(when_all(std::vector<Future<int>>()).get().empty());
  EXPECT_NO_THROW(when_all(std::vector<Future<void>>()).get());
}

TEST_F(FutureTest, AnAbandonedFailureIsLoggedOnceWheneverItComes) {
  const CapturedLog log;
  { const Future<void> before = client_.async<&Oracle::fail>("after the future is gone"); }
  {
    const Future<void> after = client_.async<&Oracle::fail>("before the future is gone");
    ASSERT_TRUE(after.wait_for(10s));
  }
  client_.call<&Oracle::nothing>();
  EXPECT_THAT(
      log.lines(),
      ElementsAre(HasSubstr("after the future is gone"), HasSubstr("before the future is gone")));
}

TEST_F(FutureTest, SuccessesAndSeenFailuresAreNotLogged) {
  const CapturedLog log;
  static_cast<void>(client_.async<&Oracle::now>(1));
  static_cast<void>(client_.async<&Oracle::fail>("seen").result());
  client_.async<&Oracle::fail>("seen by then").then([](Result<void>) {}).get();
  Future<int> cancelled = client_.async<&Oracle::later>();
  cancelled.cancel();
  cancelled = {};
  client_.call<&Oracle::nothing>();
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(FutureTest, AFutureThatIsAssignedOverIsAbandoned) {
  const CapturedLog log;
  Future<void> future = client_.async<&Oracle::fail>("assigned over");
  ASSERT_TRUE(future.wait_for(10s));
  future = client_.async<&Oracle::nothing>();
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("assigned over")));
  future.get();
}

} // namespace
} // namespace callboard
