// SPDX-License-Identifier: Apache-2.0
#include "advantage.hpp"

#include <stdexcept>

namespace cartpole {
namespace {

void check(const Steps& steps) {
  const std::size_t count = steps.rewards.size();
  if (steps.values.size() != count || steps.next_values.size() != count
      || steps.terminated.size() != count || steps.truncated.size() != count) {
    throw std::invalid_argument("advantages: rewards, values and flags differ in length");
  }
  if (steps.environments == 0 || count % steps.environments != 0) {
    throw std::invalid_argument("advantages: the number of steps is no multiple of environments");
  }
}

} // namespace

std::vector<float> advantages(const Steps& steps, float discount, float lambda) {
  check(steps);
  const std::size_t count = steps.rewards.size();
  std::vector<float> result(count);
  for (std::size_t i = count; i-- > 0;) {
    const bool terminated = steps.terminated[i] != 0;
    const float after = terminated ? 0.0f : discount * steps.next_values[i];
    result[i] = steps.rewards[i] + after - steps.values[i];
    if (!terminated && steps.truncated[i] == 0 && i + steps.environments < count) {
      result[i] += discount * lambda * result[i + steps.environments];
    }
  }
  return result;
}

} // namespace cartpole
