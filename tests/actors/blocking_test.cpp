// SPDX-License-Identifier: Apache-2.0
#include "error_of.hpp"
#include "nodes.hpp"

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
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Asks its neighbour, which asks its own.
class Asker {
public:
  void know(Client<Asker> neighbour) { neighbour_ = std::move(neighbour); }
  int ask(int hops) { return hops == 0 ? 0 : 1 + neighbour_.call<&Asker::ask>(hops - 1); }
  int ask_future(int hops) {
    return hops == 0 ? 0 : 1 + neighbour_.async<&Asker::ask_future>(hops - 1).get();
  }
  bool ask_patiently() { return neighbour_.async<&Asker::nothing>().wait_for(10s); }
  Task<int> ask_softly(int hops) {
    if (hops == 0) {
      co_return 0;
    }
    co_return 1 + co_await neighbour_.async<&Asker::ask_softly>(hops - 1);
  }
  void nothing() {}
  using exposed = methods<
      &Asker::know,
      &Asker::ask,
      &Asker::ask_future,
      &Asker::ask_patiently,
      &Asker::ask_softly,
      &Asker::nothing>;

private:
  Client<Asker> neighbour_;
};

/// So many nodes named a/0, a/1, …, each knowing the next, the last the first.
std::vector<Client<Asker>> make_ring(Nodes& nodes, int size, bool own_thread) {
  std::vector<Client<Asker>> ring;
  for (int i = 0; i < size; ++i) {
    ring.push_back(nodes.add("a/" + std::to_string(i), std::make_shared<Asker>(), own_thread));
  }
  for (std::size_t i = 0; i < ring.size(); ++i) {
    ring[i].call<&Asker::know>(ring[(i + 1) % ring.size()]);
  }
  return ring;
}

TEST(BlockingTest, AMethodMayNotCallAndWait) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 2, false);
  const Error error = error_of([&] { return ring[0].call<&Asker::ask>(1); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_EQ(error.node, "a/0");
  EXPECT_THAT(
      error.message,
      AllOf(
          HasSubstr("Asker::ask would block inside a method"),
          HasSubstr("make the method a Task and co_await the call there"),
          HasSubstr("or give the node .own_thread = true")));
}

TEST(BlockingTest, AMethodMayNotWaitForAFuture) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 2, false);
  const Error got = error_of([&] { return ring[0].call<&Asker::ask_future>(1); });
  EXPECT_EQ(got.code, Code::failed_precondition);
  EXPECT_THAT(got.message, HasSubstr("Future::get would block inside a method"));
  const Error waited = error_of([&] { return ring[0].call<&Asker::ask_patiently>(); });
  EXPECT_EQ(waited.code, Code::failed_precondition);
  EXPECT_THAT(waited.message, HasSubstr("Future::wait_for would block inside a method"));
}

TEST(BlockingTest, AMethodOfANodeWithOwnThreadMayWait) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 3, true);
  EXPECT_EQ(ring[0].call<&Asker::ask>(2), 2);
  EXPECT_EQ(ring[0].call<&Asker::ask_future>(2), 2);
  EXPECT_TRUE(ring[0].call<&Asker::ask_patiently>());
}

TEST(BlockingTest, ServedWithOwnThreadItMayWaitForAnotherServedNode) {
  auto first = testing::serve_with<Asker>({.own_thread = true});
  auto second = testing::serve<Asker>();
  first.client().call<&Asker::know>(second.client());
  EXPECT_EQ(first.client().call<&Asker::ask>(1), 1);
}

TEST(BlockingTest, ACycleOfTwoEndsAtOnceAndNamesItself) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 2, true);
  const auto start = std::chrono::steady_clock::now();
  const Error error = error_of([&] { return ring[0].call<&Asker::ask>(2); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, defaults::call_deadline);
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(error.message, HasSubstr("call cycle a/0 → a/1 → a/0"));
}

TEST(BlockingTest, ACycleThroughAFutureEndsAtOnce) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 2, true);
  const auto start = std::chrono::steady_clock::now();
  const Error error = error_of([&] { return ring[0].call<&Asker::ask_future>(2); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, defaults::call_deadline / 2);
  EXPECT_EQ(error.code, Code::failed_precondition);
  // Whichever is the last to wait finds it.
  EXPECT_THAT(
      error.message,
      AnyOf(HasSubstr("call cycle a/0 → a/1 → a/0"), HasSubstr("call cycle a/1 → a/0 → a/1")));
}

TEST(BlockingTest, ACallOfItselfEndsAtOnce) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 1, true);
  const Error error = error_of([&] { return ring[0].call<&Asker::ask>(1); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(error.message, HasSubstr("call cycle a/0 → a/0"));
}

TEST(BlockingTest, ACycleNamesOnlyTheNodesInIt) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 3, true);
  const auto outside = nodes.add("outside/0", std::make_shared<Asker>(), true);
  outside.call<&Asker::know>(ring[0]);
  const Error error = error_of([&] { return outside.call<&Asker::ask>(4); });
  EXPECT_THAT(error.message, HasSubstr("call cycle a/0 → a/1 → a/2 → a/0:"));
}

TEST(BlockingTest, ACycleAcrossRuntimesIsFoundToo) {
  auto first = testing::serve_with<Asker>({.node = "left/0", .own_thread = true});
  auto second = testing::serve_with<Asker>({.node = "right/0", .own_thread = true});
  first.client().call<&Asker::know>(second.client());
  second.client().call<&Asker::know>(first.client());
  const Error error = error_of([&] { return first.client().call<&Asker::ask>(2); });
  EXPECT_THAT(error.message, HasSubstr("call cycle left/0 → right/0 → left/0"));
}

TEST(BlockingTest, TheRingIsServedAsBeforeAfterACycle) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 2, true);
  EXPECT_FALSE(ring[0].try_call<&Asker::ask>(2));
  EXPECT_EQ(ring[0].call<&Asker::ask>(1), 1);
}

// U25
TEST(BlockingTest, ARingOfAsManyServicesAsThreadsIsRefusedInMethodsAndEndsAsTasks) {
  constexpr int threads = 4;
  Nodes nodes({.threads = threads});
  const auto ring = make_ring(nodes, threads, false);
  std::vector<Future<int>> methods;
  std::vector<Future<int>> tasks;
  for (const auto& client : ring) {
    methods.push_back(client.async<&Asker::ask>(threads));
    tasks.push_back(client.async<&Asker::ask_softly>(10 * threads));
  }
  for (auto& each : methods) {
    EXPECT_EQ(std::move(each).result().error().code, Code::failed_precondition);
  }
  EXPECT_EQ(when_all(std::move(tasks)).get(), std::vector<int>(threads, 10 * threads));
}

TEST(BlockingTest, TasksThatCallThemselvesDeeplyKeepTheStackFlat) {
  Nodes nodes;
  const auto ring = make_ring(nodes, 1, false);
  EXPECT_EQ(ring[0].call<&Asker::ask_softly>(20'000), 20'000);
}

} // namespace
} // namespace callboard
