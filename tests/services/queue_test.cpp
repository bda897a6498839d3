// SPDX-License-Identifier: Apache-2.0
#include <callboard/queue.hpp>
#include <callboard/testing.hpp>

#include <gmock/gmock.h>

#include <numeric>

namespace callboard {
namespace {

using namespace std::chrono_literals;

class QueueTest : public ::testing::Test {
protected:
  testing::Served<Queue<int>> queue_ = testing::serve_with<Queue<int>>({.deterministic = true}, 2U);
  Client<Queue<int>> client_ = queue_.client();
};

TEST_F(QueueTest, GivesItemsInTheOrderInWhichTheyCame) {
  client_.call<&Queue<int>::put>(1);
  client_.call<&Queue<int>::put>(2);
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 1);
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 2);
}

TEST_F(QueueTest, LetsAProducerWaitWhileItIsFull) {
  client_.call<&Queue<int>::put>(1);
  client_.call<&Queue<int>::put>(2);
  Future<void> third = client_.async<&Queue<int>::put>(3);
  EXPECT_EQ(client_.call<&Queue<int>::size>(), 2U);
  EXPECT_FALSE(third.ready());
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 1);
  third.get();
  EXPECT_EQ(client_.call<&Queue<int>::size>(), 2U);
}

TEST_F(QueueTest, LetsAConsumerWaitWhileItIsEmpty) {
  Future<int> first = client_.async<&Queue<int>::get>();
  Future<int> second = client_.async<&Queue<int>::get>();
  client_.call<&Queue<int>::put>(1);
  client_.call<&Queue<int>::put>(2);
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), 2);
}

TEST_F(QueueTest, KeepsTheItemOfAConsumerThatHasLeft) {
  auto impatient = client_.with({.deadline = 1s}).async<&Queue<int>::get>();
  queue_.advance(2s);
  client_.call<&Queue<int>::put>(7);
  EXPECT_EQ(std::move(impatient).result().error().code, Code::deadline_exceeded);
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 7);
}

TEST_F(QueueTest, RefusesTheItemOfAProducerThatHasLeft) {
  client_.call<&Queue<int>::put>(1);
  client_.call<&Queue<int>::put>(2);
  auto impatient = client_.with({.deadline = 1s}).async<&Queue<int>::put>(3);
  queue_.advance(2s);
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 1);
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 2);
  EXPECT_EQ(client_.call<&Queue<int>::size>(), 0U);
  EXPECT_EQ(std::move(impatient).result().error().code, Code::deadline_exceeded);
}

TEST_F(QueueTest, GivesWhatIsLeftAfterItWasClosed) {
  client_.call<&Queue<int>::put>(1);
  client_.call<&Queue<int>::close>();
  EXPECT_EQ(client_.call<&Queue<int>::get>(), 1);
  EXPECT_EQ(client_.try_call<&Queue<int>::get>().error().code, Code::failed_precondition);
  EXPECT_EQ(client_.try_call<&Queue<int>::put>(2).error().code, Code::failed_precondition);
}

TEST_F(QueueTest, RefusesACapacityOfNothing) {
  EXPECT_THROW(Queue<int>(0), CallError);
}

class Source {
public:
  Source(Context& context, Client<Queue<int>> queue, int count)
      : context_(context), queue_(std::move(queue)), count_(count) {}

  void run() {
    for (int i = 1; i <= count_; ++i) {
      queue_.call<&Queue<int>::put>(i);
    }
  }

private:
  Context& context_;
  Client<Queue<int>> queue_;
  int count_;
};

class Sink {
public:
  Sink(Client<Queue<int>> queue, int count) : queue_(std::move(queue)), count_(count) {}

  void run() {
    for (int i = 0; i < count_; ++i) {
      sum_ += queue_.call<&Queue<int>::get>();
    }
  }
  std::int64_t sum() const { return sum_; }
  using exposed = methods<&Sink::sum>;

private:
  Client<Queue<int>> queue_;
  int count_;
  std::atomic<std::int64_t> sum_{0};
};

TEST(QueueProgramTest, CarriesEveryItemOnceBetweenNodes) {
  constexpr int items = 2000;
  Program program("pipeline");
  auto queue = program.add<Queue<int>>("queue", std::uint64_t{8});
  program.add_group<Source>({.label = "source", .replicas = 2}, queue, items);
  auto sink = program.add<Sink>("sink", queue, 2 * items);
  // Keeps the program up after the loops have ended, so that the sum can be asked for.
  class Watch {
  public:
    explicit Watch(Context& context) : context_(context) {}
    void run() { context_.wait_for_stop(); }

  private:
    Context& context_;
  };
  program.add<Watch>("watch");
  testing::ProgramTest test(program);
  test.running().wait("sink");
  EXPECT_EQ(test.client(sink).call<&Sink::sum>(), std::int64_t{items} * (items + 1));
}

} // namespace
} // namespace callboard
