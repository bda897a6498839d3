// SPDX-License-Identifier: Apache-2.0
#include "cartpole/environment.hpp"
#include "reference_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cartpole {
namespace {

/// The largest difference of any state variable from Gymnasium's over an episode.
double follow(const nlohmann::json& episode) {
  CartPole environment;
  const Observation first = environment.reset_to(episode["initial_state"].get<CartPole::State>());
  EXPECT_EQ(first, episode["initial_observation"].get<Observation>());
  double largest = 0.0;
  for (std::size_t t = 0; t < episode["actions"].size(); ++t) {
    const StepResult result = environment.step(episode["actions"][t].get<int>());
    const auto state = episode["states"][t].get<CartPole::State>();
    for (std::size_t i = 0; i < state.size(); ++i) {
      largest = std::max(largest, std::abs(environment.state()[i] - state[i]));
      EXPECT_EQ(result.observation[i], static_cast<float>(environment.state()[i]));
    }
    EXPECT_EQ(result.reward, episode["rewards"][t].get<float>());
    EXPECT_EQ(result.terminated, episode["terminated"][t].get<bool>());
    EXPECT_EQ(result.truncated, episode["truncated"][t].get<bool>());
  }
  return largest;
}

/// A rule that balances for as long as anyone may want, from near the middle.
int balancing(const Observation& seen) {
  return 0.1f * seen[0] + 0.3f * seen[1] + 2.0f * seen[2] + seen[3] > 0.0f ? 1 : 0;
}

TEST(CartPoleTest, FollowsGymnasiumOverWholeEpisodes) {
  std::size_t steps = 0;
  const nlohmann::json reference = reference_data("CartPole-v1.json");
  for (const auto& run : reference["runs"]) {
    for (const auto& episode : run["episodes"]) {
      EXPECT_LT(follow(episode), 1e-9);
      steps += episode["actions"].size();
    }
  }
  EXPECT_EQ(steps, 3u * 200u);
}

TEST(CartPoleTest, CutsOffAnEpisodeAtItsFiveHundredthStep) {
  CartPole environment(7);
  StepResult result{.observation = environment.reset(7)};
  for (int t = 1; t < episode_limit; ++t) {
    result = environment.step(balancing(result.observation));
    ASSERT_FALSE(result.terminated || result.truncated) << "at step " << t;
  }
  result = environment.step(balancing(result.observation));
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.terminated);
}

TEST(CartPoleTest, PaysForTheStepThatLetsThePoleFall) {
  CartPole environment;
  environment.reset_to({0.0, 0.0, 0.2, 2.0});
  const StepResult result = environment.step(0);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 1.0f);
}

TEST(CartPoleTest, RefusesToStepPastTheEnd) {
  CartPole environment;
  environment.reset_to({2.4, 10.0, 0.0, 0.0});
  ASSERT_TRUE(environment.step(1).terminated);
  EXPECT_THROW(environment.step(1), std::logic_error);
  environment.reset();
  EXPECT_FALSE(environment.step(1).terminated);
}

TEST(CartPoleTest, RefusesAnActionThatDoesNotExist) {
  CartPole environment;
  const CartPole::State before = environment.state();
  EXPECT_THROW(environment.step(2), std::invalid_argument);
  EXPECT_THROW(environment.step(-1), std::invalid_argument);
  EXPECT_EQ(environment.state(), before);
}

TEST(CartPoleTest, StartsWithinTheStatedBounds) {
  CartPole environment(3);
  double smallest = 1.0;
  double largest = -1.0;
  for (int i = 0; i < 1000; ++i) {
    environment.reset();
    const auto [low, high] = std::ranges::minmax(environment.state());
    smallest = std::min(smallest, low);
    largest = std::max(largest, high);
  }
  EXPECT_GE(smallest, -0.05);
  EXPECT_LT(smallest, -0.049);
  EXPECT_LT(largest, 0.05);
  EXPECT_GT(largest, 0.049);
}

TEST(CartPoleTest, StartsAlikeFromEqualSeedsOnly) {
  CartPole one(5);
  CartPole other(6);
  EXPECT_NE(one.state(), other.state());
  EXPECT_EQ(one.reset(9), other.reset(9));
  EXPECT_EQ(one.reset(), other.reset());
}

} // namespace
} // namespace cartpole
