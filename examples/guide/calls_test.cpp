// SPDX-License-Identifier: Apache-2.0
// The parts of docs/guide.md that the bandit does not need.
#include "bandit.hpp"

#include <callboard/checkpoint_store.hpp>
#include <callboard/testing.hpp>

#include <unistd.h>

#include <filesystem>

using namespace callboard;
using namespace callboard::testing;

namespace {

void feed(const Client<Replay>& replay, const Client<Replay>& copy, const Pull& pull) {
  replay.call<&Replay::add>(pull);                      // waits until it is done
  replay.tell<&Replay::add>(pull);                      // waits for nothing
  Future<Batch> batch = copy.async<&Replay::sample>(8); // waits later
  batch.get();
}

/// A service that asks two others.
class Mixer {
public:
  Mixer(Client<Replay> mine, Client<Replay> expert)
      : mine_(std::move(mine)), expert_(std::move(expert)) {}

  Task<Batch> sample(int size) {
    auto half = expert_.async<&Replay::sample>(size / 2);
    Batch batch = co_await mine_.async<&Replay::sample>(size - size / 2);
    const Batch others = co_await std::move(half);
    batch.insert(batch.end(), others.begin(), others.end());
    co_return batch;
  }

  using exposed = methods<&Mixer::sample>;

private:
  Client<Replay> mine_;
  Client<Replay> expert_;
};

TEST(GuideTest, CallsTellsAndAsks) {
  auto replay = serve<Replay>(std::size_t{2});
  feed(replay.client(), replay.client(), {.arm = 2});
}

TEST(GuideTest, TasksAwaitCalls) {
  Program program("mixer");
  auto mine = program.add<Replay>("mine", std::size_t{1});
  auto expert = program.add<Replay>("expert", std::size_t{1});
  auto mixer = program.add<Mixer>("mixer", mine, expert);
  ProgramTest test(program);
  test.client(mine).call<&Replay::add>(Pull{.arm = 1});
  test.client(expert).call<&Replay::add>(Pull{.arm = 2});
  const Batch batch = test.client(mixer).call<&Mixer::sample>(3);
  ASSERT_EQ(batch.size(), 3);
  EXPECT_EQ(batch[1].arm, 1);
  EXPECT_EQ(batch[2].arm, 2);
}

TEST(GuideTest, DeadlinesEndCalls) {
  auto served = serve<Replay>(std::size_t{100});
  const Client<Replay> replay = served.client();
  auto hasty = replay.with({.deadline = std::chrono::milliseconds(50)});
  const Result<Batch> batch = hasty.try_call<&Replay::sample>(8);
  if (!batch.ok() && batch.error().code == Code::deadline_exceeded) {
    log(LogLevel::warning, "", to_string(batch.error()));
  }
  EXPECT_EQ(batch.error().code, Code::deadline_exceeded);
}

TEST(GuideTest, StateSurvives) {
  const std::string folder = ::testing::TempDir() + "guide_" + std::to_string(getpid());
  Replay replay(2);
  replay.add({.arm = 2});

  const CheckpointStore store(folder); // keeps the newest three of each node
  Checkpoint checkpoint;
  replay.save(checkpoint);
  store.write("replay/0", 1, checkpoint); // of incarnation 1

  Replay revived(2);
  if (auto stored = store.latest("replay/0")) {
    revived.restore(stored->checkpoint);
  }

  Checkpoint again;
  revived.save(again);
  EXPECT_EQ(again.get<Batch>("pulls").at(0).arm, 2);
  std::filesystem::remove_all(folder);
}

TEST(GuideTest, RunsInsideOtherCode) {
  Program program("bandit");
  build(program, {.actors = 2, .steps = 1'000'000'000});
  Running running = start(program, {.seed = 7}); // in threads; returns at once
  const Values values = running.client<Learner>("learner/0").call<&Learner::values>();
  running.stop("seen enough");
  const int status = running.wait();
  EXPECT_EQ(values.size(), 3);
  EXPECT_EQ(status, exit_status::clean);
}

} // namespace
