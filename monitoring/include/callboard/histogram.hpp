// SPDX-License-Identifier: Apache-2.0
/// @file
/// Distributions of positive quantities such as durations and sizes, at a fixed cost per value.
#pragma once

#include <callboard/detail/shard.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace callboard {

/// The bounds that Prometheus is shown: the powers of two from about `smallest` to about `largest`.
/// What is counted inside is finer and wider, and does not depend on it.
struct HistogramRange {
  double smallest = 1e-6; ///< above 0; the default suits seconds: a microsecond …
  double largest = 1e3;   ///< … to a quarter of an hour, in 31 bounds
};

/// What a histogram had counted at one moment. A plain value.
struct HistogramSnapshot {
  /// Values above the bucket before and up to `upper` inclusive.
  struct Bucket {
    double upper = 0;
    std::uint64_t count = 0;
  };

  std::vector<Bucket>
      buckets{};             ///< those that are not empty, by rising `upper`; the last may be +inf
  std::uint64_t count = 0;   ///< values in all buckets
  double sum = 0;            ///< of these values
  double smallest = 0;       ///< of these values; 0 if there are none
  double largest = 0;        ///< of these values; 0 if there are none
  std::uint64_t ignored = 0; ///< values that were NaN or infinite, counted nowhere else
  HistogramRange range{};    ///< the bounds to show

  /// An estimate of the value that a share `q` of all values does not exceed, linear inside a
  /// bucket: off by less than 12.5 % from 1e-9 to 1.7e10, exact at `q` = 0 and 1.
  /// NaN if nothing was counted; `q` is held to [0, 1].
  double quantile(double q) const;

  /// Values up to `bound`, which is a power of two.
  std::uint64_t count_up_to(double bound) const;
};

/// The powers of two that a range stands for, rising.
/// @throws std::invalid_argument unless 0 < smallest <= largest, both finite
std::vector<double> bounds_of(const HistogramRange& range);

/// Counts values in buckets of growing width: eight to each doubling, from 2^-30 to 2^34, and one
/// each for what is below (zero and negative values too) and above.
///
/// Thread-safe: `observe` takes no lock, and threads write to copies of their own. A thread's first
/// value may allocate 4 KiB; 16 threads and more share 16 copies.
class HistogramMetric {
public:
  /// @throws std::invalid_argument for a range that `bounds_of` refuses
  explicit HistogramMetric(HistogramRange range = {});
  HistogramMetric(const HistogramMetric&) = delete;
  HistogramMetric& operator=(const HistogramMetric&) = delete;
  ~HistogramMetric();

  /// Counts one value. NaN and infinities are only counted as ignored.
  void observe(double value);

  /// `count` always is the sum of the buckets; a value that is observed meanwhile may be in `sum`,
  /// `smallest` and `largest` before it is counted.
  HistogramSnapshot snapshot() const;

private:
  struct Shard;
  Shard& shard();

  HistogramRange range_;
  std::array<std::atomic<Shard*>, detail::shard_count> shards_{};
};

} // namespace callboard
