// SPDX-License-Identifier: Apache-2.0
#include <callboard/histogram.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>

namespace callboard {
namespace {

// A positive double's bits grow with its value. Their upper 15 are the sign, the exponent and the
// first three digits of the mantissa: so a shift finds one of eight buckets to each doubling.
constexpr int dropped_bits = 49;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double lowest_bound = 0x1p-30;
constexpr double highest_bound = 0x1p34;
constexpr std::uint64_t first_step = std::bit_cast<std::uint64_t>(lowest_bound) >> dropped_bits;
constexpr std::uint64_t last_step = std::bit_cast<std::uint64_t>(highest_bound) >> dropped_bits;
constexpr std::size_t overflow = last_step - first_step + 1;
constexpr std::size_t bucket_count = overflow + 1;

/// Bucket 0 holds all up to `lowest_bound`, the last one all above `highest_bound`.
std::size_t bucket_of(double value) {
  if (value <= lowest_bound)
    return 0;
  if (value > highest_bound)
    return overflow;
  // One less, for a bucket includes its upper bound, as Prometheus has it, and not its lower one.
  const std::uint64_t step = (std::bit_cast<std::uint64_t>(value) - 1) >> dropped_bits;
  return static_cast<std::size_t>(step - first_step) + 1;
}

double upper_of(std::size_t bucket) {
  if (bucket == overflow)
    return infinity;
  return std::bit_cast<double>((first_step + bucket) << dropped_bits);
}

/// The lower bound of the bucket that ends at `upper`.
double lower_of(double upper) {
  if (upper <= lowest_bound)
    return -infinity;
  return upper == infinity ? highest_bound : upper_of(bucket_of(upper) - 1);
}

template <class Better>
void keep(std::atomic<double>& best, double value, Better better) {
  double seen = best.load(std::memory_order_relaxed);
  while (better(value, seen)
         && !best.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {}
}

} // namespace

std::vector<double> bounds_of(const HistogramRange& range) {
  if (!(range.smallest > 0 && range.smallest <= range.largest && std::isfinite(range.largest))) {
    throw std::invalid_argument(fmt::format(
        "a histogram's range is {} to {}; both ends must be finite and 0 < smallest <= largest",
        range.smallest,
        range.largest));
  }
  const int first = static_cast<int>(std::floor(std::log2(range.smallest)));
  const int last = static_cast<int>(std::ceil(std::log2(range.largest)));
  std::vector<double> bounds;
  for (int power = std::max(first, -30); power <= std::min(last, 34); ++power)
    bounds.push_back(std::ldexp(1.0, power));
  return bounds;
}

double HistogramSnapshot::quantile(double q) const {
  if (count == 0)
    return std::numeric_limits<double>::quiet_NaN();
  const double wanted = std::clamp(q, 0.0, 1.0) * static_cast<double>(count);
  double before = 0;
  for (const Bucket& bucket : buckets) {
    const auto inside = static_cast<double>(bucket.count);
    if (before + inside >= wanted) {
      const double lower = std::max(lower_of(bucket.upper), smallest);
      const double upper = std::min(bucket.upper, largest);
      return std::lerp(lower, upper, (wanted - before) / inside);
    }
    before += inside;
  }
  return largest;
}

std::uint64_t HistogramSnapshot::count_up_to(double bound) const {
  std::uint64_t result = 0;
  for (const Bucket& bucket : buckets) {
    if (bucket.upper <= bound)
      result += bucket.count;
  }
  return result;
}

struct alignas(detail::cache_line) HistogramMetric::Shard {
  std::array<std::atomic<std::uint64_t>, bucket_count> counts{};
  std::atomic<double> sum{0};
  std::atomic<double> smallest{infinity};
  std::atomic<double> largest{-infinity};
  std::atomic<std::uint64_t> ignored{0};
};

HistogramMetric::HistogramMetric(HistogramRange range) : range_(range) {
  static_cast<void>(bounds_of(range));
}

HistogramMetric::~HistogramMetric() {
  for (auto& shard : shards_)
    delete shard.load();
}

HistogramMetric::Shard& HistogramMetric::shard() {
  std::atomic<Shard*>& place = shards_[detail::this_shard()];
  if (Shard* present = place.load(std::memory_order_acquire))
    return *present;
  auto made = std::make_unique<Shard>();
  Shard* other = nullptr;
  if (!place.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel))
    return *other;
  return *made.release();
}

void HistogramMetric::observe(double value) {
  Shard& mine = shard();
  if (!std::isfinite(value)) {
    mine.ignored.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  keep(mine.smallest, value, std::less<>{});
  keep(mine.largest, value, std::greater<>{});
  mine.sum.fetch_add(value, std::memory_order_relaxed);
  // Last and with release: whoever sees the count sees the value in the sum and the extremes.
  mine.counts[bucket_of(value)].fetch_add(1, std::memory_order_release);
}

HistogramSnapshot HistogramMetric::snapshot() const {
  HistogramSnapshot result{.smallest = infinity, .largest = -infinity, .range = range_};
  std::array<std::uint64_t, bucket_count> counts{};
  for (const auto& place : shards_) {
    const Shard* one = place.load(std::memory_order_acquire);
    if (one == nullptr)
      continue;
    for (std::size_t i = 0; i < bucket_count; ++i)
      counts[i] += one->counts[i].load(std::memory_order_acquire);
    result.sum += one->sum.load(std::memory_order_relaxed);
    result.smallest = std::min(result.smallest, one->smallest.load(std::memory_order_relaxed));
    result.largest = std::max(result.largest, one->largest.load(std::memory_order_relaxed));
    result.ignored += one->ignored.load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < bucket_count; ++i) {
    if (counts[i] > 0)
      result.buckets.push_back({upper_of(i), counts[i]});
    result.count += counts[i];
  }
  if (result.count == 0)
    result.smallest = result.largest = 0;
  return result;
}

} // namespace callboard
