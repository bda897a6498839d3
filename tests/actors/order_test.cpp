// SPDX-License-Identifier: Apache-2.0
#include "gate.hpp"
#include "ledger.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

std::size_t this_thread() {
  return std::hash<std::thread::id>()(std::this_thread::get_id());
}

class Scribe {
public:
  explicit Scribe(Gate* gate = nullptr) : gate_(gate) {}
  void hold() {
    gate_->arrive();
    gate_->pass();
  }
  void write(char c) { text_ += c; }
  std::string text() const { return text_; }
  bool runs_on(std::size_t thread) const { return thread == this_thread(); }
  using exposed = methods<&Scribe::hold, &Scribe::write, &Scribe::text, &Scribe::runs_on>;

private:
  Gate* gate_;
  std::string text_;
};

TEST(OrderTest, CallsTellsAndAsyncsOfOneClientRunInTheOrderMade) {
  auto served = testing::serve<Scribe>();
  const Client<Scribe> client = served.client();
  std::string expected;
  std::vector<Future<void>> futures;
  for (int i = 0; i < 300; ++i) {
    const char c = static_cast<char>('a' + i % 26);
    expected += c;
    switch (i % 7) {
    case 0:
    case 3: client.call<&Scribe::write>(c); break;
    case 1:
    case 5: client.tell<&Scribe::write>(c); break;
    default: futures.push_back(client.async<&Scribe::write>(c));
    }
  }
  when_all(std::move(futures)).get();
  EXPECT_EQ(client.call<&Scribe::text>(), expected);
}

TEST(OrderTest, WhatIsQueuedBehindAHeldServiceKeepsItsOrder) {
  Gate gate;
  auto served = testing::serve<Scribe>(&gate);
  const Client<Scribe> client = served.client();
  Future<void> held = client.async<&Scribe::hold>();
  ASSERT_TRUE(gate.await_arrival());
  client.tell<&Scribe::write>('a');
  Future<void> second = client.async<&Scribe::write>('b');
  client.tell<&Scribe::write>('c');
  Future<std::string> text = client.async<&Scribe::text>();
  gate.open();
  EXPECT_EQ(text.get(), "abc");
  held.get();
  second.get();
}

TEST(OrderTest, AShortMethodOfAnIdleServiceRunsOnTheCallersThread) {
  auto served = testing::serve<Scribe>();
  const auto runs_here = [&] { return served.client().call<&Scribe::runs_on>(this_thread()); };
  // Some runs are needed until the method is known to be short; a loaded machine lengthens some.
  bool here = false;
  for (int i = 0; i < 100'000 && !here; ++i) {
    here = runs_here();
  }
  EXPECT_TRUE(here);
}

TEST(OrderTest, AMethodOfANodeWithOwnThreadNeverRunsOnTheCallersThread) {
  auto served = testing::serve_with<Scribe>({.own_thread = true});
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(served.client().call<&Scribe::runs_on>(this_thread()));
  }
}

TEST(OrderTest, EightThreadsOnThreeServices) {
  expect_order_and_exclusion(8, 3, 1'000);
}

} // namespace
} // namespace callboard
