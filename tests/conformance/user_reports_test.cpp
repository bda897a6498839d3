// SPDX-License-Identifier: Apache-2.0
// Troubles that users of comparable systems reported, each as a test of ours.
#include "topology/trace.hpp"

#include <callboard/testing.hpp>

#include <gmock/gmock.h>

#include <thread>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using callboard::testing::ProgramTest;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class UserReportsTest : public TracedTest {};

/// Holds a client of its like and a reply that never comes.
class Stuck {
public:
  Stuck(Context& context, Client<Stuck> other) : context_(context), other_(std::move(other)) {}
  Deferred<int> never() {
    trace().add(context_.node() + " asked");
    return waiting_;
  }
  /// On a thread of its own: waits inside the method.
  int wait_inside() { return other_.call<&Stuck::never>(); }
  Task<int> wait_aside() { co_return co_await other_.async<&Stuck::never>(); }
  using exposed = methods<&Stuck::never, &Stuck::wait_inside, &Stuck::wait_aside>;

private:
  Context& context_;
  Client<Stuck> other_;
  Deferred<int> waiting_;
};

TEST_F(UserReportsTest, U13_StopsThoughServicesHoldEachOtherAndAReplyNeverComes) {
  for (const bool own_thread : {true, false}) {
    trace().clear();
    Program program("u13");
    auto a = program.declare<Stuck>({.label = "a", .own_thread = own_thread});
    auto b = program.add<Stuck>("b", a);
    program.define(a, b);
    double seconds = 0;
    {
      Running running = start(program);
      auto future = own_thread ? running.client(a).async<&Stuck::wait_inside>()
                               : running.client(a).async<&Stuck::wait_aside>();
      EXPECT_TRUE(trace().wait_for("b/0 asked"));
      seconds = seconds_of([&] {
        running.stop();
        EXPECT_EQ(running.wait(), 0);
      });
      EXPECT_TRUE(running.stubborn().empty());
      EXPECT_FALSE(std::move(future).result().ok());
    }
    EXPECT_LT(seconds, 5);
  }
}

struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

class Geometry {
public:
  std::vector<std::pair<Point, Point>> edges(int count) const {
    std::vector<std::pair<Point, Point>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back({{.x = 1.0 * i}, {.y = 1.0 * i}});
    }
    return all;
  }
  using exposed = methods<&Geometry::edges>;
};

TEST_F(UserReportsTest, U24_NestedContainersOfUserTypesTravelUnregistered) {
  for (const bool recode : {true, false}) {
    Program program("u24");
    auto geometry = program.add<Geometry>("geometry");
    ProgramTest test(program, {.recode = recode});
    EXPECT_EQ(test.client(geometry).call<&Geometry::edges>(3), Geometry().edges(3));
  }
}

/// Each asks the next in a ring, from its method.
class Ring {
public:
  explicit Ring(std::vector<Client<Ring>> next) : next_(std::move(next)) {}
  int blocking() { return next_.front().call<&Ring::blocking>(); }
  Task<int> aside(int hops) {
    if (hops == 0) {
      co_return 0;
    }
    co_return 1 + co_await next_.front().async<&Ring::aside>(hops - 1);
  }
  using exposed = methods<&Ring::blocking, &Ring::aside>;

private:
  std::vector<Client<Ring>> next_;
};

std::vector<Handle<Ring>> make_ring(Program& program, int size, bool own_thread) {
  std::vector<Handle<Ring>> ring;
  for (int i = 0; i < size; ++i) {
    ring.push_back(
        program.declare<Ring>({.label = "ring" + std::to_string(i), .own_thread = own_thread}));
  }
  for (int i = 0; i < size; ++i) {
    program.define(ring[i], std::vector<Handle<Ring>>{ring[(i + 1) % size]});
  }
  return ring;
}

int ring_size() {
  return static_cast<int>(std::max(2U, std::thread::hardware_concurrency()));
}

TEST_F(UserReportsTest, U25_RefusesToBlockInsideAMethod) {
  Program program("u25");
  const auto ring = make_ring(program, ring_size(), false);
  ProgramTest test(program);
  std::vector<Future<int>> futures;
  for (const auto& node : ring) {
    futures.push_back(test.client(node).async<&Ring::blocking>());
  }
  for (auto& future : futures) {
    const Error error = std::move(future).result().error();
    EXPECT_EQ(error.code, Code::failed_precondition);
    EXPECT_THAT(error.message, HasSubstr("would block inside a method"));
  }
}

TEST_F(UserReportsTest, U25_EndsARingOfBlockingCallsWithItsNames) {
  Program program("u25");
  const auto ring = make_ring(program, ring_size(), true);
  ProgramTest test(program);
  Error error;
  const double seconds =
      seconds_of([&] { error = test.client(ring.front()).try_call<&Ring::blocking>().error(); });
  EXPECT_LT(seconds, 1);
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(error.message, AllOf(HasSubstr("call cycle"), HasSubstr("ring0/0 → ring1/0")));
}

TEST_F(UserReportsTest, U25_CompletesARingOfTasks) {
  Program program("u25");
  const auto ring = make_ring(program, ring_size(), false);
  ProgramTest test(program);
  std::vector<Future<int>> futures;
  for (const auto& node : ring) {
    futures.push_back(test.client(node).async<&Ring::aside>(100));
  }
  for (auto& future : futures) {
    EXPECT_EQ(future.get(), 100);
  }
}

class BrokenLearner {
public:
  BrokenLearner() {
    gates().pass("learner");
    throw std::runtime_error("no such data set");
  }
  int weights() const { return 1; }
  using exposed = methods<&BrokenLearner::weights>;
};

TEST_F(UserReportsTest, U41_ShowsTheFirstFailureToAllWhoWaitForIt) {
  Program program("u41");
  auto learner = program.add<BrokenLearner>("learner");
  Running running = start(program);
  const auto client = running.client(learner);
  std::vector<Future<int>> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(client.async<&BrokenLearner::weights>());
  }
  gates().open("learner");
  std::vector<std::string> seen;
  for (auto& future : waiting) {
    seen.push_back(std::move(future).result().error().message);
  }
  EXPECT_THAT(seen, Each(AllOf(HasSubstr("learner/0 failed to start"), HasSubstr("no such data"))));
  EXPECT_EQ(running.wait(), exit_status::node_failed);
  EXPECT_EQ(running.failures().at(0).node, "learner/0");
}

} // namespace
} // namespace callboard
