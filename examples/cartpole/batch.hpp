// SPDX-License-Identifier: Apache-2.0
/// @file
/// Trajectories, made ready to learn from.
#pragma once

#include "environment.hpp"
#include "network.hpp"
#include "trajectory.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cartpole {

/// The steps of one update, a row each, in no order that matters.
struct Batch {
  std::vector<float> observations{};   ///< [steps, 4]
  std::vector<std::int32_t> actions{}; ///< [steps]
  std::vector<float> acted{};          ///< [steps], log probability with which the sampler acted
  std::vector<float> before{};         ///< [steps], log probability before this update
  std::vector<float> advantages{};     ///< [steps], with mean 0 and variance 1
  std::vector<float> targets{};        ///< [steps], of the value network

  std::size_t size() const { return actions.size(); }
};

/// Both networks, and the parameters to use them with.
struct Networks {
  Mlp& policy;
  Mlp& value;
  std::span<const float> parameters; ///< [parameter_count()]
};

/// Log probabilities of both actions, from their logits [2].
std::array<float, action_count> log_softmax(std::span<const float> logits);

/// That every array has the size which the trajectory's shape asks for, that numbers are finite and
/// actions exist, and that the parameters which acted are not later than `version`.
/// @throws std::invalid_argument  otherwise
void check(const Trajectory& trajectory, std::uint64_t version);

/// All steps of trajectories that passed the check. The value network is taken to predict returns
/// times (1 - discount), which are 1 at most.
Batch make_batch(
    std::span<const Trajectory> trajectories, Networks networks, float discount, float lambda);

} // namespace cartpole
