// SPDX-License-Identifier: Apache-2.0
#include "cartpole/advantage.hpp"
#include "cartpole/batch.hpp"
#include "cartpole/learner.hpp"
#include "cartpole/loss.hpp"
#include "cartpole/sampler.hpp"
#include "reference_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace cartpole {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

/// A case of the reference data, each of whose steps `copies` environments make side by side.
struct AdvantageCase {
  AdvantageCase(const nlohmann::json& source, std::size_t copies) : environments(copies) {
    const std::size_t steps = source["rewards"].size();
    for (std::size_t i = 0; i < steps * copies; ++i) {
      const std::size_t t = i / copies;
      const bool over = source["terminated"][t].get<bool>();
      rewards.push_back(source["rewards"][t].get<float>());
      values.push_back(source["values"][t].get<float>());
      next_values.push_back(source["next_values"][t].get<float>());
      terminated.push_back(over ? 1 : 0);
      truncated.push_back(source["episode_end"][t].get<bool>() && !over ? 1 : 0);
      expected.push_back(source["advantages"][t].get<float>());
    }
  }

  Steps steps() const {
    return {environments, rewards, values, next_values, terminated, truncated};
  }

  std::size_t environments;
  std::vector<float> rewards, values, next_values, expected;
  std::vector<std::uint8_t> terminated, truncated;
};

TEST(AdvantagesTest, MatchTheLiteralSums) {
  const nlohmann::json reference = reference_data("gae.json");
  ASSERT_EQ(reference["cases"].size(), 4u);
  for (const auto& source : reference["cases"]) {
    const auto discount = source["gamma"].get<float>();
    const auto lambda = source["lambda_"].get<float>();
    for (std::size_t environments : {1u, 3u}) {
      const AdvantageCase tested(source, environments);
      EXPECT_THAT(
          advantages(tested.steps(), discount, lambda),
          Pointwise(FloatNear(2e-6f), tested.expected))
          << source["name"];
    }
  }
}

TEST(AdvantagesTest, RefuseArraysThatDoNotFit) {
  const std::vector<float> three(3);
  const std::vector<std::uint8_t> flags(3);
  EXPECT_THROW(advantages({2, three, three, three, flags, flags}, 1, 1), std::invalid_argument);
  EXPECT_THROW(advantages({1, three, three, {}, flags, flags}, 1, 1), std::invalid_argument);
}

/// Four steps: ratios within and beyond the clipping range, advantages of both signs.
Batch four_steps() {
  return {
      .observations = std::vector<float>(4 * observation_size),
      .actions = {0, 1, 1, 0},
      .acted = {-0.7f, -1.6f, -1.4f, -0.2f},
      .before = {-0.7f, -0.6f, -0.5f, -0.4f},
      .advantages = {1.5f, 2.0f, -1.0f, -0.5f},
      .targets = {0.5f, 0.1f, 0.9f, 0.0f},
  };
}

const std::vector<std::uint32_t> all_rows{0, 1, 2, 3};
const std::vector<float> some_logits{0.2f, 0.1f, -0.3f, 0.4f, 0.0f, 0.5f, 0.3f, 0.6f};

/// The mean policy loss, written out in double precision.
double policy_loss_written_out(const std::vector<float>& logits, const PolicyTerms& terms) {
  const Batch batch = four_steps();
  double sum = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double e0 = std::exp(static_cast<double>(logits[2 * i]));
    const double e1 = std::exp(static_cast<double>(logits[2 * i + 1]));
    const double p[2] = {e0 / (e0 + e1), e1 / (e0 + e1)};
    const double ratio = p[batch.actions[i]] / std::exp(static_cast<double>(batch.acted[i]));
    const double range = static_cast<double>(terms.clip_range);
    const double advantage = static_cast<double>(batch.advantages[i]);
    const double clipped = std::min(std::max(ratio, 1.0 - range), 1.0 + range);
    sum -= std::min(ratio * advantage, clipped * advantage);
    const double entropy = -p[0] * std::log(p[0]) - p[1] * std::log(p[1]);
    sum -= static_cast<double>(terms.entropy_bonus) * entropy;
  }
  return sum / 4.0;
}

TEST(PolicyLossTest, MatchesTheFormulaAndItsSlope) {
  const PolicyTerms terms{.clip_range = 0.2f, .entropy_bonus = 0.3f};
  const Batch batch = four_steps();
  std::vector<float> gradient(8);
  LossSums sums;
  policy_loss(batch, all_rows, some_logits, terms, gradient, sums);
  EXPECT_NEAR(sums.policy / 4.0, policy_loss_written_out(some_logits, terms), 1e-6);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    std::vector<float> above = some_logits;
    std::vector<float> below = some_logits;
    above[i] += 0.0078125f;
    below[i] -= 0.0078125f;
    const double slope =
        policy_loss_written_out(above, terms) - policy_loss_written_out(below, terms);
    EXPECT_NEAR(gradient[i], slope / 0.015625, 1e-4) << "logit " << i;
  }
}

TEST(PolicyLossTest, HasNoSlopeBeyondTheClippingRange) {
  const Batch batch = four_steps();
  std::vector<float> gradient(8);
  LossSums sums;
  policy_loss(batch, all_rows, some_logits, {.clip_range = 0.2f}, gradient, sums);
  EXPECT_EQ(gradient[2], 0.0f); // already 3 times as likely as when it acted, and good
  EXPECT_NE(gradient[4], 0.0f); // far more likely too, but bad: to be undone
  EXPECT_EQ(sums.clipped, 3.0);
}

TEST(ValueLossTest, IsHalfTheMeanSquaredError) {
  const Batch batch = four_steps();
  const std::vector<float> values{0.5f, 0.3f, 0.4f, 1.0f};
  std::vector<float> gradient(4);
  LossSums sums;
  value_loss(batch, all_rows, values, gradient, sums);
  EXPECT_NEAR(sums.value, 0.5 * (0.0 + 0.04 + 0.25 + 1.0), 1e-6);
  EXPECT_THAT(
      gradient, Pointwise(FloatNear(1e-6f), std::vector<float>{0.0f, 0.05f, -0.125f, 0.25f}));
}

class LearnerTest : public testing::Test {
protected:
  Trajectory sample(std::uint64_t seed = 1) {
    return Sampler(seed, {.environments = 4, .steps = 64})
        .collect(learner_.parameters(), learner_.version());
  }

  std::string refusal(const Trajectory& trajectory) {
    try {
      learner_.update({&trajectory, 1});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  }

  Learner learner_{1};
};

TEST_F(LearnerTest, CountsStepsVersionsAndEpisodes) {
  const std::vector<Trajectory> trajectories{sample(1), sample(2)};
  const UpdateStatistics statistics = learner_.update(trajectories);
  EXPECT_EQ(statistics.version, 1u);
  EXPECT_EQ(statistics.steps, 512u);
  EXPECT_EQ(statistics.episodes, trajectories[0].returns.size() + trajectories[1].returns.size());
  EXPECT_EQ(statistics.staleness, 0u);
  EXPECT_EQ(learner_.update(trajectories).staleness, 1u);
  EXPECT_EQ(learner_.version(), 2u);
  EXPECT_EQ(learner_.total_steps(), 1024u);
}

TEST_F(LearnerTest, MakesActionsOfPositiveAdvantageLikelier) {
  const Trajectory trajectory = sample();
  Mlp policy = policy_network();
  Mlp value = value_network();
  const std::vector<float> before = learner_.parameters();
  const Batch batch = make_batch({&trajectory, 1}, {policy, value, before}, 0.99f, 0.95f);
  learner_.update({&trajectory, 1});
  const auto logits =
      policy.forward(policy_parameters(learner_.parameters()), trajectory.observations);
  double gain = 0.0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto log_p = log_softmax(logits.subspan(2 * i, 2));
    const auto action = static_cast<std::size_t>(batch.actions[i]);
    gain += static_cast<double>(batch.advantages[i] * (log_p[action] - batch.before[i]));
  }
  EXPECT_GT(gain, 0.0);
}

TEST_F(LearnerTest, GoesOnFromASavedState) {
  const Trajectory trajectory = sample();
  learner_.update({&trajectory, 1});
  Learner revived(1);
  revived.restore(learner_.state());
  learner_.update({&trajectory, 1});
  revived.update({&trajectory, 1});
  EXPECT_EQ(revived.parameters(), learner_.parameters());
  EXPECT_EQ(revived.version(), 2u);
}

TEST_F(LearnerTest, RefusesTrajectoriesThatDoNotFitAndStaysAsItWas) {
  const std::vector<float> before = learner_.parameters();
  const Trajectory good = sample();
  Trajectory bad = good;
  bad.rewards.pop_back();
  EXPECT_THAT(refusal(bad), HasSubstr("rewards has 255 entries, expected 256"));
  bad = good;
  bad.actions[3] = 2;
  EXPECT_THAT(refusal(bad), HasSubstr("action 2, expected 0 or 1"));
  bad = good;
  bad.version = 7;
  EXPECT_THAT(refusal(bad), HasSubstr("version 7 is later than the learner's, 0"));
  bad = good;
  bad.truncated[5] = 1;
  bad.terminated[5] = 0;
  EXPECT_THAT(refusal(bad), HasSubstr("cut_off"));
  bad = good;
  bad.observations[7] = std::nanf("");
  EXPECT_THAT(refusal(bad), HasSubstr("observations has an entry that is not finite"));
  EXPECT_THAT(refusal({}), HasSubstr("no steps"));
  EXPECT_THROW(learner_.update({}), std::invalid_argument);
  EXPECT_EQ(learner_.parameters(), before);
  EXPECT_EQ(learner_.version(), 0u);
}

TEST_F(LearnerTest, RefusesSettingsOutOfRange) {
  EXPECT_THROW(Learner(1, {.discount = 1.0f}), std::invalid_argument);
  EXPECT_THROW(Learner(1, {.minibatch = 0}), std::invalid_argument);
  EXPECT_THROW(Learner(1, {.learning_rate = std::nanf("")}), std::invalid_argument);
}

} // namespace
} // namespace cartpole
