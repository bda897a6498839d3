// SPDX-License-Identifier: Apache-2.0
#include "config.hpp"

#include <callboard/flags.hpp>

#include <fmt/format.h>

#include <utility>

namespace cartpole {

void check(const Config& config) {
  const std::initializer_list<std::pair<const char*, int>> counts = {
      {"actors", config.actors},
      {"environments", config.environments},
      {"steps", config.steps},
      {"evaluate-every", config.evaluate_every},
  };
  for (const auto& [name, count] : counts) {
    if (count < 1) {
      throw callboard::UsageError(fmt::format("--{} is {}, must be at least 1", name, count));
    }
  }
}

} // namespace cartpole
