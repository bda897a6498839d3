// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <gtest/gtest.h>

namespace callboard {
namespace {

TEST(MemoryTest, AMillionCallsWithDeadlinesLeaveItFlat) {
  expect_flat_memory(1'000'000);
}

} // namespace
} // namespace callboard
