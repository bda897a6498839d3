// SPDX-License-Identifier: Apache-2.0
#include "cartpole/training.hpp"

#include <gtest/gtest.h>

namespace cartpole {
namespace {

TEST(TrainingTest, ReachesTheThresholdOfCartPole) {
  const TrainingProgress end = train({.seed = 1});
  EXPECT_GE(end.evaluation.mean, 475.0f);
  EXPECT_LT(end.steps, 150'000u);
}

TEST(TrainingTest, ReachesTheThresholdWithParametersThatLagBehind) {
  const TrainingProgress end = train({.seed = 2, .samplers = 8, .staleness = 1});
  EXPECT_GE(end.evaluation.mean, 475.0f);
  EXPECT_EQ(end.last.staleness, 1u);
}

TEST(TrainingTest, RepeatsItselfFromEqualSeeds) {
  const TrainingConfig config{.seed = 3, .most_steps = 8'192};
  const TrainingProgress one = train(config);
  const TrainingProgress other = train(config);
  EXPECT_EQ(one.evaluation.returns, other.evaluation.returns);
  EXPECT_EQ(one.last.policy_loss, other.last.policy_loss);
}

} // namespace
} // namespace cartpole
