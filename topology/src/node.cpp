// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

#include <algorithm>

namespace callboard::detail {
namespace {

/// Spreads a seed over all bits. (SplitMix64: Steele, Lea and Flood, 2014.)
std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

} // namespace

std::uint64_t seed_of(std::uint64_t program_seed, const std::string& node) {
  std::uint64_t seed = mix(program_seed);
  for (const char c : node) {
    seed = mix(seed ^ static_cast<unsigned char>(c));
  }
  return seed;
}

bool runs_loop(const GroupSpec& spec, const StartOptions& options) {
  const auto& disabled = options.disable_run;
  return spec.factory->has_run && !options.deterministic
      && std::find(disabled.begin(), disabled.end(), spec.options.label) == disabled.end();
}

} // namespace callboard::detail
