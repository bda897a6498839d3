// SPDX-License-Identifier: Apache-2.0
// How whole processes end: status, output and signals.
#include "child.hpp"

#include <callboard/running.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace callboard {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// The program that ends as its flags say.
class ExitProgram : public Child {
public:
  explicit ExitProgram(std::vector<std::string> flags)
      : Child(CALLBOARD_EXIT_PROGRAM, std::move(flags)) {}
};

TEST(ExitStatusTest, IsZeroWhenAllLoopsHaveReturned) {
  ExitProgram child({"--ends"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_EQ(child.output(), "runs\n");
}

TEST(ExitStatusTest, IsWhatANodeGaveToStop) {
  EXPECT_EQ(ExitProgram({"--status=42"}).wait(), 42);
}

TEST(ExitStatusTest, IsThatOfTheSignalAfterACleanStop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    ExitProgram child({});
    EXPECT_TRUE(child.says("runs\n"));
    child.send(signal);
    EXPECT_EQ(child.wait(), 128 + signal);
    EXPECT_THAT(child.output(), HasSubstr("told\nends\n"));
    EXPECT_THAT(child.output(), HasSubstr("stopping, within 10 s; once more stops at once"));
  }
}

TEST(ExitStatusTest, IsOneWhenANodeFails) {
  ExitProgram child({"--fails"});
  EXPECT_EQ(child.wait(), exit_status::node_failed);
  EXPECT_THAT(
      child.output(), HasSubstr("[node/0] failed: application: std::runtime_error: as was asked"));
  EXPECT_THAT(
      child.output(),
      ContainsRegex("root cause: node/0 .incarnation 1. failed .* s after the start: .* as was "
                    "asked\n$"));
}

TEST(ExitStatusTest, TheLastLineSaysAllWhereThereIsNoLog) {
  ExitProgram child({"--fails", "--log-level=off"});
  EXPECT_EQ(child.wait(), exit_status::node_failed);
  EXPECT_THAT(child.output(), ContainsRegex("root cause: node/0 .* as was asked\n$"));
}

TEST(ExitStatusTest, ProgramsThatNodesStartCanBeEndedBySignals) {
  ExitProgram child({"--starts-a-shell"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_EQ(child.output(), "runs\na shell ended by SIGTERM\na fork ended by SIGTERM\n");
}

TEST(ExitStatusTest, IsTwoForFlagsThatCannotBeMeant) {
  ExitProgram child({"--failz"});
  EXPECT_EQ(child.wait(), exit_status::usage);
  EXPECT_THAT(child.output(), HasSubstr("failz"));
}

TEST(ExitStatusTest, IsTwoForAGraphThatBreaksTheRules) {
  ExitProgram child({"--bad-graph"});
  EXPECT_EQ(child.wait(), exit_status::usage);
  EXPECT_THAT(child.output(), HasSubstr("exit_program.cpp:"));
  EXPECT_THAT(child.output(), HasSubstr("\"no label\""));
}

TEST(ExitStatusTest, IsThreeWhenANodeDoesNotEndWithinTheGrace) {
  ExitProgram child({"--stubborn", "--grace=200ms"});
  EXPECT_TRUE(child.says("runs\n"));
  child.send(SIGTERM);
  EXPECT_EQ(child.wait(), exit_status::stubborn);
  EXPECT_THAT(child.output(), HasSubstr("node/0 did not end within the grace"));
}

TEST(ExitStatusTest, ComesAtOnceWithASecondSignal) {
  ExitProgram child({"--stubborn"});
  EXPECT_TRUE(child.says("runs\n"));
  child.send(SIGINT);
  EXPECT_TRUE(child.says("told\n"));
  const auto start = std::chrono::steady_clock::now();
  child.send(SIGINT);
  EXPECT_EQ(child.wait(), 128 + SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_THAT(child.output(), HasSubstr("stopped at once"));
}

TEST(ExitStatusTest, IsZeroForAGraphThatIsPrinted) {
  ExitProgram child({"--launch=graph", "--format=json"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_THAT(child.output(), HasSubstr("\"name\": \"exit_program\""));
  EXPECT_THAT(child.output(), ::testing::Not(HasSubstr("runs")));
}

TEST(ExitStatusTest, IsZeroForHelp) {
  ExitProgram child({"--help"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_THAT(child.output(), HasSubstr("--[no-]stubborn"));
}

} // namespace
} // namespace callboard
