// SPDX-License-Identifier: Apache-2.0
#include "topology/trace.hpp"

#include <callboard/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <deque>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using callboard::testing::ProgramTest;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ProgramTestTest : public TracedTest {};

class Store {
public:
  int get() const { return 1; }
  Deferred<int> never() {
    trace().add("asked");
    return waiting_.emplace_back();
  }
  using exposed = methods<&Store::get, &Store::never>;

private:
  std::deque<Deferred<int>> waiting_;
};

class Failing {
public:
  explicit Failing(Client<Store> /*store*/) {}
  void run() const {
    gates().pass("fail");
    throw std::runtime_error("the disk is full");
  }
};

Program failing() {
  Program program("failing");
  program.add<Failing>("failing", program.add<Store>("store"));
  return program;
}

void run_failing(bool expected) {
  ProgramTest test(failing());
  expected ? test.expect_failure() : void();
  gates().open("fail");
  test.running().wait();
}

TEST_F(ProgramTestTest, FailsTheTestWhenANodeFails) {
  EXPECT_NONFATAL_FAILURE(run_failing(false), "failing/0 (incarnation 1) failed");
}

TEST_F(ProgramTestTest, DoesNotWhenTheFailureIsExpected) {
  run_failing(true);
}

void run_stubborn() {
  class Stubborn {
  public:
    void run() const {
      trace().add("stays");
      gates().pass("stubborn");
      trace().add("left");
    }
  };
  Program program("stubborn");
  program.add<Stubborn>("stubborn");
  ProgramTest test(program, {.grace = 50ms});
  EXPECT_TRUE(trace().wait_for("stays"));
}

TEST_F(ProgramTestTest, FailsTheTestWhenANodeDoesNotEnd) {
  EXPECT_NONFATAL_FAILURE(run_stubborn(), "stubborn/0 did not end within the grace");
  gates().open("stubborn");
  EXPECT_TRUE(trace().wait_for("left"));
}

TEST_F(ProgramTestTest, EndsTheTestsCallsWithTheFailureOfTheNode) {
  ProgramTest test(failing());
  test.expect_failure();
  auto future = test.client<Store>("store/0").async<&Store::never>();
  EXPECT_TRUE(trace().wait_for("asked"));
  gates().open("fail");
  Error error;
  EXPECT_LT(seconds_of([&] { error = std::move(future).result().error(); }), 1);
  EXPECT_THAT(error.message, AllOf(HasSubstr("failing/0 failed"), HasSubstr("the disk is full")));
  const Error later = test.client<Store>("store/0").try_call<&Store::get>().error();
  EXPECT_THAT(later.message, AllOf(HasSubstr("failing/0 failed"), HasSubstr("the disk is full")));
}

/// What can be copied, but does not survive its own encoding.
struct Lossy {
  int value = 0;
};

class Keeper {
public:
  explicit Keeper(Lossy lossy) : value_(lossy.value) {}
  int get() const { return value_; }
  int pass(Lossy lossy) const { return lossy.value; }
  using exposed = methods<&Keeper::get, &Keeper::pass>;

private:
  int value_;
};

} // namespace

template <>
struct Codec<Lossy> {
  static void encode(Encoder& encoder, const Lossy& lossy) {
    if (lossy.value < 0) {
      throw CallError(Code::invalid_argument, "a negative one can't be encoded");
    }
    callboard::encode(encoder, lossy.value / 10);
  }
  static Lossy decode(Decoder& decoder) { return {10 * callboard::decode<int>(decoder)}; }
  static std::string layout() { return "Lossy"; }
};

namespace {

class Reader {
public:
  explicit Reader(Client<Keeper> keeper) : keeper_(std::move(keeper)) {}
  Task<int> read() { co_return co_await keeper_.async<&Keeper::get>() + 1; }
  using exposed = methods<&Reader::read>;

private:
  Client<Keeper> keeper_;
};

TEST_F(ProgramTestTest, TakesAStubForANode) {
  for (const bool recode : {true, false}) {
    auto keeper = testing::stub<Keeper>();
    keeper.on<&Keeper::get>([] { return 41; });
    Program program("stubbed");
    auto reader = program.add<Reader>("reader", keeper);
    auto other = program.add<Reader>("other", keeper.client());
    EXPECT_TRUE(program.edges().empty());
    ProgramTest test(program, {.recode = recode});
    EXPECT_EQ(test.client(reader).call<&Reader::read>(), 42);
    EXPECT_EQ(test.client(other).call<&Reader::read>(), 42);
  }
}

TEST_F(ProgramTestTest, PassesArgumentsThroughBytes) {
  for (const bool recode : {true, false}) {
    Program program("recode");
    auto keeper = program.add<Keeper>("keeper", Lossy{15});
    ProgramTest test(program, {.recode = recode});
    EXPECT_EQ(test.client(keeper).call<&Keeper::get>(), recode ? 10 : 15);
    EXPECT_EQ(test.client(keeper).call<&Keeper::pass>(Lossy{27}), recode ? 20 : 27);
  }
}

TEST_F(ProgramTestTest, FindsArgumentsThatCannotBeEncoded) {
  for (const bool recode : {true, false}) {
    Program program("recode");
    auto keeper = program.add<Keeper>("keeper", Lossy{-1});
    ProgramTest test(program, {.recode = recode});
    recode ? test.expect_failure() : void();
    const auto result = test.client(keeper).try_call<&Keeper::get>();
    EXPECT_EQ(result.ok(), !recode);
    if (recode) {
      EXPECT_THAT(
          to_string(test.running().failures().at(0)),
          AllOf(HasSubstr("keeper/0"), HasSubstr("a negative one can't be encoded")));
    }
  }
}

TEST_F(ProgramTestTest, FindsArgumentsOfCallsThatCannotBeEncoded) {
  Program program("recode");
  auto keeper = program.add<Keeper>("keeper", Lossy{1});
  ProgramTest test(program);
  const Error error = test.client(keeper).try_call<&Keeper::pass>(Lossy{-1}).error();
  EXPECT_EQ(error.code, Code::invalid_argument);
}

// One thread and virtual time.

class Patient {
public:
  explicit Patient(Client<Store> store) : store_(std::move(store)) {}
  Task<std::string> ask() {
    using std::chrono::hours;
    try {
      co_await store_.with({.deadline = hours(1)}).async<&Store::never>();
    } catch (const CallError& error) {
      co_return std::string(to_string(error.code()));
    }
    co_return "reply";
  }
  using exposed = methods<&Patient::ask>;

private:
  Client<Store> store_;
};

TEST_F(ProgramTestTest, PassesAnHourOfVirtualTimeAtOnce) {
  for (int i = 0; i < 2; ++i) {
    Program program("hour");
    auto store = program.add<Store>("store");
    auto patient = program.add<Patient>("patient", store);
    ProgramTest test(program, {.deterministic = true});
    std::string result;
    const auto ask = [&] {
      result = test.client(patient).with({.deadline = 2h}).call<&Patient::ask>();
    };
    EXPECT_LT(seconds_of(ask), 5);
    EXPECT_EQ(result, "deadline_exceeded");
    auto future = test.client(store).with({.deadline = 1h}).async<&Store::never>();
    test.advance(59min);
    EXPECT_FALSE(future.ready());
    EXPECT_EQ(std::move(future).result().error().code, Code::deadline_exceeded);
  }
}

class Eager {
public:
  explicit Eager(Client<Store> store) : got_(store.call<&Store::get>()) {}
  int got() const { return got_; }
  using exposed = methods<&Eager::got>;

private:
  int got_;
};

TEST_F(ProgramTestTest, LetsConstructorsCallEarlierNodesInVirtualTime) {
  Program program("eager");
  auto store = program.declare<Store>("store");
  auto eager = program.add<Eager>("eager", store);
  program.define(store);
  ProgramTest test(program, {.deterministic = true});
  EXPECT_EQ(test.client(eager).call<&Eager::got>(), 1);
}

class Chained {
public:
  explicit Chained(Client<Chained> next) { next.call<&Chained::get>(); }
  int get() const { return 1; }
  using exposed = methods<&Chained::get>;
};

TEST_F(ProgramTestTest, RefusesConstructorsThatWaitForLaterNodesInVirtualTime) {
  Program program("later");
  auto second = program.declare<Chained>("second");
  auto first = program.declare<Chained>("first");
  program.define(first, second);
  program.define(second, first);
  ProgramTest test(program, {.deterministic = true});
  test.expect_failure();
  const auto failures = test.running().failures();
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures[0].cause.code, Code::failed_precondition);
  EXPECT_THAT(failures[0].cause.message, AllOf(HasSubstr("first/0"), HasSubstr("second/0")));
}

class Stoppable {
public:
  explicit Stoppable(Context& context) {
    context.on_stop([] { trace().add("handled"); });
    context.on_stop([] { throw std::runtime_error("logged"); });
  }
  ~Stoppable() { trace().add("gone"); }
};

TEST_F(ProgramTestTest, RunsStopHandlersInVirtualTime) {
  Program program("handlers");
  program.add<Stoppable>("node");
  Running running = start(program, {.deterministic = true});
  EXPECT_THROW(running.wait(), CallError) << "nothing could ever end it";
  EXPECT_FALSE(running.wait_for(1s));
  running.stop();
  EXPECT_TRUE(running.wait_for(0s));
  EXPECT_EQ(running.wait(), 0);
  EXPECT_EQ(trace().lines(), (std::vector<std::string>{"handled", "gone"}));
  EXPECT_TRUE(running.stubborn().empty());
}

TEST_F(ProgramTestTest, GrowsAndShrinksInVirtualTime) {
  Program program("sizes");
  program.add_group<Store>({.label = "store", .replicas = 2});
  ProgramTest test(program, {.deterministic = true});
  test.running().resize("store", 3);
  EXPECT_EQ(test.client<Store>("store/2").call<&Store::get>(), 1);
  test.running().resize("store", 1);
  EXPECT_EQ(
      test.running().add<Eager>("eager", test.client<Store>("store/0")).call<&Eager::got>(), 1);
}

} // namespace
} // namespace callboard
