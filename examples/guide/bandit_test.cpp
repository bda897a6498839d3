// SPDX-License-Identifier: Apache-2.0
#include "bandit.hpp"

#include <callboard/testing.hpp>

using namespace callboard;
using namespace callboard::testing;

TEST(ReplayTest, RepliesOnceItHasEnough) {
  auto replay = serve<Replay>(std::size_t{2});
  auto sample = replay.client().async<&Replay::sample>(3);
  replay.client().call<&Replay::add>(Pull{.arm = 1});
  EXPECT_FALSE(sample.ready());
  replay.client().call<&Replay::add>(Pull{.arm = 1});
  EXPECT_EQ(sample.get().size(), 3);
}

TEST(LearnerTest, MovesValuesTowardsTheReward) {
  auto replay = stub<Replay>();
  replay.on<&Replay::sample>([](int size) { return Batch(size, Pull{.arm = 1, .reward = 1}); });
  auto learner = serve_with<Learner>(
      {.own_thread = true}, Config{.batch = 1, .learning_rate = 0.5f}, replay.client());
  learner.client().call<&Learner::step>();
  learner.client().call<&Learner::step>();
  EXPECT_EQ(learner.client().call<&Learner::values>(), (Values{0, 0.75f, 0}));
}

TEST(BanditTest, ActorsFeedTheReplay) {
  Program program("bandit");
  build(program, {.actors = 2});
  ProgramTest test(program, {.disable_run = {"learner"}});
  auto replay = test.client<Replay>("replay/0");
  EXPECT_EQ(replay.call<&Replay::sample>(5).size(), 5);
}
