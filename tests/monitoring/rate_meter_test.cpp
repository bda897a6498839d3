// SPDX-License-Identifier: Apache-2.0
#include <callboard/rate_meter.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace callboard {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RateMeter::Time at(double second) {
  return RateMeter::Time(seconds(1'000'000) + milliseconds(static_cast<int>(second * 1000)));
}

TEST(RateMeterTest, IsZeroBeforeThereAreTwoTotals) {
  RateMeter meter;
  EXPECT_EQ(meter.rate(), 0);
  meter.add(at(1), 1e6);
  EXPECT_EQ(meter.rate(), 0);
}

TEST(RateMeterTest, DividesGrowthByTime) {
  RateMeter meter;
  meter.add(at(1), 100);
  meter.add(at(3), 150);
  EXPECT_DOUBLE_EQ(meter.rate(), 25);
}

TEST(RateMeterTest, ForgetsWhatIsOlderThanItsWindow) {
  RateMeter meter(seconds(10));
  for (int second = 0; second <= 20; ++second) // 100 a second, then 10 a second
    meter.add(at(second), second <= 10 ? 100 * second : 1000 + 10 * (second - 10));
  EXPECT_DOUBLE_EQ(meter.rate(), 10);
}

TEST(RateMeterTest, MeasuresOverTheWholeWindowWhenTotalsComeSeldom) {
  RateMeter meter(seconds(10));
  meter.add(at(0), 0);
  meter.add(at(8), 80);
  meter.add(at(16), 80);
  EXPECT_DOUBLE_EQ(meter.rate(), 5) << "80 in the 16 s from the last total before the window on";
}

TEST(RateMeterTest, TakesAFallForABeginningFromZero) {
  RateMeter meter(seconds(10));
  meter.add(at(0), 1000);
  meter.add(at(1), 1100);
  meter.add(at(2), 40);
  EXPECT_DOUBLE_EQ(meter.rate(), 70);
}

TEST(RateMeterTest, IgnoresATimeThatIsNotLater) {
  RateMeter meter;
  meter.add(at(1), 0);
  meter.add(at(2), 10);
  meter.add(at(2), 1000);
  meter.add(at(0), 1000);
  EXPECT_DOUBLE_EQ(meter.rate(), 10);
}

TEST(RateMeterTest, StaysExactWhenTotalsComeThickAndFast) {
  RateMeter meter(seconds(10));
  for (int i = 0; i <= 40'000; ++i) // every millisecond
    meter.add(at(i / 1000.0), 3.0 * i);
  EXPECT_NEAR(meter.rate(), 3000, 1e-6);
}

TEST(RateMeterTest, RefusesAWindowThatIsNone) {
  EXPECT_THROW(RateMeter(seconds(0)), std::invalid_argument);
}

} // namespace
} // namespace callboard
