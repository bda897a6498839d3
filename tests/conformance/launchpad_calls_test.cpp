// SPDX-License-Identifier: Apache-2.0
// What Launchpad's tests of its remote calls show, as far as one process can, with durations scaled
// down. (An unknown method does not compile: tests/compile_fail/method_not_exposed.cpp.)
#include "topology/trace.hpp"

#include <callboard/testing.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <set>
#include <thread>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using callboard::testing::ProgramTest;
using ::testing::HasSubstr;

class Service {
public:
  int add(int a, int b) const { return a + b; }
  int constant() const { return 1000; }
  int with_default(int a) const { return with_default(a, 100); }
  int with_default(int a, int b) const { return a + b; }
  std::string text(std::string value) const { return value + "!"; }
  std::vector<std::byte> bytes(std::vector<std::byte> value) const { return value; }
  int fails() const { throw std::invalid_argument("the handler's own text"); }
  int sleeps(int milliseconds) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    return 1;
  }
  Deferred<int> never() {
    trace().add("asked");
    return waiting_;
  }
  void nothing() const {}
  using exposed = methods<
      &Service::add,
      &Service::constant,
      method<int(int) const>(&Service::with_default),
      method<int(int, int) const>(&Service::with_default),
      &Service::text,
      &Service::bytes,
      &Service::fails,
      &Service::sleeps,
      &Service::never,
      &Service::nothing>;

private:
  Deferred<int> waiting_;
};

class LaunchpadA7 : public TracedTest {
protected:
  static Program make_program() {
    Program program("calls");
    program.add<Service>({.label = "service", .own_thread = true});
    return program;
  }
  ProgramTest test_{make_program()};
  Client<Service> client_ = test_.client<Service>("service/0");
};

TEST_F(LaunchpadA7, CallsWithAndWithoutArguments) {
  EXPECT_EQ((client_.call<&Service::add>(12, 5)), 17);
  EXPECT_EQ(client_.call<&Service::constant>(), 1000);
  EXPECT_EQ((client_.async<&Service::add>(12, 5).get()), 17);
  EXPECT_EQ(client_.async<&Service::constant>().get(), 1000);
  client_.call<&Service::nothing>();
  client_.async<&Service::nothing>().get();
}

TEST_F(LaunchpadA7, CallsOverloadsForDefaultArguments) {
  EXPECT_EQ((client_.call<method<int(int) const>(&Service::with_default)>(23)), 123);
  EXPECT_EQ((client_.call<method<int(int, int) const>(&Service::with_default)>(23, 500)), 523);
}

TEST_F(LaunchpadA7, KeepsBytesAndTextApart) {
  const std::vector<std::byte> bytes{std::byte{'1'}, std::byte{0}, std::byte{0xFF}};
  EXPECT_EQ(client_.call<&Service::text>("1234"), "1234!");
  EXPECT_EQ(client_.call<&Service::bytes>(bytes), bytes);
}

TEST_F(LaunchpadA7, BringsTheTextOfAnErrorAndLivesOn) {
  for (const bool async : {false, true}) {
    const Error error = async ? client_.async<&Service::fails>().result().error()
                              : client_.try_call<&Service::fails>().error();
    EXPECT_EQ(error.code, Code::application);
    EXPECT_EQ(error.message, "the handler's own text");
    EXPECT_EQ(error.type, "std::invalid_argument");
    EXPECT_EQ(error.node, "service/0");
    EXPECT_EQ(client_.call<&Service::constant>(), 1000);
  }
}

TEST_F(LaunchpadA7, EndsACallAtItsDeadline) {
  const auto within = [&](auto deadline) { return client_.with({.deadline = deadline}); };
  EXPECT_EQ(within(2s).call<&Service::sleeps>(10), 1);
  EXPECT_EQ(within(2000ms).call<&Service::sleeps>(10), 1);
  EXPECT_EQ(client_.call<&Service::sleeps>(10), 1);
  for (const bool async : {false, true}) {
    Error error;
    const double seconds = seconds_of([&] {
      error = async ? within(100ms).async<&Service::sleeps>(300).result().error()
                    : within(100ms).try_call<&Service::sleeps>(300).error();
    });
    EXPECT_EQ(error.code, Code::deadline_exceeded);
    EXPECT_GE(seconds, 0.099);
    EXPECT_LT(seconds, 0.29);
  }
}

TEST_F(LaunchpadA7, CancelsACallAtOnce) {
  auto future = client_.async<&Service::never>();
  EXPECT_TRUE(trace().wait_for("asked"));
  future.cancel();
  EXPECT_EQ(std::move(future).result().error().code, Code::cancelled);
}

TEST_F(LaunchpadA7, ListsExactlyTheMethodsBound) {
  const auto graph = nlohmann::json::parse(make_program().to_json());
  std::multiset<std::string> names;
  for (const auto& each : graph.at("groups").at(0).at("methods")) {
    const std::string name = each.at("name");
    names.insert(name.substr(name.rfind(':') + 1));
  }
  const std::multiset<std::string> bound{
      "add",
      "constant",
      "with_default",
      "with_default",
      "text",
      "bytes",
      "fails",
      "sleeps",
      "never",
      "nothing"};
  EXPECT_EQ(names, bound);
}

class LaunchpadA7Start : public TracedTest {};

class SlowToStart {
public:
  SlowToStart() { gates().pass("start"); }
  int constant() const { return 1000; }
  using exposed = methods<&SlowToStart::constant>;
};

TEST_F(LaunchpadA7Start, CompletesACallMadeBeforeTheServerExists) {
  Program program("early");
  auto slow = program.add<SlowToStart>("slow");
  ProgramTest test(program);
  auto future = test.client(slow).async<&SlowToStart::constant>();
  EXPECT_FALSE(future.wait_for(10ms));
  gates().open("start");
  EXPECT_EQ(future.get(), 1000);
}

TEST_F(LaunchpadA7Start, EndsACallToAServerThatDoesNotStartInTime) {
  Program program("early");
  auto slow = program.add<SlowToStart>("slow");
  ProgramTest test(program);
  const Error error =
      test.client(slow).with({.deadline = 50ms}).try_call<&SlowToStart::constant>().error();
  EXPECT_EQ(error.code, Code::deadline_exceeded);
  EXPECT_THAT(error.message, HasSubstr("slow/0 has not started yet"));
  gates().open("start");
}

TEST_F(LaunchpadA7Start, GivesCallsTheProgramsDeadline) {
  Program program("deadline");
  auto slow = program.add<SlowToStart>("slow");
  ProgramTest test(program, {.deadline = 50ms});
  EXPECT_EQ(
      test.client(slow).try_call<&SlowToStart::constant>().error().code, Code::deadline_exceeded);
  gates().open("start");
}

/// Passes a call on, and tells how it ended there.
class Nested {
public:
  explicit Nested(Client<Service> inner) : inner_(std::move(inner)) {}
  void ask() {
    const auto start = std::chrono::steady_clock::now();
    const auto result = inner_.with({.deadline = forever}).try_call<&Service::never>();
    const auto took = std::chrono::steady_clock::now() - start;
    trace().add(std::string(to_string(result.error().code)));
    trace().add(took < 5s ? "in time" : "too late");
  }
  using exposed = methods<&Nested::ask>;

private:
  Client<Service> inner_;
};

TEST_F(LaunchpadA7Start, LeavesANestedCallTheTimeThatIsLeft) {
  Program program("nested");
  auto service = program.add<Service>("service");
  auto nested = program.add<Nested>({.label = "nested", .own_thread = true}, service);
  ProgramTest test(program);
  static_cast<void>(test.client(nested).with({.deadline = 100ms}).try_call<&Nested::ask>());
  EXPECT_TRUE(trace().wait_for("deadline_exceeded"));
  EXPECT_TRUE(trace().wait_for("in time"));
}

} // namespace
} // namespace callboard
