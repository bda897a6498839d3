// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the command line may change: --actors=8, --learning-rate=0.001, and so on.
#pragma once

#include <cstdint>
#include <string>

namespace cartpole {

inline constexpr double goal = 475.0; ///< mean return that counts as solved
inline constexpr int episodes_per_evaluation = 100;

struct Config {
  int actors = 4;
  int environments = 8;                 ///< of each actor, stepped side by side
  int steps = 128;                      ///< by each environment between two updates
  float learning_rate = 6e-5f;          ///< of Adam; small, so that one can watch
  int evaluate_every = 5;               ///< versions of the parameters
  std::uint64_t max_steps = 20'000'000; ///< environment steps after which the run has failed
  std::string output = ".";             ///< folder of learning_curve.csv and learning_curve.svg
};

/// @throws callboard::UsageError  a number is below 1
void check(const Config& config);

} // namespace cartpole
