// SPDX-License-Identifier: Apache-2.0
#include <callboard/terminal.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace callboard {
namespace {

using testing::HasSubstr;
using testing::Not;

TextTable nodes() {
  return {
      .columns = {{"node"}, {"state"}, {"calls/s", Alignment::right}},
      .rows = {
          {{"actor/0", "running", "12.5k"}},
          {{"learner/0", "restarting", "7"}, TextStyle::warning}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

TEST(DisplayWidthTest, CountsColumnsRatherThanBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("caf\xc3\xa9"), 4);
  EXPECT_EQ(display_width("cafe\xcc\x81"), 4) << "a combining accent takes no column";
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("🎲"), 2);
  EXPECT_EQ(display_width("█░…│"), 4);
  EXPECT_EQ(display_width("\xff\xfe"), 2) << "each byte that is not UTF-8 is one U+FFFD";
}

TEST(TableTest, AlignsColumnsUnderTheirTitles) {
  EXPECT_EQ(
      render(nodes(), 80, false),
      "node       state       calls/s\n"
      "actor/0    running       12.5k\n"
      "learner/0  restarting        7\n");
}

TEST(TableTest, AlignsWideAndCombiningCharacters) {
  const TextTable table{
      .columns = {{"host"}, {"n", Alignment::right}},
      .rows = {{{"日本", "1"}}, {{"cafe\xcc\x81", "2"}}, {{"abcdef", "3"}}}};
  EXPECT_EQ(
      render(table, 80, false),
      "host    n\n"
      "日本    1\n"
      "cafe\xcc\x81    2\n"
      "abcdef  3\n");
}

TEST(TableTest, CutsTheWidestTextsWhenItIsNarrow) {
  EXPECT_EQ(
      render(nodes(), 28, false),
      "node       state     calls/s\n"
      "actor/0    running     12.5k\n"
      "learner/0  restart…        7\n");
}

TEST(TableTest, DropsColumnsFromTheRightWhenItIsNarrower) {
  EXPECT_EQ(
      render(nodes(), 20, false),
      "node       state\n"
      "actor/0    running\n"
      "learner/0  restarti…\n");
  EXPECT_EQ(render(nodes(), 6, false), "node\nactor…\nlearn…\n");
}

TEST(TableTest, NeverExceedsTheWidth) {
  TextTable table = nodes();
  table.rows.push_back({{"日本語のノード", "🎲🎲🎲🎲🎲", "123456789"}});
  for (int width = 0; width < 60; ++width)
    for (const std::string& line : lines_of(render(table, width, false)))
      EXPECT_LE(display_width(line), width) << line;
}

TEST(TableTest, NeverCutsANumber) {
  const TextTable table{
      .columns = {{"a text that is long"}, {"n", Alignment::right}},
      .rows = {{{"x", "123456789012"}}}};
  for (int width = 1; width < 40; ++width) {
    const std::string text = render(table, width, false);
    if (text.find('1') != std::string::npos) {
      EXPECT_THAT(text, HasSubstr("123456789012"));
    }
  }
}

TEST(TableTest, ColoursWholeRowsOnlyWhenAsked) {
  const std::vector<std::string> lines = lines_of(render(nodes(), 80, true));
  EXPECT_EQ(lines[0], "\x1b[1mnode       state       calls/s\x1b[0m");
  EXPECT_EQ(lines[1], "actor/0    running       12.5k");
  EXPECT_EQ(lines[2], "\x1b[33mlearner/0  restarting        7\x1b[0m");
  EXPECT_THAT(render(nodes(), 80, false), Not(HasSubstr("\x1b")));
}

TEST(TableTest, LeavesCellsNoPowerOverTheTerminal) {
  const TextTable table{
      .columns = {{"a\x1b[2J"}, {"b"}},
      .rows = {
          {{"x\ny\tz", "\x1b]0;title\x07"}},
          {{"\xff\xc2\x9b"
            "31m",
            "\x7f"}}}};
  const std::string text = render(table, 80, false);
  EXPECT_EQ(lines_of(text).size(), 3);
  EXPECT_THAT(text, HasSubstr("x y z"));
  for (const char* sequence : {"\x1b", "\x07", "\x7f", "\xff", "\xc2\x9b", "\t"})
    EXPECT_THAT(text, Not(HasSubstr(sequence)));
}

TEST(TableTest, TakesRowsThatAreTooShortOrTooLong) {
  const TextTable table{.columns = {{"a"}, {"b"}}, .rows = {{{"1"}}, {{"1", "2", "3"}}, {}}};
  EXPECT_EQ(render(table, 80, false), "a  b\n1\n1  2\n\n");
  EXPECT_EQ(render({}, 80, false), "");
}

TEST(ProgressBarTest, FillsTheWidthInEighthsOfAColumn) {
  EXPECT_EQ(progress_bar(0, 15), "░░░░░░░░░░   0%");
  EXPECT_EQ(progress_bar(0.5, 15), "█████░░░░░  50%");
  EXPECT_EQ(progress_bar(0.55, 15), "█████▌░░░░  55%");
  EXPECT_EQ(progress_bar(1, 15), "██████████ 100%");
  EXPECT_EQ(progress_bar(0.5, 19, "env"), "env █████░░░░░  50%");
}

TEST(ProgressBarTest, SaysAHundredOnlyWhenAllIsDone) {
  EXPECT_THAT(progress_bar(0.999, 30), HasSubstr(" 99%"));
  EXPECT_THAT(progress_bar(0.29, 30), HasSubstr(" 29%")) << "0.29 * 100 is below 29";
}

TEST(ProgressBarTest, HoldsItsFractionBetweenNothingAndAll) {
  EXPECT_EQ(progress_bar(-3, 15), progress_bar(0, 15));
  EXPECT_EQ(progress_bar(7, 15), progress_bar(1, 15));
  EXPECT_EQ(progress_bar(std::nan(""), 15), progress_bar(0, 15));
}

TEST(ProgressBarTest, NeverExceedsTheWidthAndGivesUpTheBarFirst) {
  for (int width = 0; width < 40; ++width)
    EXPECT_LE(display_width(progress_bar(0.37, width, "a label\x1b")), width);
  EXPECT_EQ(progress_bar(0.37, 12, "a label"), "a label  37%");
}

} // namespace
} // namespace callboard
