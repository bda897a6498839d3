// SPDX-License-Identifier: Apache-2.0
#include "learner.hpp"

#include "batch.hpp"
#include "loss.hpp"
#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace cartpole {
namespace {

constexpr float adam_epsilon = 1e-5f;

void require(bool condition, const char* text) {
  if (!condition) {
    throw std::invalid_argument(text);
  }
}

void check(const LearnerConfig& config) {
  const auto is_share = [](float value) { return value >= 0.0f && value <= 1.0f; };
  require(config.total_steps > 0, "LearnerConfig: total_steps must be positive");
  require(is_share(config.final_share), "LearnerConfig: final_share must be within 0 and 1");
  require(config.learning_rate > 0.0f, "LearnerConfig: learning_rate must be positive");
  require(config.clip_range > 0.0f, "LearnerConfig: clip_range must be positive");
  require(config.target_divergence > 0.0f, "LearnerConfig: target_divergence must be positive");
  require(
      is_share(config.discount) && config.discount < 1.0f,
      "LearnerConfig: discount must be at least 0 and less than 1");
  require(is_share(config.lambda), "LearnerConfig: lambda must be within 0 and 1");
  require(config.largest_gradient > 0.0f, "LearnerConfig: largest_gradient must be positive");
  require(config.passes > 0, "LearnerConfig: passes must be positive");
  require(config.minibatch > 0, "LearnerConfig: minibatch must be positive");
}

void shuffle(std::span<std::uint32_t> order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i)]);
  }
}

std::vector<float> observations_of(const Batch& batch, std::span<const std::uint32_t> rows) {
  std::vector<float> result;
  result.reserve(rows.size() * observation_size);
  for (std::uint32_t row : rows) {
    const auto first = batch.observations.begin() + row * std::ptrdiff_t{observation_size};
    result.insert(result.end(), first, first + observation_size);
  }
  return result;
}

float as_mean(double sum, std::size_t count) {
  return static_cast<float>(sum / static_cast<double>(count));
}

} // namespace

Learner::Learner(std::uint64_t seed, LearnerConfig config)
    : seed_(seed),
      config_(config),
      parameters_(initial_parameters(seed)),
      policy_optimizer_(policy_.parameter_count(), adam_epsilon),
      value_optimizer_(value_.parameter_count(), adam_epsilon) {
  check(config);
}

UpdateStatistics Learner::update(std::span<const Trajectory> trajectories) {
  UpdateStatistics statistics = counted(trajectories);
  const Batch batch =
      make_batch(trajectories, {policy_, value_, parameters_}, config_.discount, config_.lambda);
  Random random(stream_seed(seed_, version_));
  std::vector<std::uint32_t> order(batch.size());
  std::iota(order.begin(), order.end(), 0u);
  while (statistics.passes < config_.passes && statistics.divergence <= config_.target_divergence) {
    shuffle(order, random);
    pass(batch, order, statistics);
  }
  version_ = statistics.version;
  total_steps_ = statistics.total_steps;
  return statistics;
}

UpdateStatistics Learner::counted(std::span<const Trajectory> trajectories) const {
  require(!trajectories.empty(), "Learner: update needs at least one trajectory");
  UpdateStatistics statistics{.version = version_ + 1, .total_steps = total_steps_};
  double returns = 0.0;
  for (const Trajectory& trajectory : trajectories) {
    check(trajectory, version_);
    statistics.staleness = std::max(statistics.staleness, version_ - trajectory.version);
    statistics.steps += trajectory.actions.size();
    statistics.episodes += trajectory.returns.size();
    returns = std::accumulate(trajectory.returns.begin(), trajectory.returns.end(), returns);
  }
  statistics.total_steps += statistics.steps;
  if (statistics.episodes > 0) {
    statistics.mean_return = as_mean(returns, statistics.episodes);
  }
  return statistics;
}

void Learner::pass(
    const Batch& batch, std::span<const std::uint32_t> order, UpdateStatistics& statistics) {
  const auto size = static_cast<std::size_t>(config_.minibatch);
  const std::size_t count = std::max<std::size_t>(1, (order.size() + size / 2) / size);
  LossSums sums;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = order.size() * i / count;
    const std::size_t end = order.size() * (i + 1) / count;
    step(batch, order.subspan(first, end - first), sums);
  }
  ++statistics.passes;
  statistics.learning_rate = config_.learning_rate * share();
  statistics.policy_loss = as_mean(sums.policy, order.size());
  statistics.value_loss = as_mean(sums.value, order.size());
  statistics.entropy = as_mean(sums.entropy, order.size());
  statistics.divergence = as_mean(sums.divergence, order.size());
  statistics.clipped = as_mean(sums.clipped, order.size());
}

void Learner::step(const Batch& batch, std::span<const std::uint32_t> rows, LossSums& sums) {
  const std::vector<float> observations = observations_of(batch, rows);
  const PolicyTerms terms{config_.clip_range * share(), config_.entropy_bonus};
  std::vector<float> gradient(rows.size() * action_count);
  policy_loss(batch, rows, policy_.forward(policy_part(), observations), terms, gradient, sums);
  descend(policy_, policy_optimizer_, policy_part(), observations, gradient);
  gradient.resize(rows.size());
  value_loss(batch, rows, value_.forward(value_part(), observations), gradient, sums);
  descend(value_, value_optimizer_, value_part(), observations, gradient);
}

void Learner::descend(
    Mlp& network,
    Adam& optimizer,
    std::span<float> parameters,
    std::span<const float> observations,
    std::span<const float> output_gradient) {
  std::vector<float> gradient(parameters.size());
  network.backward(parameters, observations, output_gradient, gradient);
  clip_norm(gradient, config_.largest_gradient);
  optimizer.step(parameters, gradient, config_.learning_rate * share());
}

std::span<float> Learner::policy_part() {
  return std::span(parameters_).first(policy_.parameter_count());
}

std::span<float> Learner::value_part() {
  return std::span(parameters_).last(value_.parameter_count());
}

float Learner::share() const {
  const double progress =
      std::min(1.0, static_cast<double>(total_steps_) / static_cast<double>(config_.total_steps));
  return static_cast<float>(1.0 + (config_.final_share - 1.0) * progress);
}

LearnerState Learner::state() const {
  return {
      .version = version_,
      .total_steps = total_steps_,
      .parameters = parameters_,
      .policy_optimizer = policy_optimizer_.state(),
      .value_optimizer = value_optimizer_.state(),
  };
}

void Learner::restore(LearnerState state) {
  require(
      state.parameters.size() == parameters_.size(),
      "Learner: the state's parameters are of another network");
  Adam policy = policy_optimizer_;
  Adam value = value_optimizer_;
  policy.restore(std::move(state.policy_optimizer));
  value.restore(std::move(state.value_optimizer));
  policy_optimizer_ = std::move(policy);
  value_optimizer_ = std::move(value);
  parameters_ = std::move(state.parameters);
  version_ = state.version;
  total_steps_ = state.total_steps;
}

} // namespace cartpole
