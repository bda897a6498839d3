// SPDX-License-Identifier: Apache-2.0
/// @file
/// Samplers, learner and evaluator in one loop on one thread: what the graph of actors does,
/// without the actors.
#pragma once

#include "learner.hpp"
#include "sampler.hpp"

#include <cstdint>
#include <functional>

namespace cartpole {

struct TrainingConfig {
  std::uint64_t seed = 1;
  int samplers = 4;        ///< whose trajectories make one update
  SamplerConfig sampler{}; ///< of each
  LearnerConfig learner{};
  int staleness = 0;      ///< versions by which the samplers' parameters lag behind
  int evaluate_every = 4; ///< updates between evaluations
  int evaluation_episodes = 100;
  float target = 475.0f;              ///< mean return of an evaluation that ends the training
  std::uint64_t most_steps = 300'000; ///< environment steps after which it ends anyway
};

/// Where training stands, at an evaluation.
struct TrainingProgress {
  UpdateStatistics last{}; ///< of the last update
  Evaluation evaluation{};
  std::uint64_t steps = 0; ///< environment steps sampled
};

/// Trains until an evaluation reaches the target; the last progress, which `report` has seen too.
TrainingProgress train(
    const TrainingConfig& config,
    const std::function<void(const TrainingProgress&)>& report = [](const auto&) {});

} // namespace cartpole
