// SPDX-License-Identifier: Apache-2.0
// A node's address from one incarnation to the next.
#include "error_of.hpp"

#include <callboard/client.hpp>
#include <callboard/detail/front.hpp>

#include <gmock/gmock.h>

#include <deque>

namespace callboard::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Counter {
public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return value_ += n; }
  using exposed = methods<&Counter::add>;

private:
  int value_;
};

class FrontTest : public ::testing::Test {
protected:
  ~FrontTest() override {
    front_->close({.code = Code::unavailable, .message = "the test is over"});
    EXPECT_TRUE(front_->wait_closed(std::chrono::steady_clock::now() + 10s));
    EXPECT_TRUE(runtime_->close(std::chrono::steady_clock::now() + 10s));
  }

  void serve(int start) {
    auto counter = std::make_shared<Counter>(start);
    front_->serve(
        {.interface = &interface_of<Counter>(), .service = counter.get(), .owner = counter});
  }
  /// Ends the present incarnation, and waits until it has.
  void end_incarnation() {
    front_->hold();
    ASSERT_TRUE(front_->wait_closed(std::chrono::steady_clock::now() + 10s));
  }

  const std::shared_ptr<ActorRuntime> runtime_ = ActorRuntime::make({});
  const std::shared_ptr<Front> front_ = std::make_shared<Front>("counter/0", runtime_);
  const Client<Counter> client_{front_};
};

TEST_F(FrontTest, KeepsCallsForTheNextIncarnation) {
  serve(0);
  EXPECT_EQ(client_.call<&Counter::add>(1), 1);
  end_incarnation();
  Future<int> first = client_.async<&Counter::add>(1);
  Future<int> second = client_.async<&Counter::add>(1);
  EXPECT_FALSE(first.ready());
  serve(100);
  EXPECT_EQ(first.get(), 101);
  EXPECT_EQ(second.get(), 102);
}

TEST_F(FrontTest, RunsWhatWasQueuedBeforeAnIncarnationEnds) {
  serve(0);
  std::vector<Future<int>> replies;
  for (int i = 0; i < 100; ++i) {
    replies.push_back(client_.async<&Counter::add>(1));
  }
  end_incarnation();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(replies[i].get(), i + 1);
  }
}

TEST_F(FrontTest, SaysThatTheNodeIsStartedAnewWhenACallWaitsInVain) {
  serve(0);
  end_incarnation();
  const Error error = error_of([&] { client_.with({.deadline = 20ms}).call<&Counter::add>(1); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  EXPECT_THAT(error.message, HasSubstr("counter/0 is being started anew"));
}

/// Keeps what it is given.
class Store final : public Outlet {
public:
  explicit Store(std::size_t room) : room_(room) {}
  bool post(Call& call, bool force) override {
    if (!force && !has_room()) {
      return false;
    }
    calls.push_back(std::move(call));
    return true;
  }
  bool has_room() override { return calls.size() < room_; }

  std::deque<Call> calls;

private:
  const std::size_t room_;
};

TEST_F(FrontTest, LeadsElsewhereInOrderWithWhatHasWaited) {
  const auto store = std::make_shared<Store>(3);
  std::vector<Future<int>> replies;
  replies.push_back(client_.async<&Counter::add>(0));
  replies.push_back(client_.async<&Counter::add>(1));
  front_->lead_to(store);
  EXPECT_TRUE(front_->is_away());
  replies.push_back(client_.async<&Counter::add>(2));
  ASSERT_EQ(store->calls.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    auto& call = static_cast<MethodCall<&Counter::add>&>(*store->calls[i]);
    EXPECT_EQ(std::get<0>(call.arguments()), i);
    call.fulfil(i * 10);
    EXPECT_EQ(replies[i].get(), i * 10);
  }
}

TEST_F(FrontTest, BoundsWhatIsUnderWayElsewhere) {
  const auto store = std::make_shared<Store>(1);
  front_->lead_to(store);
  client_.tell<&Counter::add>(1);
  const Error error = error_of([&] { client_.with({.deadline = 20ms}).tell<&Counter::add>(2); });
  EXPECT_EQ(error.code, Code::resource_exhausted);
  EXPECT_EQ(store->calls.size(), 1U);
}

TEST_F(FrontTest, FailsCallsForGoodWhenItIsClosedBetweenIncarnations) {
  serve(0);
  end_incarnation();
  Future<int> waiting = client_.async<&Counter::add>(1);
  front_->close({.code = Code::unavailable, .message = "it gave up"});
  EXPECT_THAT(error_of([&] { waiting.get(); }).message, HasSubstr("it gave up"));
}

} // namespace
} // namespace callboard::detail
