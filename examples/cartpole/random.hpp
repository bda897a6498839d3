// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random numbers that are the same with every standard library.
#pragma once

#include <cstdint>
#include <random>

namespace cartpole {

/// `seed` with all bits mixed, so that neighbouring seeds start unlike sequences.
/// Source: the finalizer of SplitMix64, Steele, Lea and Flood (2014).
constexpr std::uint64_t mixed(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
  return seed ^ (seed >> 31);
}

/// The seed of one of many streams of a root seed, such as one for each environment.
constexpr std::uint64_t stream_seed(std::uint64_t root, std::uint64_t stream) {
  return mixed(mixed(root) + stream);
}

/// A stream of random numbers: std::mt19937_64, whose sequence the standard fixes, with our own
/// distributions, since those of the standard library differ from one to the next.
class Random {
public:
  explicit Random(std::uint64_t seed) : engine_(mixed(seed)) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in 0 .. count - 1, for counts far below 2^53.
  std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(count));
  }

private:
  std::mt19937_64 engine_;
};

} // namespace cartpole
