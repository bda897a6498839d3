// SPDX-License-Identifier: Apache-2.0
/// @file
/// The acting half of the agent: steps environments with given parameters.
#pragma once

#include "environment.hpp"
#include "network.hpp"
#include "random.hpp"
#include "trajectory.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace cartpole {

struct SamplerConfig {
  int environments = 8; ///< stepped side by side, at least 1
  int steps = 32;       ///< by each environment in one trajectory, at least 1
};

/// Several environments and the random numbers that choose their actions.
///
/// Equal seeds, settings and parameters give equal trajectories on one processor. Samplers that
/// work side by side need different seeds. Not thread-safe.
class Sampler {
public:
  /// @throws std::invalid_argument  no environment or no step
  explicit Sampler(std::uint64_t seed, SamplerConfig config = {});

  /// Goes on from where the last trajectory ended, acting by chance as the policy says.
  /// @param parameters  [parameter_count()], of policy and value
  /// @param version     which parameters these are; handed on in the trajectory
  /// @throws std::invalid_argument  the parameters have the wrong size; no step is made
  Trajectory collect(std::span<const float> parameters, std::uint64_t version);

private:
  void choose(std::span<const float> logits, Trajectory& trajectory);
  void step(std::size_t environment, std::size_t index, Trajectory& trajectory);
  void end_episode(std::size_t environment, bool cut_off, Trajectory& trajectory);

  SamplerConfig config_;
  Random random_;
  Mlp policy_ = policy_network();
  std::vector<CartPole> environments_;
  std::vector<float> observations_; // [environments, 4], now
  std::vector<float> returns_;      // of the episodes under way
};

/// How well some parameters do.
struct Evaluation {
  float mean = 0.0f;
  std::vector<float> returns{}; ///< of each episode, 1 to 500
};

/// Plays whole episodes, always taking the likelier action.
/// @param parameters  [parameter_count()], of policy and value
/// @param episodes    at least 1; started in states that depend on `seed` alone
/// @throws std::invalid_argument  the parameters have the wrong size, or no episode is asked for
Evaluation evaluate(std::span<const float> parameters, int episodes, std::uint64_t seed);

} // namespace cartpole
