// SPDX-License-Identifier: Apache-2.0
#include "loss.hpp"

#include <algorithm>
#include <cmath>

namespace cartpole {
namespace {

/// The clipped objective of one step.
struct Surrogate {
  float loss = 0.0f;
  float slope = 0.0f; ///< by the action's log probability
  bool clipped = false;
};

Surrogate surrogate(float ratio, float advantage, float range) {
  const float clipped = std::clamp(ratio, 1.0f - range, 1.0f + range);
  const bool constant = clipped * advantage < ratio * advantage;
  return {
      .loss = -std::min(ratio * advantage, clipped * advantage),
      .slope = constant ? 0.0f : -ratio * advantage,
      .clipped = clipped != ratio,
  };
}

float entropy(const std::array<float, action_count>& log_p) {
  float sum = 0.0f;
  for (float value : log_p) {
    sum -= std::exp(value) * value;
  }
  return sum;
}

} // namespace

void policy_loss(
    const Batch& batch,
    std::span<const std::uint32_t> rows,
    std::span<const float> logits,
    const PolicyTerms& terms,
    std::span<float> gradient,
    LossSums& sums) {
  const float weight = 1.0f / static_cast<float>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t row = rows[i];
    const auto log_p = log_softmax(logits.subspan(i * action_count, action_count));
    const auto action = static_cast<std::size_t>(batch.actions[row]);
    const float ratio = std::exp(log_p[action] - batch.acted[row]);
    const Surrogate step = surrogate(ratio, batch.advantages[row], terms.clip_range);
    const float spread = entropy(log_p);
    for (std::size_t k = 0; k < action_count; ++k) {
      // d log p(a) / d logit(k) = [a = k] - p(k), and dH / d logit(k) = -p(k) (log p(k) + H).
      const float p = std::exp(log_p[k]);
      const float towards = step.slope * ((k == action ? 1.0f : 0.0f) - p);
      const float even = terms.entropy_bonus * p * (log_p[k] + spread);
      gradient[i * action_count + k] = weight * (towards + even);
    }
    // Schulman's estimate (r - 1) - ln r, which is never negative.
    const double change = static_cast<double>(log_p[action]) - batch.before[row];
    sums.policy += step.loss - terms.entropy_bonus * spread;
    sums.entropy += spread;
    sums.divergence += std::expm1(change) - change;
    sums.clipped += step.clipped ? 1.0 : 0.0;
  }
}

void value_loss(
    const Batch& batch,
    std::span<const std::uint32_t> rows,
    std::span<const float> values,
    std::span<float> gradient,
    LossSums& sums) {
  const float weight = 1.0f / static_cast<float>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float error = values[i] - batch.targets[rows[i]];
    gradient[i] = weight * error;
    sums.value += 0.5 * static_cast<double>(error) * error;
  }
}

} // namespace cartpole
