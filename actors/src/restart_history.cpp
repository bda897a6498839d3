// SPDX-License-Identifier: Apache-2.0
#include <callboard/restart_history.hpp>

#include <algorithm>
#include <cmath>

namespace callboard {

bool RestartHistory::add(const RestartLimit& limit, RestartRecord restart) {
  const auto first_kept = std::find_if(records_.begin(), records_.end(), [&](const auto& record) {
    return restart.at - record.at <= limit.period;
  });
  records_.erase(records_.begin(), first_kept);
  records_.push_back(std::move(restart));
  return records_.size() <= static_cast<std::size_t>(limit.intensity);
}

namespace {

/// A number in [0, 1) that looks random: one step of SplitMix64 (Steele, Lea and Flood 2014).
double uniform(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  z ^= z >> 31U;
  return static_cast<double>(z >> 11U) * 0x1p-53;
}

} // namespace

Duration backoff_delay(const Backoff& backoff, int failures, std::uint64_t salt) {
  using Ticks = std::chrono::duration<double, Duration::period>;
  const double grown =
      Ticks(backoff.initial).count() * std::pow(backoff.factor, std::max(failures, 1) - 1);
  const double jitter = backoff.jitter * (2 * uniform(backoff.seed ^ (salt << 32U)) - 1);
  const Ticks delay(std::min(grown, Ticks(backoff.maximum).count()) * (1 + jitter));
  return delay < Ticks(forever) ? std::chrono::duration_cast<Duration>(delay) : forever;
}

} // namespace callboard
