// SPDX-License-Identifier: Apache-2.0
// Where lines of the log go.
#include "captured_log.hpp"

#include <callboard/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace callboard {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class LogTest : public ::testing::Test {
protected:
  LogTest() { CaptureStderr(); }
  ~LogTest() override { set_log_sink({}); }
};

TEST_F(LogTest, GoesToStandardErrorInTheNameOfTheNode) {
  Log("actor/3").warning("slow");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("[actor/3] slow"));
}

TEST_F(LogTest, GoesToASinkInstead) {
  const CapturedLog captured;
  log(LogLevel::info, "actor/3", "slow");
  log(LogLevel::debug, "actor/3", "below the level");
  EXPECT_THAT(captured.lines(), ElementsAre("slow"));
  EXPECT_THAT(GetCapturedStderr(), IsEmpty());
}

TEST_F(LogTest, ALineAtWhichTheSinkThrowsIsNotLost) {
  set_log_sink([](LogLevel /*level*/, std::string_view /*node*/, std::string_view /*text*/) {
    throw std::runtime_error("disk full");
  });
  log(LogLevel::info, "actor/3", "slow");
  log(LogLevel::info, "actor/3", "slower");
  EXPECT_THAT(
      GetCapturedStderr(),
      AllOf(
          HasSubstr("[actor/3] slow\n"),
          HasSubstr("[actor/3] slower\n"),
          HasSubstr("the log's sink threw: "),
          HasSubstr("disk full")));
}

TEST_F(LogTest, WhatASinkLogsItselfGoesToStandardError) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel /*level*/, std::string_view /*node*/, std::string_view text) {
    lines.emplace_back(text);
    log(LogLevel::info, "", "from within");
  });
  log(LogLevel::info, "actor/3", "slow");
  EXPECT_THAT(lines, ElementsAre("slow"));
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("from within"));
}

} // namespace
} // namespace callboard
