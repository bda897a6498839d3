// SPDX-License-Identifier: Apache-2.0
/// @file
/// The learning half of the agent: proximal policy optimization.
#pragma once

#include "network.hpp"
#include "trajectory.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace cartpole {

struct Batch;
struct LossSums;

/// How to learn. Learning rate and clipping range fall linearly with the environment steps learned
/// from, from the value given at step 0 to `final_share` of it at `total_steps`, and stay there.
struct LearnerConfig {
  std::uint64_t total_steps = 150'000; ///< length of the fall, in environment steps
  float final_share = 0.1f;            ///< 0 to 1
  float learning_rate = 1e-3f;         ///< of Adam
  float clip_range = 0.2f;             ///< largest change of an action's probability, as a share
  float target_divergence = 0.03f; ///< an update ends early once the policy is so far off, in nats
  float entropy_bonus = 0.0f;      ///< weight of the policy's entropy
  float discount = 0.99f;          ///< of the reward one step later
  float lambda = 0.95f;            ///< of generalized advantage estimation
  float largest_gradient = 0.5f;   ///< Euclidean norm, of policy and value each
  int passes = 10;                 ///< over the steps of one update
  int minibatch = 256;             ///< steps, about
};

/// What one update did. Means are over its steps, in the last pass over them.
struct UpdateStatistics {
  std::uint64_t version = 0;     ///< of the parameters that it made
  std::uint64_t total_steps = 0; ///< environment steps learned from so far, these included
  std::uint64_t steps = 0;       ///< environment steps learned from in this update
  std::uint64_t episodes = 0;    ///< that ended within these steps
  float mean_return = 0.0f;      ///< of those episodes; 0 if there are none
  float policy_loss = 0.0f;
  float value_loss = 0.0f; ///< half the mean squared error, of values scaled to about 1
  float entropy = 0.0f;    ///< of the policy, 0 to ln 2
  float divergence = 0.0f; ///< estimated, from the policy before the update, in nats
  float clipped = 0.0f;    ///< share of steps outside the clipping range
  float learning_rate = 0.0f;
  std::int32_t passes = 0;     ///< begun
  std::uint64_t staleness = 0; ///< versions by which the oldest trajectory lagged behind
};

/// All that an update depends on besides its trajectories: what to save to go on later.
struct LearnerState {
  std::uint64_t version = 0;
  std::uint64_t total_steps = 0;
  std::vector<float> parameters{};
  AdamState policy_optimizer{};
  AdamState value_optimizer{};
};

/// Improves policy and value by what samplers lived through.
///
/// Equal seeds, settings and trajectories give equal parameters on one processor. Trajectories of
/// slightly older parameters are fine: the ratios that are clipped are against the probabilities
/// with which the samplers acted. Not thread-safe.
/// Source: Schulman et al. (2017), "Proximal policy optimization algorithms", arXiv 1707.06347.
class Learner {
public:
  /// @throws std::invalid_argument  a setting is out of its range
  explicit Learner(std::uint64_t seed, LearnerConfig config = {});

  /// Learns from all steps of `trajectories`, which count as one batch.
  /// @throws std::invalid_argument  an array does not fit its trajectory's shape, a number is
  ///     not finite, an action neither 0 nor 1, a trajectory is of a later version than the
  ///     learner's, or there is no step; nothing changes
  UpdateStatistics update(std::span<const Trajectory> trajectories);

  const std::vector<float>& parameters() const { return parameters_; } ///< [parameter_count()]
  std::uint64_t version() const { return version_; }                   ///< updates so far
  std::uint64_t total_steps() const { return total_steps_; } ///< environment steps learned from

  LearnerState state() const;

  /// Goes on as the learner would have from which `state` was taken, given the same seed.
  /// @throws std::invalid_argument  the state is of another network; nothing changes
  void restore(LearnerState state);

private:
  UpdateStatistics counted(std::span<const Trajectory> trajectories) const;
  void pass(const Batch& batch, std::span<const std::uint32_t> order, UpdateStatistics& statistics);
  void step(const Batch& batch, std::span<const std::uint32_t> rows, LossSums& sums);
  void descend(
      Mlp& network,
      Adam& optimizer,
      std::span<float> parameters,
      std::span<const float> observations,
      std::span<const float> output_gradient);
  std::span<float> policy_part();
  std::span<float> value_part();
  float share() const; // of learning rate and clipping range, as they fall

  std::uint64_t seed_;
  LearnerConfig config_;
  Mlp policy_ = policy_network();
  Mlp value_ = value_network();
  std::vector<float> parameters_;
  Adam policy_optimizer_;
  Adam value_optimizer_;
  std::uint64_t version_ = 0;
  std::uint64_t total_steps_ = 0;
};

} // namespace cartpole
