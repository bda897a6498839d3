// SPDX-License-Identifier: Apache-2.0
#include "conformance/supervisor_histories.hpp"

#include <gtest/gtest.h>

namespace callboard::script {
namespace {

TEST(SupervisorStressTest, AgreesWithTheModelInAMillionRandomHistories) {
  expect_agreement(1'000'000, 1'000'000);
}

} // namespace
} // namespace callboard::script
