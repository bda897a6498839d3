// SPDX-License-Identifier: Apache-2.0
#include "captured_log.hpp"
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Clerk {
public:
  explicit Clerk(Gate* gate = nullptr) : gate_(gate) {}
  void hold() {
    gate_->arrive();
    gate_->pass();
  }
  void file(int /*n*/) { ++filed_; }
  int filed() const { return filed_; }
  using exposed = methods<&Clerk::hold, &Clerk::file, &Clerk::filed>;

private:
  Gate* gate_;
  int filed_ = 0;
};

/// Its mailbox has room for four; its service is held up.
class MailboxTest : public ::testing::Test {
protected:
  MailboxTest() {
    hold_ = client_.async<&Clerk::hold>();
    EXPECT_TRUE(gate_.await_arrival());
  }
  ~MailboxTest() override { gate_.open(); }

  void fill() const {
    for (int i = 0; i < 4; ++i) {
      client_.tell<&Clerk::file>(i);
    }
  }

  Gate gate_;
  testing::Served<Clerk> served_ = testing::serve_with<Clerk>({.mailbox_limit = 4}, &gate_);
  Client<Clerk> client_ = served_.client();
  Future<void> hold_;
};

TEST_F(MailboxTest, TellWaitsForRoomUpToItsDeadline) {
  const CapturedLog log;
  fill();
  const auto start = std::chrono::steady_clock::now();
  const Error error =
      error_of([&] { return client_.with({.deadline = 20ms}).tell<&Clerk::file>(4), 0; });
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
  EXPECT_EQ(error.code, Code::resource_exhausted);
  EXPECT_EQ(error.node, "served/0");
  EXPECT_THAT(error.message, HasSubstr("4 calls wait for it already (mailbox_limit)"));
  gate_.open();
  hold_.get();
  EXPECT_EQ(client_.call<&Clerk::filed>(), 4) << "nothing was sent";
  EXPECT_THAT(log.lines(), IsEmpty()) << "what is thrown is not logged as well";
}

TEST_F(MailboxTest, TellGoesOnWhenThereIsRoom) {
  fill();
  std::atomic<bool> told{false};
  std::jthread caller([&] {
    for (int i = 0; i < 100; ++i) {
      client_.tell<&Clerk::file>(i);
    }
    told = true;
  });
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(told);
  gate_.open();
  caller.join();
  while (client_.call<&Clerk::filed>() < 104) {
    std::this_thread::yield();
  }
  EXPECT_EQ(client_.call<&Clerk::filed>(), 104);
}

TEST_F(MailboxTest, AsyncFailsAtOnce) {
  fill();
  Future<void> future = client_.async<&Clerk::file>(4);
  ASSERT_TRUE(future.ready());
  EXPECT_EQ(std::move(future).result().error().code, Code::resource_exhausted);
}

TEST_F(MailboxTest, CallWaitsForRoomUpToItsDeadline) {
  fill();
  EXPECT_EQ(
      client_.with({.deadline = 20ms}).try_call<&Clerk::filed>().error().code,
      Code::resource_exhausted);
}

/// Hands on what it gets, without ever waiting.
class Secretary {
public:
  explicit Secretary(Client<Clerk> clerk) : clerk_(std::move(clerk)) {}
  Task<Code> async() {
    Future<void> future = clerk_.async<&Clerk::file>(0);
    const bool at_once = future.ready();
    try {
      co_await std::move(future);
    } catch (const CallError& error) {
      co_return at_once ? error.code() : Code::internal;
    }
    co_return Code::internal;
  }
  Code tell() {
    return error_of([&] { return clerk_.tell<&Clerk::file>(0), 0; }).code;
  }
  using exposed = methods<&Secretary::async, &Secretary::tell>;

private:
  Client<Clerk> clerk_;
};

TEST_F(MailboxTest, NothingWaitsForRoomInsideAMethod) {
  fill();
  auto served = testing::serve<Secretary>(client_);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(served.client().call<&Secretary::tell>(), Code::resource_exhausted);
  EXPECT_EQ(served.client().call<&Secretary::async>(), Code::resource_exhausted);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST(MailboxInTimeTest, TellRunsTheServiceToMakeRoom) {
  auto served = testing::serve_with<Clerk>({.deterministic = true, .mailbox_limit = 4});
  for (int i = 0; i < 50; ++i) {
    served.client().tell<&Clerk::file>(i);
  }
  EXPECT_EQ(served.client().call<&Clerk::filed>(), 50);
}

TEST(MailboxCloseTest, TellStopsWaitingWhenTheNodeIsClosed) {
  const CapturedLog log;
  Gate gate;
  auto served = testing::serve_with<Clerk>({.mailbox_limit = 1}, &gate);
  Future<void> hold = served.client().async<&Clerk::hold>();
  ASSERT_TRUE(gate.await_arrival());
  served.client().tell<&Clerk::file>(0);
  std::jthread caller([&] { served.client().with({.deadline = 1min}).tell<&Clerk::file>(1); });
  std::this_thread::sleep_for(5ms);
  const auto start = std::chrono::steady_clock::now();
  served.close();
  caller.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("served/0 has been closed")));
  gate.open();
  hold.get();
}

} // namespace
} // namespace callboard
