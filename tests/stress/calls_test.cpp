// SPDX-License-Identifier: Apache-2.0
#include "actors/ledger.hpp"
#include "actors/memory.hpp"

#include <gtest/gtest.h>

namespace callboard {
namespace {

TEST(CallsStressTest, TenMillionCallsWithDeadlinesLeaveMemoryFlat) {
  expect_flat_memory(10'000'000);
}

TEST(CallsStressTest, EightThreadsOnFiveServicesKeepOrderAndExclusion) {
  expect_order_and_exclusion(8, 5, 20'000);
}

TEST(CallsStressTest, SixteenThreadsOnOneServiceKeepOrderAndExclusion) {
  expect_order_and_exclusion(16, 1, 10'000);
}

} // namespace
} // namespace callboard
