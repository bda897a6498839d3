// SPDX-License-Identifier: Apache-2.0
#include <callboard/testing.hpp>

namespace callboard {
namespace {

class Producer {
public:
  int work(int x) const { return x; }
  using exposed = methods<&Producer::work>;
};

class Consumer {
public:
  Consumer(Context& context, std::vector<Client<Producer>> producers)
      : context_(context),
        producers_(std::move(producers)) {}

  void run() {
    for (int i = 0; i < 10; ++i) {
      step();
    }
    context_.stop();
  }

  std::vector<int> step() {
    std::vector<Future<int>> results;
    for (int i = 0; i < static_cast<int>(producers_.size()); ++i) {
      results.push_back(producers_[i].async<&Producer::work>(i));
    }
    return when_all(std::move(results)).get();
  }

  Task<std::vector<int>> step_task() {
    std::vector<Future<int>> results;
    for (int i = 0; i < static_cast<int>(producers_.size()); ++i) {
      results.push_back(producers_[i].async<&Producer::work>(i));
    }
    co_return co_await when_all(std::move(results));
  }

  using exposed = methods<&Consumer::step_task>;

private:
  Context& context_;
  std::vector<Client<Producer>> producers_;
};

Program consumer_producers(int producers) {
  Program program("consumer_producers");
  auto group = program.add_group<Producer>({.label = "producer", .replicas = producers});
  program.add<Consumer>("consumer", group);
  return program;
}

TEST(FirstProgramTest, EndsWhenItsConsumerStopsIt) {
  Running running = start(consumer_producers(2));
  EXPECT_EQ(running.wait(), 0);
  EXPECT_TRUE(running.failures().empty());
  EXPECT_TRUE(running.stubborn().empty());
}

TEST(FirstProgramTest, IsSteppedThroughItsClient) {
  testing::ProgramTest test(consumer_producers(4), {.disable_run = {"consumer"}});
  auto consumer = test.client<Consumer>("consumer/0");
  EXPECT_EQ(consumer.call<&Consumer::step_task>(), (std::vector<int>{0, 1, 2, 3}));
}

TEST(FirstProgramTest, RunsInOneThreadOfVirtualTime) {
  testing::ProgramTest test(consumer_producers(4), {.deterministic = true});
  auto consumer = test.client<Consumer>("consumer/0");
  EXPECT_EQ(consumer.call<&Consumer::step_task>(), (std::vector<int>{0, 1, 2, 3}));
}

} // namespace
} // namespace callboard
