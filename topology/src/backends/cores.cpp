// SPDX-License-Identifier: Apache-2.0
#include "cores.hpp"

#include <cmath>

namespace callboard::detail {

std::optional<cpu_set_t> Cores::take(double cpus) {
  if (cpus < 1 || cpus != std::floor(cpus) || cpus >= static_cast<double>(own_.size())) {
    return std::nullopt;
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int i = 0; i < static_cast<int>(cpus); ++i) {
    CPU_SET(own_[next_], &cores);
    next_ = (next_ + 1) % own_.size();
  }
  return cores;
}

std::vector<int> own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  std::vector<int> own;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) {
      own.push_back(core);
    }
  }
  return own;
}

} // namespace callboard::detail
