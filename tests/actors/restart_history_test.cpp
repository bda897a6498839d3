// SPDX-License-Identifier: Apache-2.0
#include <callboard/restart_history.hpp>

#include <gtest/gtest.h>

namespace callboard {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start{1h};

TEST(RestartHistoryTest, AllowsAsManyRestartsAsItsIntensity) {
  RestartHistory history;
  const RestartLimit limit{.intensity = 2, .period = 5s};
  EXPECT_TRUE(history.add(limit, {.at = start}));
  EXPECT_TRUE(history.add(limit, {.at = start}));
  EXPECT_FALSE(history.add(limit, {.at = start}));
}

TEST(RestartHistoryTest, ForgetsARestartAfterThePeriodNotAtItsEdge) {
  const RestartLimit limit{.intensity = 1, .period = 5s};
  RestartHistory at_the_edge;
  at_the_edge.add(limit, {.at = start});
  EXPECT_FALSE(at_the_edge.add(limit, {.at = start + 5s}));
  RestartHistory after_it;
  after_it.add(limit, {.at = start});
  EXPECT_TRUE(after_it.add(limit, {.at = start + 5s + 1ns}));
}

TEST(RestartHistoryTest, KeepsNoMoreThanTheLimitConcerns) {
  RestartHistory history;
  const RestartLimit limit{.intensity = 3, .period = 10s};
  for (int i = 0; i < 1000; ++i) {
    history.add(limit, {.at = start + i * 10s, .child = std::to_string(i)});
  }
  ASSERT_EQ(history.records().size(), 2U);
  EXPECT_EQ(history.records().front().child, "998");
}

TEST(RestartHistoryTest, HasNoOverflowWithTheLongestPeriodAndTheEarliestTime) {
  RestartHistory history;
  const RestartLimit limit{.intensity = 1, .period = forever};
  EXPECT_TRUE(history.add(limit, {.at = TimePoint()}));
  EXPECT_FALSE(history.add(limit, {.at = TimePoint::max()}));
}

TEST(BackoffTest, DoublesUntilItsMaximum) {
  const Backoff backoff{.initial = 100ms, .factor = 2, .maximum = 1s, .jitter = 0};
  const std::vector<Duration> expected{100ms, 200ms, 400ms, 800ms, 1s, 1s};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(backoff_delay(backoff, static_cast<int>(i) + 1, 0), expected[i]);
  }
  EXPECT_EQ(backoff_delay(backoff, 1'000'000, 0), 1s);
}

// The first number of SplitMix64 from seed 0 is 0xe220a8397b1dcdaf, that is 0.8833108… of the
// range; so 100 ms ± 20 % become 100 ms · (1 + 0.2 · 0.7666216…).
TEST(BackoffTest, JitterIsThatOfSplitMix64) {
  const Duration delay = backoff_delay({.initial = 100ms, .jitter = 0.2, .seed = 0}, 1, 0);
  EXPECT_EQ(std::chrono::duration_cast<std::chrono::microseconds>(delay), 115'332us);
}

TEST(BackoffTest, JitterStaysInItsRangeAndFillsIt) {
  const Backoff backoff{.initial = 1s, .jitter = 0.5, .seed = 7};
  Duration least = forever;
  Duration most{};
  for (std::uint64_t salt = 0; salt < 1000; ++salt) {
    least = std::min(least, backoff_delay(backoff, 1, salt));
    most = std::max(most, backoff_delay(backoff, 1, salt));
  }
  EXPECT_GE(least, 500ms);
  EXPECT_LT(least, 510ms);
  EXPECT_LT(most, 1500ms);
  EXPECT_GT(most, 1490ms);
}

TEST(BackoffTest, IsTheSameForTheSameSeedAndDiffersForOthers) {
  const Backoff one{.seed = 1};
  EXPECT_EQ(backoff_delay(one, 3, 5), backoff_delay(one, 3, 5));
  EXPECT_NE(backoff_delay(one, 3, 5), backoff_delay(one, 3, 6));
  EXPECT_NE(backoff_delay(one, 3, 5), backoff_delay({.seed = 2}, 3, 5));
}

TEST(BackoffTest, LastsForEverRatherThanOverflow) {
  const Backoff backoff{.initial = forever, .maximum = forever, .jitter = 0.2, .seed = 0};
  EXPECT_EQ(backoff_delay(backoff, 5, 0), forever);
}

} // namespace
} // namespace callboard
