// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include "advantage.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace cartpole {
namespace {

void require(bool condition, const std::string& text) {
  if (!condition) {
    throw std::invalid_argument("trajectory: " + text);
  }
}

void check_array(const char* name, std::size_t size, std::size_t expected) {
  require(
      size == expected,
      std::string(name) + " has " + std::to_string(size) + " entries, expected "
          + std::to_string(expected));
}

void check_finite(const char* name, const std::vector<float>& values) {
  for (float value : values) {
    require(std::isfinite(value), std::string(name) + " has an entry that is not finite");
  }
}

bool is_cut_off(const Trajectory& trajectory, std::size_t index) {
  return trajectory.truncated[index] != 0 && trajectory.terminated[index] == 0;
}

std::size_t cut_off_steps(const Trajectory& trajectory) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < trajectory.truncated.size(); ++i) {
    count += is_cut_off(trajectory, i) ? 1 : 0;
  }
  return count;
}

void check_arrays(const Trajectory& trajectory) {
  const auto environments = static_cast<std::size_t>(trajectory.environments);
  const std::size_t count = static_cast<std::size_t>(trajectory.steps) * environments;
  check_array("observations", trajectory.observations.size(), count * observation_size);
  check_array("actions", trajectory.actions.size(), count);
  check_array("log_probabilities", trajectory.log_probabilities.size(), count);
  check_array("rewards", trajectory.rewards.size(), count);
  check_array("terminated", trajectory.terminated.size(), count);
  check_array("truncated", trajectory.truncated.size(), count);
  check_array("bootstrap", trajectory.bootstrap.size(), environments * observation_size);
  check_array("cut_off", trajectory.cut_off.size(), cut_off_steps(trajectory) * observation_size);
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add_steps(const Trajectory& trajectory, Batch& batch) {
  append(batch.observations, trajectory.observations);
  append(batch.actions, trajectory.actions);
  append(batch.acted, trajectory.log_probabilities);
}

std::vector<float> predicted(Networks networks, const std::vector<float>& observations) {
  const std::span<const float> values =
      networks.value.forward(value_parameters(networks.parameters), observations);
  return {values.begin(), values.end()};
}

/// Expected returns after each step; `values` are those before each.
std::vector<float> values_after(
    const Trajectory& trajectory, Networks networks, const std::vector<float>& values) {
  std::vector<float> result(values.begin() + trajectory.environments, values.end());
  append(result, predicted(networks, trajectory.bootstrap));
  const std::vector<float> cut_off = predicted(networks, trajectory.cut_off);
  auto next_cut_off = cut_off.begin();
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (is_cut_off(trajectory, i)) {
      result[i] = *next_cut_off++;
    }
  }
  return result;
}

void add_advantages(
    const Trajectory& trajectory, Networks networks, float discount, float lambda, Batch& batch) {
  const std::vector<float> values = predicted(networks, trajectory.observations);
  const std::vector<float> next_values = values_after(trajectory, networks, values);
  std::vector<float> rewards = trajectory.rewards;
  for (float& reward : rewards) {
    reward *= 1.0f - discount;
  }
  const Steps steps{
      .environments = static_cast<std::size_t>(trajectory.environments),
      .rewards = rewards,
      .values = values,
      .next_values = next_values,
      .terminated = trajectory.terminated,
      .truncated = trajectory.truncated,
  };
  const std::vector<float> result = advantages(steps, discount, lambda);
  append(batch.advantages, result);
  for (std::size_t i = 0; i < result.size(); ++i) {
    batch.targets.push_back(result[i] + values[i]);
  }
}

void normalize(std::vector<float>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0.0;
  for (float value : values) {
    square += (value - mean) * (value - mean);
  }
  const double deviation = std::sqrt(square / count) + 1e-8;
  for (float& value : values) {
    value = static_cast<float>((value - mean) / deviation);
  }
}

void add_present_policy(Networks networks, Batch& batch) {
  const std::span<const float> logits =
      networks.policy.forward(policy_parameters(networks.parameters), batch.observations);
  batch.before.resize(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto both = log_softmax(logits.subspan(i * action_count, action_count));
    batch.before[i] = both[static_cast<std::size_t>(batch.actions[i])];
  }
}

} // namespace

std::array<float, action_count> log_softmax(std::span<const float> logits) {
  const float difference = logits[1] - logits[0];
  return {-std::log1p(std::exp(difference)), -std::log1p(std::exp(-difference))};
}

void check(const Trajectory& trajectory, std::uint64_t version) {
  require(
      trajectory.version <= version,
      "version " + std::to_string(trajectory.version) + " is later than the learner's, "
          + std::to_string(version));
  require(trajectory.steps > 0, "has no steps");
  require(trajectory.environments > 0, "has no environments");
  check_arrays(trajectory);
  check_finite("observations", trajectory.observations);
  check_finite("log_probabilities", trajectory.log_probabilities);
  check_finite("rewards", trajectory.rewards);
  check_finite("bootstrap", trajectory.bootstrap);
  check_finite("cut_off", trajectory.cut_off);
  for (std::int32_t action : trajectory.actions) {
    require(
        action >= 0 && action < action_count,
        "action " + std::to_string(action) + ", expected 0 or 1");
  }
}

Batch make_batch(
    std::span<const Trajectory> trajectories, Networks networks, float discount, float lambda) {
  Batch batch;
  for (const Trajectory& trajectory : trajectories) {
    add_steps(trajectory, batch);
    add_advantages(trajectory, networks, discount, lambda, batch);
  }
  normalize(batch.advantages);
  add_present_policy(networks, batch);
  return batch;
}

} // namespace cartpole
