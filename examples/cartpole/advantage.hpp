// SPDX-License-Identifier: Apache-2.0
/// @file
/// How much better an action was than expected.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cartpole {

/// Steps of some environments side by side, ordered by step, then environment; the spans have one
/// length, a multiple of `environments`.
struct Steps {
  std::size_t environments = 1;
  std::span<const float> rewards{};
  std::span<const float> values{};            ///< expected return before each step
  std::span<const float> next_values{};       ///< and after it, in the same episode
  std::span<const std::uint8_t> terminated{}; ///< 1: nothing follows, `next_values` is ignored
  std::span<const std::uint8_t> truncated{};  ///< 1: the episode was cut off, not over
};

/// Generalized advantage estimates, one for each step:
/// A[t] = delta[t] + discount * lambda * A[t + 1] within an episode, where
/// delta[t] = reward[t] + discount * next_value[t] - value[t].
/// @throws std::invalid_argument  the spans do not fit one another
/// Source: Schulman et al. (2016), arXiv 1506.02438, equation 16.
std::vector<float> advantages(const Steps& steps, float discount, float lambda);

} // namespace cartpole
