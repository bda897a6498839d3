// SPDX-License-Identifier: Apache-2.0
#include "cartpole/batch.hpp"
#include "cartpole/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace cartpole {
namespace {

using testing::Each;
using testing::SizeIs;

/// Parameters of a policy that prefers the right by `preference`, whatever it sees.
std::vector<float> constant_policy(float preference) {
  std::vector<float> parameters(parameter_count());
  parameters[policy_parameters(parameters).size() - 1] = preference;
  return parameters;
}

/// A policy that balances: one hidden unit in each layer carries a good rule.
std::vector<float> balancing_policy() {
  std::vector<float> parameters(parameter_count());
  const float rule[] = {0.1f, 0.3f, 2.0f, 1.0f};
  for (std::size_t i = 0; i < 4; ++i) {
    parameters[i * 64] = 0.1f * rule[i];
  }
  parameters[320] = 1.0f;         // from the first unit of layer 1 to that of layer 2
  parameters[4480 + 1] = 1000.0f; // to the logit of the right
  return parameters;
}

TEST(SamplerTest, FillsArraysOfTheStatedShapes) {
  Sampler sampler(1, {.environments = 3, .steps = 50});
  const Trajectory trajectory = sampler.collect(initial_parameters(1), 9);
  EXPECT_EQ(trajectory.version, 9u);
  EXPECT_THAT(trajectory.observations, SizeIs(3 * 50 * 4));
  EXPECT_NO_THROW(check(trajectory, 9));
  EXPECT_THAT(trajectory.rewards, Each(1.0f));
}

TEST(SamplerTest, StepsTheEnvironmentItShows) {
  Sampler sampler(1, {.environments = 2, .steps = 100});
  const Trajectory trajectory = sampler.collect(initial_parameters(1), 0);
  CartPole environment;
  for (std::size_t i = 0; i + 2 < trajectory.actions.size(); ++i) {
    if (trajectory.terminated[i] != 0) {
      continue;
    }
    const float* seen = &trajectory.observations[i * 4];
    environment.reset_to({seen[0], seen[1], seen[2], seen[3]});
    const Observation next = environment.step(trajectory.actions[i]).observation;
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(next[k], trajectory.observations[(i + 2) * 4 + k], 1e-6);
    }
  }
}

TEST(SamplerTest, GoesOnWhereTheLastTrajectoryEnded) {
  Sampler sampler(1, {.environments = 2, .steps = 3});
  const std::vector<float> bootstrap = sampler.collect(initial_parameters(1), 0).bootstrap;
  const Trajectory next = sampler.collect(initial_parameters(1), 0);
  EXPECT_TRUE(std::equal(bootstrap.begin(), bootstrap.end(), next.observations.begin()));
}

TEST(SamplerTest, ChoosesByThePolicysProbabilities) {
  // p(right) = 1 / (1 + e^-1.0986) = 0.75
  Sampler sampler(1, {.environments = 8, .steps = 500});
  const Trajectory trajectory = sampler.collect(constant_policy(std::log(3.0f)), 0);
  const double right = std::accumulate(trajectory.actions.begin(), trajectory.actions.end(), 0.0);
  EXPECT_NEAR(right / 4000.0, 0.75, 0.03);
  for (std::size_t i = 0; i < trajectory.actions.size(); ++i) {
    const float p = trajectory.actions[i] == 1 ? 0.75f : 0.25f;
    EXPECT_NEAR(trajectory.log_probabilities[i], std::log(p), 1e-5);
  }
}

TEST(SamplerTest, KeepsTheLastObservationOfAnEpisodeThatIsCutOff) {
  Sampler sampler(1, {.environments = 2, .steps = 501});
  const Trajectory trajectory = sampler.collect(balancing_policy(), 0);
  EXPECT_THAT(trajectory.returns, testing::ElementsAre(500.0f, 500.0f));
  EXPECT_EQ(trajectory.truncated[999], 1);
  ASSERT_THAT(trajectory.cut_off, SizeIs(8));
  const float* seen = &trajectory.observations[999 * 4];
  EXPECT_NEAR(trajectory.cut_off[4], seen[0] + 0.02f * seen[1], 1e-6); // position moves on
  const float* first = &trajectory.observations[1001 * 4];
  EXPECT_LE(std::abs(first[0]), 0.05f); // of the next episode
}

TEST(SamplerTest, RepeatsItselfFromEqualSeedsOnly) {
  const std::vector<float> parameters = initial_parameters(1);
  const auto actions = [&](std::uint64_t seed) {
    return Sampler(seed).collect(parameters, 0).actions;
  };
  EXPECT_EQ(actions(3), actions(3));
  EXPECT_NE(actions(3), actions(4));
}

TEST(SamplerTest, RefusesToSampleNothing) {
  EXPECT_THROW(Sampler(1, {.environments = 0}), std::invalid_argument);
  EXPECT_THROW(Sampler(1, {.steps = 0}), std::invalid_argument);
  EXPECT_THROW(Sampler(1).collect({}, 0), std::invalid_argument);
}

TEST(EvaluateTest, PlaysEveryEpisodeToItsEnd) {
  const Evaluation balanced = evaluate(balancing_policy(), 20, 1);
  EXPECT_THAT(balanced.returns, SizeIs(20));
  EXPECT_THAT(balanced.returns, Each(500.0f));
  EXPECT_EQ(balanced.mean, 500.0f);
}

TEST(EvaluateTest, TakesTheLikelierActionAlways) {
  // Pushing right at every step drops the pole after 8 to 11 steps.
  const Evaluation pushed = evaluate(constant_policy(0.001f), 100, 1);
  EXPECT_THAT(pushed.returns, Each(testing::AllOf(testing::Ge(8.0f), testing::Le(11.0f))));
  const float sum = std::accumulate(pushed.returns.begin(), pushed.returns.end(), 0.0f);
  EXPECT_FLOAT_EQ(pushed.mean, sum / 100.0f);
}

TEST(EvaluateTest, RefusesToPlayNothing) {
  EXPECT_THROW(evaluate(balancing_policy(), 0, 1), std::invalid_argument);
  EXPECT_THROW(evaluate({}, 1, 1), std::invalid_argument);
}

} // namespace
} // namespace cartpole
