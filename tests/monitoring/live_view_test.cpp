// SPDX-License-Identifier: Apache-2.0
#include <callboard/terminal.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

/// As much of a terminal as is needed to see what stands on the screen after a sequence of bytes.
class Screen {
public:
  static constexpr std::size_t width = 80;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.starts_with("\x1b["))
        bytes.remove_prefix(obey(bytes));
      else {
        put(bytes.front());
        bytes.remove_prefix(1);
      }
    }
  }

  /// Lines down to the last one that is not empty.
  std::vector<std::string> lines() const {
    std::vector<std::string> result = lines_;
    while (!result.empty() && result.back().empty())
      result.pop_back();
    return result;
  }

  bool cursor_shown = true;
  bool wraps = true;

private:
  std::size_t obey(std::string_view bytes) {
    const std::size_t end = bytes.find_first_of("AKJhl");
    const std::string sequence(bytes.substr(2, end - 2));
    switch (bytes[end]) {
    case 'A': row_ -= std::min(row_, std::stoul(sequence)); break;
    case 'K': lines_[row_].resize(std::min(column_, width - 1)); break;
    case 'J': lines_[row_].resize(column_), lines_.resize(row_ + 1); break;
    default: (sequence == "?25" ? cursor_shown : wraps) = bytes[end] == 'h';
    }
    return end + 1;
  }

  void put(char c) {
    if (c == '\r')
      column_ = 0;
    else if (c == '\n')
      ++row_, column_ = 0;
    else {
      column_ = std::min(column_, width - 1); // after a full line it rests on the last character
      lines_[row_].resize(std::max(lines_[row_].size(), column_ + 1), ' ');
      lines_[row_][column_++] = c;
    }
    lines_.resize(std::max(lines_.size(), row_ + 1));
  }

  std::vector<std::string> lines_{1};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

/// A descriptor whose other end tells one write from the next.
class Packets {
public:
  Packets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_.data()), 0); }
  ~Packets() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int fd() const { return ends_[0]; }

  /// What was written since the last time, write by write.
  std::vector<std::string> take() {
    std::vector<std::string> packets;
    std::array<char, 65536> bytes{};
    for (;;) {
      const ssize_t size = recv(ends_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size <= 0)
        return packets;
      packets.emplace_back(bytes.data(), static_cast<std::size_t>(size));
    }
  }

  void show_on(Screen& screen) {
    for (const std::string& packet : take())
      screen.write(packet);
  }

private:
  std::array<int, 2> ends_{};
};

LiveView::Time at(int second) {
  return LiveView::Time(seconds(1000 + second));
}

constexpr LiveViewOptions in_place{.terminal = true};
constexpr LiveViewOptions in_a_file{.plain_period = seconds(5), .terminal = false};

TEST(LiveViewTest, DrawsEachFrameOverTheOneBefore) {
  Packets packets;
  Screen screen;
  LiveView view(packets.fd(), in_place);
  view.show("first line\nsecond line\nthird\n", "", at(0));
  packets.show_on(screen);
  EXPECT_THAT(screen.lines(), ElementsAre("first line", "second line", "third"));
  view.show("one\ntwo\n", "", at(1));
  packets.show_on(screen);
  EXPECT_THAT(screen.lines(), ElementsAre("one", "two"));
  view.show("a\nb\nc\nd", "", at(2));
  packets.show_on(screen);
  EXPECT_THAT(screen.lines(), ElementsAre("a", "b", "c", "d"));
}

TEST(LiveViewTest, KeepsTheLastCharacterOfALineAsWideAsTheTerminal) {
  Packets packets;
  Screen screen;
  LiveView view(packets.fd(), in_place);
  const std::string full = std::string(Screen::width, '#');
  view.show(full + "\nnext\n", "", at(0));
  packets.show_on(screen);
  EXPECT_THAT(screen.lines(), ElementsAre(full, "next"));
}

TEST(LiveViewTest, WritesAFrameAtOnceAndNeverClearsTheScreenFirst) {
  Packets packets;
  LiveView view(packets.fd(), in_place);
  view.show("one\ntwo\n", "", at(0));
  EXPECT_EQ(packets.take().size(), 1);
  view.show("three\nfour\n", "", at(0));
  const auto writes = packets.take();
  ASSERT_EQ(writes.size(), 1);
  EXPECT_LT(writes[0].find("four"), writes[0].find("\x1b[J")) << "what is left is cleared last";
}

TEST(LiveViewTest, HidesTheCursorAndShowsItAgainAtTheEnd) {
  Packets packets;
  Screen screen;
  {
    LiveView view(packets.fd(), in_place);
    view.show("frame\n", "", at(0));
    packets.show_on(screen);
    EXPECT_FALSE(screen.cursor_shown);
    EXPECT_TRUE(screen.wraps) << "others may write between frames";
  }
  packets.show_on(screen);
  EXPECT_TRUE(screen.cursor_shown);
  EXPECT_THAT(screen.lines(), ElementsAre("frame"));
}

TEST(LiveViewTest, WritesNothingWhenNothingWasShown) {
  Packets packets;
  { const LiveView view(packets.fd(), in_place); }
  EXPECT_TRUE(packets.take().empty());
}

TEST(LiveViewTest, KeepsTheFrameBelowWhatIsPrintedAboveIt) {
  Packets packets;
  Screen screen;
  LiveView view(packets.fd(), in_place);
  view.print_above("before any frame");
  view.show("frame 1\nis long\n", "", at(0));
  view.print_above("a log line\nand another\n");
  packets.show_on(screen);
  EXPECT_THAT(
      screen.lines(),
      ElementsAre("before any frame", "a log line", "and another", "frame 1", "is long"));
  view.show("frame 2\n", "", at(0));
  packets.show_on(screen);
  EXPECT_THAT(
      screen.lines(), ElementsAre("before any frame", "a log line", "and another", "frame 2"));
}

TEST(LiveViewTest, WritesAPlainLineNowAndThenElsewhere) {
  Packets packets;
  LiveView view(packets.fd(), in_a_file);
  for (int second = 0; second <= 11; ++second)
    view.show("a frame\n", "line at " + std::to_string(second), at(second));
  EXPECT_THAT(packets.take(), ElementsAre("line at 0\n", "line at 5\n", "line at 10\n"));
  view.print_above("log");
  EXPECT_THAT(packets.take(), ElementsAre("log\n"));
}

class TerminalTest : public testing::Test {
protected:
  TerminalTest() {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    winsize size{.ws_row = 7, .ws_col = 33, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(openpty(&far_, &terminal_, nullptr, nullptr, &size), 0);
  }
  ~TerminalTest() override {
    close(far_);
    close(terminal_);
  }

  int far_ = -1;
  int terminal_ = -1;
};

TEST_F(TerminalTest, KnowsATerminalAndItsSize) {
  EXPECT_TRUE(is_terminal(terminal_));
  EXPECT_TRUE(wants_colour(terminal_));
  EXPECT_EQ(terminal_width(terminal_), 33);
  EXPECT_EQ(terminal_height(terminal_), 7);
}

TEST_F(TerminalTest, HeedsTheEnvironment) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour(terminal_));
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(is_terminal(terminal_));
}

TEST_F(TerminalTest, TakesWhatIsNoTerminalForEightyColumns) {
  const Packets packets;
  unsetenv("COLUMNS");
  EXPECT_FALSE(is_terminal(packets.fd()));
  EXPECT_EQ(terminal_width(packets.fd()), 80);
  setenv("COLUMNS", "132", 1);
  EXPECT_EQ(terminal_width(packets.fd()), 132);
  setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(terminal_width(packets.fd()), 80);
  unsetenv("COLUMNS");
}

TEST_F(TerminalTest, CutsAFrameThatIsHigherThanTheTerminal) {
  LiveView view(terminal_);
  view.show("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "", at(0));
  std::array<char, 4096> bytes{};
  const ssize_t size = read(far_, bytes.data(), bytes.size());
  ASSERT_GT(size, 0);
  Screen screen;
  screen.write(std::string_view(bytes.data(), static_cast<std::size_t>(size)));
  EXPECT_THAT(screen.lines(), ElementsAre("1", "2", "3", "4", "5", "6"));
}

} // namespace
} // namespace callboard
