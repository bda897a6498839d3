// SPDX-License-Identifier: Apache-2.0
#include "../topology/src/live_frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace callboard::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

NodeSample node(const std::string& group, int index, NodeState state, std::uint64_t calls = 0) {
  return {
      .status = {
          .name = group + '/' + std::to_string(index),
          .group = group,
          .state = state,
          .calls = calls,
      }};
}

NodeSample with(NodeSample node, const std::string& name, decltype(MetricSample::value) value) {
  node.metrics.push_back({.name = name, .value = std::move(value)});
  return node;
}

class LiveFrameTest : public testing::Test {
protected:
  LiveFrameTest()
      : frame_(
          {
              .columns =
                  {{.title = "steps/s", .metric = "env_steps", .rate = true},
                   {.title = "return", .metric = "return"}},
              .progress = "return",
              .goal = 475,
          },
          start_) {}

  /// Two actors that made `each` steps so far, a learner that was called, an evaluator that found
  /// `mean`.
  static std::vector<NodeSample> program(std::uint64_t each, std::uint64_t calls, double mean) {
    return {
        node("learner", 0, NodeState::serving, calls),
        with(node("actor", 0, NodeState::running), "env_steps", each),
        with(node("actor", 1, NodeState::running), "env_steps", each),
        with(node("evaluator", 0, NodeState::running), "return", mean),
    };
  }

  FrameText draw(const std::vector<NodeSample>& nodes, milliseconds after, FrameSize size = {}) {
    return frame_.draw(nodes, start_ + after, size);
  }

  const LiveFrame::Time start_{};
  LiveFrame frame_;
};

TEST_F(LiveFrameTest, ShowsNodesRatesAndProgress) {
  draw(program(1'000, 10, 20), milliseconds(500));
  const FrameText text = draw(program(18'000, 75, 190), milliseconds(1'500), {.width = 60});
  EXPECT_THAT(
      lines_of(text.screen),
      ElementsAre(
          "node         state    calls/s  steps/s  return",
          "learner/0    serving       50",
          "actor/0      running             12.0k",
          "actor/1      running             12.0k",
          "evaluator/0  running                       190",
          "1.5 s  return 190 of 475 ████████████░░░░░░░░░░░░░░░░░░  40%"));
  EXPECT_EQ(text.line, "   1.5 s  steps/s 24.0k  return 190 of 475");
}

TEST_F(LiveFrameTest, ForgetsWhatIsLongerAgoThanThreeSeconds) {
  draw(program(0, 0, 0), seconds(0));
  draw(program(90'000, 0, 0), seconds(3));
  draw(program(90'300, 0, 0), seconds(6));
  EXPECT_THAT(draw(program(90'600, 0, 0), seconds(9)).line, HasSubstr("steps/s 200 "));
}

TEST_F(LiveFrameTest, ShowsNoProgressBeforeTheFirstOne) {
  const FrameText text = draw({node("evaluator", 0, NodeState::starting)}, milliseconds(40));
  EXPECT_THAT(text.screen, HasSubstr("0.0 s  return - of 475 ░"));
  EXPECT_EQ(text.line, "   0.0 s  return - of 475");
}

TEST_F(LiveFrameTest, AddsUpGroupsWhenThereIsNoRoomForAllNodes) {
  const FrameSize six_lines{.width = 60, .height = 6};
  draw(program(1'000, 10, 20), seconds(1), six_lines);
  const auto lines = lines_of(draw(program(2'000, 10, 20), seconds(2), six_lines).screen);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[2], "actor × 2  running              2000");
}

TEST_F(LiveFrameTest, KeepsProgressInViewWhereGroupsHaveNoRoomEither) {
  const auto lines = lines_of(draw(program(0, 0, 95), seconds(1), {.height = 4}).screen);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[2], EndsWith(" 20%"));
}

TEST_F(LiveFrameTest, SaysHowManyOfAGroupFailed) {
  std::vector<NodeSample> nodes;
  for (int i = 0; i < 8; ++i) {
    nodes.push_back(node("actor", i, i == 5 ? NodeState::failed : NodeState::running));
  }
  EXPECT_THAT(draw(nodes, seconds(1), {.height = 5}).screen, HasSubstr("actor × 8  1 of 8 failed"));
  EXPECT_THAT(draw(nodes, seconds(1)).screen, Not(HasSubstr("of 8")));
}

TEST_F(LiveFrameTest, AveragesTheGaugesOfAGroup) {
  const std::vector<NodeSample> nodes{
      with(node("evaluator", 0, NodeState::running), "return", 100.0),
      with(node("evaluator", 1, NodeState::running), "return", 200.0),
      node("evaluator", 2, NodeState::starting),
  };
  const auto lines = lines_of(draw(nodes, seconds(1), {.height = 5}).screen);
  EXPECT_THAT(lines[1], EndsWith(" 150"));
}

TEST_F(LiveFrameTest, ShowsTheTimeOfAProgramWithoutAGoal) {
  LiveFrame frame({.columns = {{.title = "steps/s", .metric = "steps", .rate = true}}}, start_);
  const FrameText text =
      frame.draw({node("actor", 0, NodeState::running)}, start_ + minutes(3), {});
  EXPECT_THAT(text.screen, EndsWith("running\n3 min 00 s\n"));
  EXPECT_EQ(text.line, "3 min 00 s");
}

TEST(ShortNumberTest, KeepsThreeDigitsOrMore) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.0005), "0.0005");
  EXPECT_EQ(short_number(7.25), "7.2");
  EXPECT_EQ(short_number(475.4), "475");
  EXPECT_EQ(short_number(9'999), "9999");
  EXPECT_EQ(short_number(12'345), "12.3k");
  EXPECT_EQ(short_number(999'999), "1.00M");
  EXPECT_EQ(short_number(-12'345), "-12.3k");
}

TEST(ElapsedTextTest, CountsMinutesAndHoursLater) {
  EXPECT_EQ(elapsed_text(milliseconds(8'440)), "8.4 s");
  EXPECT_EQ(elapsed_text(seconds(125)), "2 min 05 s");
  EXPECT_EQ(elapsed_text(minutes(185)), "3 h 05 min");
}

} // namespace
} // namespace callboard::detail
