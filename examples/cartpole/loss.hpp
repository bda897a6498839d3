// SPDX-License-Identifier: Apache-2.0
/// @file
/// What an update makes small: the losses of policy and value, with their gradients.
#pragma once

#include "batch.hpp"

#include <cstdint>
#include <span>

namespace cartpole {

/// Sums over the steps of some minibatches.
struct LossSums {
  double policy = 0.0;
  double value = 0.0;
  double entropy = 0.0;    ///< of the policy, in nats
  double divergence = 0.0; ///< of the policy from that before the update, estimated, in nats
  double clipped = 0.0;    ///< steps whose ratio is out of the clipping range
};

struct PolicyTerms {
  float clip_range = 0.2f;
  float entropy_bonus = 0.0f;
};

/// The mean over `rows` of -min(r A, clip(r, 1 - range, 1 + range) A) - bonus H, where r is the
/// probability of the action taken over that with which the sampler took it, A the advantage, H
/// the entropy.
/// @param logits    [rows, 2], the policy network's output
/// @param gradient  [rows, 2], receives the gradient with respect to `logits`
/// Source: Schulman et al. (2017), arXiv 1707.06347, equations 7 and 9.
void policy_loss(
    const Batch& batch,
    std::span<const std::uint32_t> rows,
    std::span<const float> logits,
    const PolicyTerms& terms,
    std::span<float> gradient,
    LossSums& sums);

/// The mean over `rows` of (value - target)^2 / 2.
/// @param values    [rows], the value network's output
/// @param gradient  [rows], receives the gradient with respect to `values`
void value_loss(
    const Batch& batch,
    std::span<const std::uint32_t> rows,
    std::span<const float> values,
    std::span<float> gradient,
    LossSums& sums);

} // namespace cartpole
