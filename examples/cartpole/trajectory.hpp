// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a sampler hands to a learner.
#pragma once

#include <cstdint>
#include <vector>

namespace cartpole {

/// Some steps of some environments, side by side. A plain aggregate, so that it can travel.
///
/// Arrays are contiguous and ordered by step, then environment. An environment starts its next
/// episode at once: the observation after an ended step is the first of the new episode.
struct Trajectory {
  std::uint64_t version = 0;              ///< of the parameters that chose the actions
  std::int32_t steps = 0;                 ///< by each environment
  std::int32_t environments = 0;          ///< side by side
  std::vector<float> observations{};      ///< [steps, environments, 4], before each action
  std::vector<std::int32_t> actions{};    ///< [steps, environments]
  std::vector<float> log_probabilities{}; ///< [steps, environments], of the actions
  std::vector<float> rewards{};           ///< [steps, environments]
  std::vector<std::uint8_t> terminated{}; ///< [steps, environments], 1: nothing follows
  std::vector<std::uint8_t> truncated{};  ///< [steps, environments], 1: cut off by the limit
  std::vector<float> bootstrap{};         ///< [environments, 4], what followed the last step
  std::vector<float> cut_off{};           ///< [steps truncated and not terminated, 4], their last
  std::vector<float> returns{};           ///< of the episodes that ended, in order of their end
};

} // namespace cartpole
