// SPDX-License-Identifier: Apache-2.0
#include "fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {

std::vector<Fingerprint> fingerprint_of(const Program& program) {
  std::vector<Fingerprint> all;
  for (const auto& [what, hash] : program.fingerprints()) {
    all.push_back({.what = what, .hash = hash});
  }
  return all;
}

std::optional<std::string> difference(
    const std::vector<Fingerprint>& ours, const std::vector<Fingerprint>& theirs) {
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    if (i >= theirs.size()) {
      return fmt::format("it lacks {}", ours[i].what);
    }
    if (i >= ours.size()) {
      return fmt::format("it has {} besides", theirs[i].what);
    }
    if (ours[i].what != theirs[i].what) {
      return fmt::format("it has {} where this has {}", theirs[i].what, ours[i].what);
    }
    if (ours[i].hash != theirs[i].hash) {
      return fmt::format("{} differ", ours[i].what);
    }
  }
  return std::nullopt;
}

} // namespace callboard::detail
