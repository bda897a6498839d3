// SPDX-License-Identifier: Apache-2.0
#include "error_of.hpp"
#include "gate.hpp"

#include <callboard/testing/serve.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace callboard {
namespace {

using namespace std::chrono_literals;

class Bell {
public:
  explicit Bell(Gate* rung) : rung_(rung) {}
  void ring() { rung_->arrive(); }
  void try_out() const {}
  Deferred<int> never() { return pending_; }
  using exposed = methods<&Bell::ring, &Bell::try_out, &Bell::never>;

private:
  Gate* rung_;
  Deferred<int> pending_;
};

class Ringer {
public:
  Ringer(Gate* held, Gate* rung) : held_(held), rung_(rung) {}
  void hold() {
    held_->arrive();
    held_->pass();
  }
  /// Short, so that it is soon known to be.
  void pull(const Client<Bell>& bell, bool rings) {
    rings ? bell.tell<&Bell::ring>() : bell.tell<&Bell::try_out>();
  }
  bool listen() { return rung_->await_arrival(); }
  Task<int> wait_for(Client<Bell> bell, Duration patience) {
    co_return co_await bell.with({.deadline = patience}).async<&Bell::never>();
  }
  using exposed = methods<&Ringer::hold, &Ringer::pull, &Ringer::listen, &Ringer::wait_for>;

private:
  Gate* held_;
  Gate* rung_;
};

class TurnTest : public ::testing::Test {
protected:
  Gate held_;
  Gate rung_;
  testing::Served<Bell> bell_ = testing::serve<Bell>(&rung_);
  testing::Served<Ringer> ringer_ = testing::serve<Ringer>(&held_, &rung_);
};

TEST_F(TurnTest, WhomAShortMethodWakesRunsBeforeALongOneOfTheSameTurnEnds) {
  const auto ringer = ringer_.client();
  for (int i = 0; i < 100; ++i) {
    ringer.call<&Ringer::pull>(bell_.client(), false);
  }
  Future<void> held = ringer.async<&Ringer::hold>();
  ASSERT_TRUE(held_.await_arrival());
  ringer.tell<&Ringer::pull>(bell_.client(), true);
  Future<bool> heard = ringer.async<&Ringer::listen>();
  held_.open();
  EXPECT_TRUE(heard.get());
}

TEST_F(TurnTest, ATaskThatAwaitsForLongIsEndedAtItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  const Error error =
      error_of([&] { ringer_.client().call<&Ringer::wait_for>(bell_.client(), 1200ms); });
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1200ms);
}

} // namespace
} // namespace callboard
