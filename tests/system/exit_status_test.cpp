// SPDX-License-Identifier: Apache-2.0
// How whole processes end: status, output and signals.
#include <callboard/running.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace callboard {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// A child process, whose output (both streams) is read through a pipe.
class Child {
public:
  explicit Child(std::vector<std::string> flags) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    std::vector<char*> arguments{const_cast<char*>(CALLBOARD_EXIT_PROGRAM)};
    for (std::string& flag : flags) {
      arguments.push_back(flag.data());
    }
    arguments.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[1]);
    output_end_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(output_end_);
  }

  void send(int signal) const { EXPECT_EQ(::kill(process_, signal), 0); }

  /// Waits until the output has `text`.
  bool says(const std::string& text) {
    while (output_.find(text) == output_.npos) {
      if (!read_more()) {
        return false;
      }
    }
    return true;
  }

  /// Waits for the end. @returns the exit status; 128 + n after signal n; -1 if it does not end
  int wait() {
    while (read_more()) {}
    if (!closed_) {
      return -1;
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& output() const { return output_; }

private:
  /// False at the end of the output, or when nothing has come for long.
  bool read_more() {
    constexpr int patience = 20'000; // ms
    pollfd ready{.fd = output_end_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, patience) != 1) {
      return false;
    }
    char buffer[4096];
    const auto size = read(output_end_, buffer, sizeof buffer);
    closed_ = size <= 0;
    output_.append(buffer, closed_ ? 0 : static_cast<std::size_t>(size));
    return !closed_;
  }

  pid_t process_ = 0;
  int output_end_ = -1;
  bool closed_ = false;
  std::string output_;
};

TEST(ExitStatusTest, IsZeroWhenAllLoopsHaveReturned) {
  Child child({"--ends"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_EQ(child.output(), "runs\n");
}

TEST(ExitStatusTest, IsWhatANodeGaveToStop) {
  EXPECT_EQ(Child({"--status=42"}).wait(), 42);
}

TEST(ExitStatusTest, IsThatOfTheSignalAfterACleanStop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Child child({});
    EXPECT_TRUE(child.says("runs\n"));
    child.send(signal);
    EXPECT_EQ(child.wait(), 128 + signal);
    EXPECT_THAT(child.output(), HasSubstr("told\nends\n"));
    EXPECT_THAT(child.output(), HasSubstr("stopping, within 10 s; once more stops at once"));
  }
}

TEST(ExitStatusTest, IsOneWhenANodeFails) {
  Child child({"--fails"});
  EXPECT_EQ(child.wait(), exit_status::node_failed);
  EXPECT_THAT(
      child.output(), HasSubstr("[node/0] failed: application: std::runtime_error: as was asked"));
  EXPECT_THAT(
      child.output(),
      ContainsRegex("\ncallboard: root cause: node/0 failed .* s after the start\n$"));
}

TEST(ExitStatusTest, TheLastLineSaysAllWhereThereIsNoLog) {
  Child child({"--fails", "--log-level=off"});
  EXPECT_EQ(child.wait(), exit_status::node_failed);
  EXPECT_THAT(child.output(), ContainsRegex("root cause: node/0 .* as was asked\n$"));
}

TEST(ExitStatusTest, ProgramsThatNodesStartCanBeEndedBySignals) {
  Child child({"--starts-a-shell"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_EQ(child.output(), "runs\na shell ended by SIGTERM\na fork ended by SIGTERM\n");
}

TEST(ExitStatusTest, IsTwoForFlagsThatCannotBeMeant) {
  Child child({"--failz"});
  EXPECT_EQ(child.wait(), exit_status::usage);
  EXPECT_THAT(child.output(), HasSubstr("failz"));
}

TEST(ExitStatusTest, IsTwoForAGraphThatBreaksTheRules) {
  Child child({"--bad-graph"});
  EXPECT_EQ(child.wait(), exit_status::usage);
  EXPECT_THAT(child.output(), HasSubstr("exit_program.cpp:"));
  EXPECT_THAT(child.output(), HasSubstr("\"no label\""));
}

TEST(ExitStatusTest, IsThreeWhenANodeDoesNotEndWithinTheGrace) {
  Child child({"--stubborn", "--grace=200ms"});
  EXPECT_TRUE(child.says("runs\n"));
  child.send(SIGTERM);
  EXPECT_EQ(child.wait(), exit_status::stubborn);
  EXPECT_THAT(child.output(), HasSubstr("node/0 did not end within the grace"));
}

TEST(ExitStatusTest, ComesAtOnceWithASecondSignal) {
  Child child({"--stubborn"});
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
  Child child({"--launch=graph", "--format=json"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_THAT(child.output(), HasSubstr("\"name\": \"exit_program\""));
  EXPECT_THAT(child.output(), ::testing::Not(HasSubstr("runs")));
}

TEST(ExitStatusTest, IsZeroForHelp) {
  Child child({"--help"});
  EXPECT_EQ(child.wait(), exit_status::clean);
  EXPECT_THAT(child.output(), HasSubstr("--[no-]stubborn"));
}

} // namespace
} // namespace callboard
