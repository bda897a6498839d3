// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace cartpole {
namespace {

std::size_t unsigned_size(int count, const char* what) {
  if (count < 1) {
    throw std::invalid_argument(
        std::string(what) + " is " + std::to_string(count) + ", must be at least 1");
  }
  return static_cast<std::size_t>(count);
}

float* row(std::vector<float>& rows, std::size_t index) {
  return &rows[index * observation_size];
}

Trajectory with_room(const SamplerConfig& config, std::uint64_t version) {
  Trajectory trajectory{
      .version = version,
      .steps = config.steps,
      .environments = config.environments,
  };
  const auto count =
      static_cast<std::size_t>(config.steps) * static_cast<std::size_t>(config.environments);
  trajectory.observations.reserve(count * observation_size);
  trajectory.actions.reserve(count);
  trajectory.log_probabilities.reserve(count);
  trajectory.rewards.resize(count);
  trajectory.terminated.resize(count);
  trajectory.truncated.resize(count);
  return trajectory;
}

} // namespace

Sampler::Sampler(std::uint64_t seed, SamplerConfig config)
    : config_(config), random_(stream_seed(seed, 0)) {
  unsigned_size(config.steps, "Sampler: steps");
  const std::size_t count = unsigned_size(config.environments, "Sampler: environments");
  returns_.resize(count);
  observations_.resize(count * observation_size);
  for (std::size_t i = 0; i < count; ++i) {
    environments_.emplace_back();
    std::ranges::copy(environments_[i].reset(stream_seed(seed, i + 1)), row(observations_, i));
  }
}

Trajectory Sampler::collect(std::span<const float> parameters, std::uint64_t version) {
  const std::span<const float> policy = policy_parameters(parameters);
  Trajectory trajectory = with_room(config_, version);
  for (int t = 0; t < config_.steps; ++t) {
    const std::size_t first = trajectory.actions.size();
    trajectory.observations.insert(
        trajectory.observations.end(), observations_.begin(), observations_.end());
    choose(policy_.forward(policy, observations_), trajectory);
    for (std::size_t i = 0; i < environments_.size(); ++i) {
      step(i, first + i, trajectory);
    }
  }
  trajectory.bootstrap = observations_;
  return trajectory;
}

void Sampler::choose(std::span<const float> logits, Trajectory& trajectory) {
  for (std::size_t i = 0; i < logits.size(); i += action_count) {
    // log p(right) = -log(1 + e^(left - right)), and the same the other way round.
    const float difference = logits[i + 1] - logits[i];
    const bool right = random_.uniform() < 1.0 / (1.0 + std::exp(-static_cast<double>(difference)));
    trajectory.actions.push_back(right ? 1 : 0);
    trajectory.log_probabilities.push_back(-std::log1p(std::exp(right ? -difference : difference)));
  }
}

void Sampler::step(std::size_t environment, std::size_t index, Trajectory& trajectory) {
  const StepResult result = environments_[environment].step(trajectory.actions[index]);
  trajectory.rewards[index] = result.reward;
  trajectory.terminated[index] = result.terminated ? 1 : 0;
  trajectory.truncated[index] = result.truncated ? 1 : 0;
  returns_[environment] += result.reward;
  std::ranges::copy(result.observation, row(observations_, environment));
  if (result.terminated || result.truncated) {
    end_episode(environment, !result.terminated, trajectory);
  }
}

void Sampler::end_episode(std::size_t environment, bool cut_off, Trajectory& trajectory) {
  float* const observation = row(observations_, environment);
  if (cut_off) {
    trajectory.cut_off.insert(
        trajectory.cut_off.end(), observation, observation + observation_size);
  }
  trajectory.returns.push_back(std::exchange(returns_[environment], 0.0f));
  std::ranges::copy(environments_[environment].reset(), observation);
}

namespace {

/// Lets every environment whose episode goes on take the likelier action; how many did.
std::size_t step_all(
    std::span<const float> logits,
    std::vector<CartPole>& environments,
    std::vector<float>& observations,
    std::vector<float>& returns,
    std::vector<char>& ended) {
  std::size_t stepped = 0;
  for (std::size_t i = 0; i < environments.size(); ++i) {
    if (ended[i] != 0) {
      continue;
    }
    const std::size_t left = i * action_count;
    const StepResult result = environments[i].step(logits[left + 1] > logits[left] ? 1 : 0);
    returns[i] += result.reward;
    ended[i] = result.terminated || result.truncated ? 1 : 0;
    std::ranges::copy(result.observation, row(observations, i));
    ++stepped;
  }
  return stepped;
}

} // namespace

Evaluation evaluate(std::span<const float> parameters, int episodes, std::uint64_t seed) {
  const std::size_t count = unsigned_size(episodes, "evaluate: episodes");
  const std::span<const float> policy = policy_parameters(parameters);
  Mlp network = policy_network();
  std::vector<CartPole> environments(count);
  std::vector<float> observations(count * observation_size);
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::copy(environments[i].reset(stream_seed(seed, i)), row(observations, i));
  }
  Evaluation evaluation{.returns = std::vector<float>(count)};
  std::vector<char> ended(count);
  while (step_all(
             network.forward(policy, observations),
             environments,
             observations,
             evaluation.returns,
             ended)
         > 0) {}
  const std::vector<float>& returns = evaluation.returns;
  evaluation.mean =
      std::accumulate(returns.begin(), returns.end(), 0.0f) / static_cast<float>(count);
  return evaluation;
}

} // namespace cartpole
