// SPDX-License-Identifier: Apache-2.0
#include "captured_log.hpp"
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/testing/serve.hpp>
#include <callboard/testing/stub.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Counter {
public:
  int add(int n) { return count_ += n; }
  int count() const { return count_; }
  void fail(const std::string& why) { throw std::runtime_error(why); }
  void hold() {
    gate->arrive();
    gate->pass();
  }
  using exposed = methods<&Counter::add, &Counter::count, &Counter::fail, &Counter::hold>;

  Gate* gate = nullptr;

private:
  int count_ = 0;
};

TEST(ClientTest, CallWaitsForTheResult) {
  auto served = testing::serve<Counter>();
  EXPECT_EQ(served.client().call<&Counter::add>(2), 2);
  EXPECT_EQ(served.client().call<&Counter::add>(3), 5);
}

TEST(ClientTest, CallThrowsWhatTheMethodThrew) {
  auto served = testing::serve<Counter>();
  const Error error = error_of([&] { return served.client().call<&Counter::fail>("too late"), 0; });
  EXPECT_EQ(error.code, Code::application);
  EXPECT_EQ(error.message, "too late");
}

TEST(ClientTest, TryCallReturnsTheFailure) {
  auto served = testing::serve<Counter>();
  const Result<void> failed = served.client().try_call<&Counter::fail>("too late");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "too late");
  EXPECT_EQ(*served.client().try_call<&Counter::add>(4), 4);
}

TEST(ClientTest, AsyncReturnsBeforeTheMethodHasRun) {
  Gate gate;
  auto served = testing::serve<Counter>();
  served.service().gate = &gate;
  Future<void> held = served.client().async<&Counter::hold>();
  Future<int> added = served.client().async<&Counter::add>(1);
  EXPECT_FALSE(held.ready());
  EXPECT_FALSE(added.ready());
  gate.open();
  EXPECT_EQ(added.get(), 1);
  held.get();
}

TEST(ClientTest, TellIsRunThoughNobodyWaits) {
  auto served = testing::serve<Counter>();
  served.client().tell<&Counter::add>(7);
  EXPECT_EQ(served.client().call<&Counter::count>(), 7);
}

TEST(ClientTest, TellLogsAFailureOnce) {
  const CapturedLog log;
  auto served = testing::serve<Counter>();
  served.client().tell<&Counter::fail>("not seen by anybody");
  served.client().tell<&Counter::add>(1);
  served.client().call<&Counter::count>();
  EXPECT_THAT(
      log.lines(),
      ElementsAre(
          HasSubstr("Counter::fail on served/0: application: std::runtime_error: not seen")));
}

TEST(ClientTest, WithChangesTheDeadlineOfACopyOnly) {
  const auto served = testing::serve<Counter>();
  const Client<Counter> client = served.client();
  EXPECT_EQ(client.with({.deadline = 1s}).options().deadline, Duration(1s));
  EXPECT_FALSE(client.options().deadline);
  EXPECT_EQ(client, client.with({.deadline = 1s})) << "still the same node";
}

TEST(ClientTest, AClientOfNobodyFailsAsFailedPrecondition) {
  const Client<Counter> nobody;
  EXPECT_FALSE(nobody);
  EXPECT_EQ(nobody.node(), "");
  EXPECT_EQ(
      error_of([&] { return nobody.call<&Counter::add>(1); }).code, Code::failed_precondition);
  EXPECT_EQ(nobody.async<&Counter::add>(1).result().error().code, Code::failed_precondition);
  const Error told = error_of([&] {
    nobody.tell<&Counter::add>(1);
    return 0;
  });
  EXPECT_EQ(told.code, Code::failed_precondition);
  EXPECT_THAT(told.message, HasSubstr("a client can only call while its program runs"));
}

TEST(ClientTest, CallsOfAClosedNodeFailAsUnavailable) {
  auto served = testing::serve<Counter>();
  served.close();
  const Error error = error_of([&] { return served.client().call<&Counter::add>(1); });
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_EQ(error.message, "served/0 has been closed");
}

TEST(ClientTest, ClientsAndFuturesMayOutliveTheProgram) {
  Client<Counter> client;
  Future<int> future;
  Future<int> chained;
  {
    auto served = testing::serve<Counter>();
    client = served.client();
    future = client.async<&Counter::add>(1);
    chained = client.async<&Counter::add>(1);
  }
  EXPECT_EQ(client.try_call<&Counter::add>(1).error().code, Code::unavailable);
  EXPECT_EQ(client.async<&Counter::add>(1).result().error().code, Code::unavailable);
  EXPECT_EQ(future.get(), 1) << "what is queued when a node is closed is run";
  Future<int> late = chained.then([](int n) { return n; });
  EXPECT_EQ(std::move(late).result().error().code, Code::cancelled)
      << "there is no scheduler any more";
}

TEST(ClientTest, QueuedCallsAreRunBeforeTheNodeEnds) {
  Gate gate;
  auto served = testing::serve<Counter>();
  served.service().gate = &gate;
  Future<void> held = served.client().async<&Counter::hold>();
  std::vector<Future<int>> queued;
  for (int i = 0; i < 100; ++i) {
    queued.push_back(served.client().async<&Counter::add>(1));
  }
  served.close();
  gate.open();
  EXPECT_EQ(when_all(std::move(queued)).get().back(), 100);
}

TEST(ClientTest, ConvertsArgumentsAsACallOfTheMethodWould) {
  static_assert(detail::arguments_fit<std::tuple<double, std::string>, int, const char(&)[3]>);
  static_assert(
      !detail::arguments_fit<std::tuple<std::vector<int>>, int>,
      "no vector of 5 elements from a 5");
  static_assert(!detail::arguments_fit<std::tuple<int, int>, int>);
  static_assert(!detail::arguments_fit<std::tuple<>, int>);
}

TEST(ClientTest, IsSafeToUseFromManyThreads) {
  auto served = testing::serve<Counter>();
  const Client<Counter> client = served.client();
  constexpr int threads = 4;
  constexpr int calls = 500;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < threads; ++i) {
      callers.emplace_back([&client] {
        for (int n = 0; n < calls; ++n) {
          client.call<&Counter::add>(1);
        }
      });
    }
  }
  EXPECT_EQ(client.call<&Counter::count>(), threads * calls);
}

TEST(StubTest, AnswersWithLambdas) {
  auto stub = testing::stub<Counter>();
  int told = 0;
  stub.on<&Counter::add>([](int n) { return 10 * n; }).on<&Counter::fail>([&](const std::string&) {
    ++told;
  });
  const Client<Counter> client = stub;
  EXPECT_EQ(client.call<&Counter::add>(4), 40);
  client.call<&Counter::fail>("x");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(client.try_call<&Counter::count>().error().code, Code::not_found);
}

TEST(ServeTest, NamesNodesApartAndFindsThemByName) {
  const auto first = testing::serve<Counter>();
  const auto second = testing::serve<Counter>();
  const auto named = testing::serve_with<Counter>({.node = "replay/3"});
  EXPECT_EQ(first.client().node(), "served/0");
  EXPECT_EQ(second.client().node(), "served/1");
  EXPECT_EQ(named.client().node(), "replay/3");
  EXPECT_EQ(
      error_of([] { return testing::serve_with<Counter>({.node = "replay/3"}); }).code,
      Code::already_exists);
}

class Relay {
public:
  void connect(Client<Counter> counter) { counter_ = std::move(counter); }
  void pass(int n) { counter_.tell<&Counter::add>(n); }
  Client<Counter> target() const { return counter_; }
  using exposed = methods<&Relay::connect, &Relay::pass, &Relay::target>;

private:
  Client<Counter> counter_;
};

TEST(ServeTest, ClientsTravelBetweenServedNodes) {
  auto counter = testing::serve<Counter>();
  auto relay = testing::serve<Relay>();
  relay.client().call<&Relay::connect>(counter.client());
  relay.client().call<&Relay::pass>(5);
  EXPECT_EQ(counter.client().call<&Counter::count>(), 5);
  EXPECT_EQ(relay.client().call<&Relay::target>(), counter.client());
}

} // namespace
} // namespace callboard
