// SPDX-License-Identifier: Apache-2.0
#include <callboard/histogram.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace callboard {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> log_uniform_values(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> power(-20, 25);
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(std::exp2(power(random)));
  return values;
}

HistogramSnapshot snapshot_of(const std::vector<double>& values, HistogramRange range = {}) {
  HistogramMetric histogram(range);
  for (const double value : values)
    histogram.observe(value);
  return histogram.snapshot();
}

TEST(HistogramTest, IsAllZeroBeforeTheFirstValue) {
  const HistogramSnapshot snapshot = HistogramMetric().snapshot();
  EXPECT_EQ(snapshot.count, 0);
  EXPECT_EQ(snapshot.sum, 0);
  EXPECT_EQ(snapshot.smallest, 0);
  EXPECT_EQ(snapshot.largest, 0);
  EXPECT_TRUE(snapshot.buckets.empty());
  EXPECT_TRUE(std::isnan(snapshot.quantile(0.5)));
}

TEST(HistogramTest, CountsValuesUpToEachPowerOfTwoInclusive) {
  std::vector<double> values = log_uniform_values(5000);
  for (int power = -32; power <= 36; ++power)
    for (const double value : {std::exp2(power), std::nextafter(std::exp2(power), infinity)})
      values.push_back(value);
  const HistogramSnapshot snapshot = snapshot_of(values);
  for (int power = -30; power <= 34; ++power) {
    const double bound = std::exp2(power);
    const auto expected =
        std::count_if(values.begin(), values.end(), [&](double value) { return value <= bound; });
    EXPECT_EQ(snapshot.count_up_to(bound), expected) << "2^" << power;
  }
  EXPECT_EQ(snapshot.count, values.size());
}

TEST(HistogramTest, DividesEachDoublingInEightEqualBuckets) {
  const HistogramSnapshot snapshot = snapshot_of({1.01, 1.125, 1.126, 1.99, 2, 2.25, 2.26});
  std::vector<double> uppers;
  std::vector<std::uint64_t> counts;
  for (const auto& bucket : snapshot.buckets) {
    uppers.push_back(bucket.upper);
    counts.push_back(bucket.count);
  }
  EXPECT_THAT(uppers, testing::ElementsAre(1.125, 1.25, 2.0, 2.25, 2.5));
  EXPECT_THAT(counts, testing::ElementsAre(2, 1, 2, 1, 1));
}

TEST(HistogramTest, EstimatesQuantilesWithinAnEighth) {
  std::vector<double> values = log_uniform_values(20'001);
  const HistogramSnapshot snapshot = snapshot_of(values);
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const double exact = values[static_cast<std::size_t>(q * 20'000)];
    EXPECT_NEAR(snapshot.quantile(q) / exact, 1, 0.125) << q;
  }
  EXPECT_EQ(snapshot.quantile(0), values.front());
  EXPECT_EQ(snapshot.quantile(1), values.back());
  EXPECT_EQ(snapshot.quantile(7), values.back());
}

TEST(HistogramTest, NeverEstimatesOutsideOfWhatItSaw) {
  const HistogramSnapshot same = snapshot_of({3, 3, 3});
  for (const double q : {0.0, 0.3, 0.5, 1.0})
    EXPECT_EQ(same.quantile(q), 3);
  const HistogramSnapshot extremes = snapshot_of({-8, 0, 1e12});
  EXPECT_EQ(extremes.quantile(0), -8);
  EXPECT_EQ(extremes.quantile(1), 1e12);
  EXPECT_LE(extremes.quantile(0.6), 0);
}

TEST(HistogramTest, CountsNumbersThatAreNotFiniteApart) {
  const HistogramSnapshot snapshot = snapshot_of({1, std::nan(""), infinity, -infinity, 2});
  EXPECT_EQ(snapshot.count, 2);
  EXPECT_EQ(snapshot.sum, 3);
  EXPECT_EQ(snapshot.ignored, 3);
  EXPECT_EQ(snapshot.largest, 2);
}

TEST(HistogramTest, AddsUpExactlyWhatManyThreadsObserve) {
  HistogramMetric histogram;
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i <= 20; ++i)
      threads.emplace_back([&, i] {
        for (int n = 0; n < 2000; ++n)
          histogram.observe(i);
      });
    const HistogramSnapshot meanwhile = histogram.snapshot();
    EXPECT_LE(meanwhile.count, 40'000);
    EXPECT_LE(meanwhile.count, meanwhile.sum) << "what is counted is in the sum";
  }
  const HistogramSnapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.count, 40'000);
  EXPECT_EQ(snapshot.sum, 2000 * 210);
  EXPECT_EQ(snapshot.smallest, 1);
  EXPECT_EQ(snapshot.largest, 20);
}

TEST(HistogramTest, ShowsThePowersOfTwoAroundItsRange) {
  EXPECT_THAT(bounds_of({.smallest = 1, .largest = 8}), testing::ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(bounds_of({.smallest = 3, .largest = 5}), testing::ElementsAre(2, 4, 8));
  EXPECT_EQ(bounds_of({}).size(), 31);
  EXPECT_LE(bounds_of({}).front(), 1e-6);
  EXPECT_GE(bounds_of({}).back(), 1e3);
  EXPECT_EQ(bounds_of({.smallest = 1e-300, .largest = 1e300}).size(), 65);
}

TEST(HistogramTest, RefusesARangeThatIsNone) {
  for (const HistogramRange range :
       {HistogramRange{0, 1},
        HistogramRange{-1, 1},
        HistogramRange{2, 1},
        HistogramRange{1, infinity},
        HistogramRange{std::nan(""), 1}})
    EXPECT_THROW(HistogramMetric{range}, std::invalid_argument);
}

} // namespace
} // namespace callboard
