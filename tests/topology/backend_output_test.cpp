// SPDX-License-Identifier: Apache-2.0
#include <callboard/output.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// All that a splitter makes of these reads and the end after them.
std::vector<std::string> split(const std::vector<std::string>& reads) {
  std::vector<std::string> lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  LineSplitter splitter;
  for (const std::string& bytes : reads) {
    splitter.feed(bytes, keep);
  }
  splitter.finish(keep);
  return lines;
}

TEST(LineSplitterTest, JoinsWhatWasReadInParts) {
  EXPECT_THAT(
      split({"on", "e\ntw", "", "o\n", "three\nfour\n"}),
      ElementsAre("one", "two", "three", "four"));
}

TEST(LineSplitterTest, DeliversALastLineWithoutLineBreak) {
  EXPECT_THAT(split({"one\ntwo"}), ElementsAre("one", "two"));
  EXPECT_THAT(split({"one\n"}), ElementsAre("one"));
  EXPECT_THAT(split({}), IsEmpty());
}

TEST(LineSplitterTest, KeepsEmptyLinesAndDropsCarriageReturnsAtTheEnd) {
  EXPECT_THAT(split({"\n\na\r", "\n", "b\rc\n"}), ElementsAre("", "", "a", "b\rc"));
}

TEST(LineSplitterTest, KeepsBytesAsTheyAre) {
  const std::string bytes("a\0\xff\x1b[31m", 8);
  EXPECT_THAT(split({bytes + "\n"}), ElementsAre(bytes));
}

TEST(LineSplitterTest, PassesALineOfTheGreatestLengthWhole) {
  const std::string longest(max_line, 'x');
  EXPECT_THAT(split({longest + "\n"}), ElementsAre(longest));
}

TEST(LineSplitterTest, CutsLongerLinesWithAMarkAndLosesNothing) {
  std::string text;
  while (text.size() < 3 * max_line) {
    text += std::to_string(text.size()) + "é ";
  }
  for (const std::size_t step : {text.size(), std::size_t{1000}}) {
    std::vector<std::string> reads;
    for (std::size_t i = 0; i < text.size(); i += step) {
      reads.push_back(text.substr(i, step));
    }
    reads.emplace_back("\nnext\n");
    std::string whole;
    const auto lines = split(reads);
    ASSERT_THAT(lines, SizeIs(5));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LE(lines[i].size(), max_line);
      const bool marked = lines[i].ends_with(LineSplitter::mark);
      EXPECT_EQ(marked, i < 3);
      whole += lines[i].substr(0, lines[i].size() - (marked ? LineSplitter::mark.size() : 0));
      EXPECT_THAT(shown_line(lines[i]), ::testing::Not(HasSubstr("\\x"))) << "a character was cut";
    }
    EXPECT_EQ(whole, text);
    EXPECT_EQ(lines[4], "next");
  }
}

TEST(LineSplitterTest, CutsLinesThatAreNotText) {
  const std::string bytes(max_line + 1, '\x80');
  EXPECT_THAT(split({bytes}), SizeIs(2));
}

TEST(TailBufferTest, KeepsTheLastBytes) {
  TailBuffer tail(4);
  EXPECT_EQ(tail.text(), "");
  tail.append("ab");
  EXPECT_EQ(tail.text(), "ab");
  tail.append("cde");
  EXPECT_EQ(tail.text(), "bcde");
  tail.append("0123456789");
  EXPECT_EQ(tail.text(), "6789");
  for (const char letter : std::string("hello, tail")) {
    tail.append(std::string(1, letter));
  }
  EXPECT_EQ(tail.text(), "tail");
}

TEST(ShownLineTest, ShowsWhatATerminalWouldLeaveStanding) {
  EXPECT_EQ(shown_line("10%\r20%\r30%"), "30%");
}

TEST(ShownLineTest, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(shown_line("a\x1b[2Jb\x07"), "a\\x1b[2Jb\\x07");
  EXPECT_EQ(
      shown_line("\xc2\x9b"
                 "2J"),
      "\\xc2\\x9b"
      "2J");
  EXPECT_EQ(shown_line("tab\tstays, \xff does not"), "tab\tstays, \\xff does not");
  EXPECT_EQ(shown_line("naïve €"), "naïve €");
}

class FolderTest : public ::testing::Test {
protected:
  FolderTest() {
    std::string pattern = ::testing::TempDir() + "callboard-output-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder); }

  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::filesystem::path folder;
};

using OutputFileTest = FolderTest;

TEST_F(OutputFileTest, IsNamedAfterNodeAndIncarnation) {
  EXPECT_EQ(log_path("/runs/7", "actor/3", 1), "/runs/7/logs/actor-3.1.log");
}

TEST_F(OutputFileTest, HasEachLineAtOnce) {
  OutputFile file(log_path(folder, "actor/3", 2));
  file.write("one");
  EXPECT_EQ(content(file.path()), "one\n");
  file.write("two");
  EXPECT_EQ(content(file.path()), "one\ntwo\n");
}

TEST_F(OutputFileTest, GoesOnWhereItWas) {
  OutputFile(folder / "log").write("one");
  OutputFile(folder / "log").write("two");
  EXPECT_EQ(content(folder / "log"), "one\ntwo\n");
}

TEST_F(OutputFileTest, SaysWhichFileCannotBeOpened) {
  std::ofstream(folder / "file") << "x";
  try {
    const OutputFile file(folder / "file" / "log");
    FAIL() << "was opened";
  } catch (const CallError& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder / "file" / "log").string()));
    EXPECT_THAT(error.what(), HasSubstr("Not a directory"));
  }
}

/// Two descriptors, from whose other ends each write is read as one.
class Packets {
public:
  Packets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  Packets(const Packets&) = delete;
  Packets& operator=(const Packets&) = delete;
  ~Packets() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int to_write() const { return ends_[0]; }
  std::string read() const {
    std::array<char, 4096> buffer{};
    const auto size = recv(ends_[1], buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(buffer.data(), static_cast<std::size_t>(size));
  }

private:
  std::array<int, 2> ends_{};
};

TEST(OutputViewTest, WritesEachLineWholeUnderItsNode) {
  const Packets output;
  const Packets errors;
  OutputView view({.output = output.to_write(), .errors = errors.to_write()});
  view.print("actor/3", Stream::output, "line");
  view.print("learner/0", Stream::errors, "bad \x1b[0m");
  EXPECT_EQ(output.read(), "[actor/3] line\n");
  EXPECT_EQ(errors.read(), "[learner/0] bad \\x1b[0m\n");
  EXPECT_EQ(output.read(), "nothing");
}

TEST(OutputViewTest, ColoursTheNodesOfAGroupAlike) {
  const Packets output;
  OutputView view({.output = output.to_write(), .colour = true});
  const auto colour_of = [&](std::string_view node) {
    view.print(node, Stream::output, "line");
    const std::string text = output.read();
    EXPECT_THAT(text, ::testing::MatchesRegex(".\\[[0-9]+m\\[.*\\].\\[0m line\n"));
    return text.substr(0, text.find('m'));
  };
  EXPECT_EQ(colour_of("actor/0"), colour_of("actor/12"));
  EXPECT_NE(colour_of("actor/0"), colour_of("learner/0"));
}

TEST(OutputViewTest, IsSharedByThreads) {
  const Packets output;
  OutputView view({.output = output.to_write()});
  const auto print = [&](const char* node) {
    for (int i = 0; i < 20; ++i) {
      view.print(node, Stream::output, "line");
    }
  };
  std::thread other(print, "a/0");
  print("b/0");
  other.join();
  int count = 0;
  for (std::string text = output.read(); text != "nothing"; text = output.read(), ++count) {
    EXPECT_THAT(text, ::testing::MatchesRegex("\\[[ab]/0\\] line\n"));
  }
  EXPECT_EQ(count, 40);
}

} // namespace
} // namespace callboard
