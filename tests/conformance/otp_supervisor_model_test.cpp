// SPDX-License-Identifier: Apache-2.0
#include "supervisor_histories.hpp"

#include <gtest/gtest.h>

namespace callboard::script {
namespace {

TEST(OtpSupervisorModelTest, AgreesInAHundredThousandRandomHistories) {
  expect_agreement(0, 100'000);
}

} // namespace
} // namespace callboard::script
