// SPDX-License-Identifier: Apache-2.0
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;

/// A queue whose `get` waits without holding a thread.
class Mailbox {
public:
  Deferred<std::string> get() {
    Deferred<std::string> reply;
    if (items_.empty()) {
      waiting_.push_back(reply);
    } else {
      reply.set(std::exchange(items_.front(), {}));
      items_.pop_front();
    }
    return reply;
  }
  /// The number of callers that had left.
  int put(const std::string& item) {
    int left = 0;
    for (; !waiting_.empty(); ++left) {
      const Deferred<std::string> first = std::move(waiting_.front());
      waiting_.pop_front();
      if (first.set(item)) {
        return left;
      }
    }
    items_.push_back(item);
    return left;
  }
  int waiting() const {
    int count = 0;
    for (const auto& each : waiting_) {
      count += each.waiting() ? 1 : 0;
    }
    return count;
  }
  void refuse() { waiting_.front().fail({.code = Code::resource_exhausted, .message = "no more"}); }
  void drop() { waiting_.clear(); }
  Deferred<void> signal() { return signal_; }
  void send() { signal_.set(); }
  Deferred<std::string> same() {
    if (!same_) {
      same_.emplace();
      same_->set("once");
    }
    return *same_;
  }
  Deferred<int> from_thread(int n) {
    Deferred<int> reply;
    thread_ = std::jthread([reply, n] { reply.set(n); });
    return reply;
  }
  Deferred<int> none() { return {}; }
  using exposed = methods<
      &Mailbox::get,
      &Mailbox::put,
      &Mailbox::waiting,
      &Mailbox::refuse,
      &Mailbox::drop,
      &Mailbox::signal,
      &Mailbox::send,
      &Mailbox::same,
      &Mailbox::from_thread,
      &Mailbox::none>;

private:
  std::deque<std::string> items_;
  std::deque<Deferred<std::string>> waiting_;
  Deferred<void> signal_;
  std::optional<Deferred<std::string>> same_;
  std::jthread thread_;
};

class DeferredTest : public ::testing::Test {
protected:
  testing::Served<Mailbox> served_ = testing::serve<Mailbox>();
  Client<Mailbox> client_ = served_.client();
};

/// With virtual time.
class DeferredInTimeTest : public ::testing::Test {
protected:
  testing::Served<Mailbox> served_ = testing::serve_with<Mailbox>({.deterministic = true});
  Client<Mailbox> client_ = served_.client();
};

TEST_F(DeferredTest, RepliesAtOnceWhenTheValueIsThere) {
  client_.call<&Mailbox::put>("early");
  EXPECT_EQ(client_.call<&Mailbox::get>(), "early");
}

TEST_F(DeferredTest, RepliesFromAnotherMethod) {
  Future<std::string> first = client_.async<&Mailbox::get>();
  Future<std::string> second = client_.async<&Mailbox::get>();
  client_.call<&Mailbox::put>("a");
  client_.call<&Mailbox::put>("b");
  EXPECT_EQ(first.get(), "a");
  EXPECT_EQ(second.get(), "b");
}

TEST_F(DeferredTest, RepliesFromAPlainThread) {
  EXPECT_EQ(client_.call<&Mailbox::from_thread>(7), 7);
}

TEST_F(DeferredTest, RepliesWithoutValue) {
  Future<void> future = client_.async<&Mailbox::signal>();
  client_.call<&Mailbox::send>();
  EXPECT_NO_THROW(future.get());
}

TEST_F(DeferredTest, ABlockedCallerIsWokenByTheReply) {
  std::string got;
  {
    const std::jthread caller([&] { got = client_.call<&Mailbox::get>(); });
    while (client_.call<&Mailbox::waiting>() == 0) {
      std::this_thread::yield();
    }
    client_.call<&Mailbox::put>("woken");
  }
  EXPECT_EQ(got, "woken");
}

TEST_F(DeferredTest, FailsTheCall) {
  Future<std::string> future = client_.async<&Mailbox::get>();
  client_.call<&Mailbox::refuse>();
  const Error error = error_of([&] { return future.get(); });
  EXPECT_EQ(error.code, Code::resource_exhausted);
  EXPECT_EQ(error.message, "no more");
  EXPECT_EQ(error.node, "served/0");
  EXPECT_THAT(error.method, ::testing::EndsWith("Mailbox::get"));
}

TEST_F(DeferredTest, IsAbortedWhenDropped) {
  Future<std::string> future = client_.async<&Mailbox::get>();
  client_.call<&Mailbox::drop>();
  EXPECT_EQ(std::move(future).result().error().code, Code::aborted);
  EXPECT_EQ(client_.try_call<&Mailbox::none>().error().code, Code::aborted);
}

TEST_F(DeferredTest, IsAbortedWhenItsNodeEnds) {
  Future<std::string> future = client_.async<&Mailbox::get>();
  served_.close();
  EXPECT_EQ(std::move(future).result().error().code, Code::aborted);
}

TEST_F(DeferredTest, SetIsRefusedByACallerThatHasCancelled) {
  Future<std::string> gone = client_.async<&Mailbox::get>();
  Future<std::string> next = client_.async<&Mailbox::get>();
  ASSERT_EQ(client_.call<&Mailbox::waiting>(), 2);
  gone.cancel();
  EXPECT_EQ(client_.call<&Mailbox::put>("a"), 1);
  EXPECT_EQ(next.get(), "a") << "the item goes to the next";
}

TEST_F(DeferredTest, AnswersOneCallOnly) {
  EXPECT_EQ(client_.call<&Mailbox::same>(), "once");
  EXPECT_EQ(client_.try_call<&Mailbox::same>().error().code, Code::failed_precondition);
}

TEST_F(DeferredTest, CanBeSetOnce) {
  const Deferred<int> deferred;
  EXPECT_TRUE(deferred.waiting());
  EXPECT_TRUE(deferred.set(1));
  EXPECT_FALSE(deferred.waiting());
  EXPECT_FALSE(deferred.set(2));
  EXPECT_FALSE(deferred.fail({}));
}

TEST_F(DeferredInTimeTest, WaitsWithoutDefaultDeadline) {
  Future<std::string> future = client_.async<&Mailbox::get>();
  served_.advance(24h);
  EXPECT_FALSE(future.ready());
  EXPECT_EQ(client_.call<&Mailbox::put>("a"), 0);
  EXPECT_EQ(future.get(), "a");
}

TEST_F(DeferredInTimeTest, HonoursADeadlineThatIsGiven) {
  const Error error =
      error_of([&] { return client_.with({.deadline = 3s}).call<&Mailbox::get>(); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  EXPECT_EQ(client_.call<&Mailbox::waiting>(), 0);
}

TEST_F(DeferredInTimeTest, SetIsRefusedAfterTheDeadlineThoughNobodyWatchesIt) {
  Future<std::string> late = client_.with({.deadline = 3s}).async<&Mailbox::get>();
  served_.advance(2999ms);
  EXPECT_EQ(client_.call<&Mailbox::waiting>(), 1);
  served_.advance(1ms);
  EXPECT_EQ(client_.call<&Mailbox::waiting>(), 0);
  EXPECT_EQ(client_.call<&Mailbox::put>("a"), 1);
  EXPECT_EQ(client_.call<&Mailbox::get>(), "a") << "the item is still there";
  EXPECT_EQ(std::move(late).result().error().code, Code::deadline_exceeded);
}

} // namespace
} // namespace callboard
