// SPDX-License-Identifier: Apache-2.0
// Programs whose nodes are processes, and what becomes of those that die.
#include "topology/processes.hpp"

#include "child.hpp"

#include <callboard/process_backend.hpp>
#include <callboard/running.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder for what a run writes, as long as its program lives.
struct RunFolder {
  RunFolder() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() { std::filesystem::remove_all(path); }

  std::string path = ::testing::TempDir() + "callboard_XXXXXX";
};

/// The program with one process for each node.
class ProcessProgram : public RunFolder, public Child {
public:
  explicit ProcessProgram(std::vector<std::string> flags)
      : Child(CALLBOARD_PROCESS_PROGRAM, with_launch(std::move(flags), path)) {}

  /// The process in which a node says to be. Waits until it has said so.
  pid_t process_of(const std::string& life) {
    const std::string text = "] " + life + " in process ";
    if (!says(text) || !says_line_with(text)) {
      return 0;
    }
    return static_cast<pid_t>(std::stol(output().substr(output().find(text) + text.size())));
  }

private:
  static std::vector<std::string> with_launch(
      std::vector<std::string> flags, const std::string& folder) {
    flags.insert(flags.end(), {"--launch=processes", "--run-folder=" + folder});
    return flags;
  }
  /// The whole line, too.
  bool says_line_with(const std::string& text) {
    while (output().find('\n', output().find(text)) == std::string::npos) {
      if (!says(output() + "\n") && output().find('\n', output().find(text)) == std::string::npos) {
        return false;
      }
    }
    return true;
  }
};

/// Whether the process is there and has not ended: one that nobody has asked about yet stays as a
/// zombie.
bool lives(pid_t process) {
  const std::string stat = testing::file_text("/proc/" + std::to_string(process) + "/stat");
  const auto name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat.at(name_end + 2) != 'Z';
}

TEST(ProcessesTest, GiveEachNodeAProcessAndEndWell) {
  ProcessProgram child({"--workers=3"});
  EXPECT_EQ(child.wait(), exit_status::clean) << child.output();
  EXPECT_THAT(child.output(), HasSubstr("[counter/0] counter/0.1 sum 300"));
  std::set<pid_t> processes{
      child.process_of("counter/0.1"),
      child.process_of("worker/0.1"),
      child.process_of("worker/1.1"),
      child.process_of("worker/2.1")};
  EXPECT_EQ(processes.size(), 4U);
  for (const pid_t process : processes) {
    EXPECT_FALSE(lives(process));
  }
}

TEST(ProcessesTest, StartAFailedNodeAnewInItsProcess) {
  ProcessProgram child({"--throws=1"});
  EXPECT_EQ(child.wait(), exit_status::clean) << child.output();
  EXPECT_THAT(
      child.output(),
      AllOf(HasSubstr("worker/0 can't go on"), HasSubstr("it is started anew, as incarnation 2")));
  EXPECT_THAT(child.output(), HasSubstr("sum 300")); // 100 of each life
  EXPECT_EQ(child.process_of("worker/0.1"), child.process_of("worker/0.2"));
}

TEST(ProcessesTest, StartAKilledProcessAnew) {
  ProcessProgram child({"--dies=1"});
  EXPECT_EQ(child.wait(), exit_status::clean) << child.output();
  EXPECT_THAT(child.output(), HasSubstr("its process ended: signal 9 (Killed)"));
  EXPECT_THAT(child.output(), HasSubstr("sum 300"));
  EXPECT_NE(child.process_of("worker/0.1"), child.process_of("worker/0.2"));
}

TEST(ProcessesTest, LetCallersOfAKilledServiceGoOnWithTheNextIncarnation) {
  ProcessProgram child({"--counts=4000", "--workers=2"});
  const pid_t counter = child.process_of("counter/0.1");
  ASSERT_NE(counter, 0);
  EXPECT_TRUE(child.says("worker/1.1 in process"));
  EXPECT_EQ(::kill(counter, SIGKILL), 0);
  EXPECT_EQ(child.wait(), exit_status::clean) << child.output();
  EXPECT_NE(child.process_of("counter/0.2"), 0);
}

TEST(ProcessesTest, FailCallsInFlightWithHowThePeerEnded) {
  ProcessProgram child({"--slow", "--workers=1", "--counts=0"});
  const pid_t counter = child.process_of("counter/0.1");
  EXPECT_TRUE(child.says("counter/0.1 is asked"));
  EXPECT_EQ(::kill(counter, SIGSEGV), 0);
  EXPECT_TRUE(child.says("call ended: ")) << child.output();
  EXPECT_EQ(child.wait(), exit_status::clean) << child.output();
  EXPECT_THAT(
      child.output(),
      HasSubstr("counter/0 (incarnation 1) has ended: its process ended: signal 11"));
}

TEST(ProcessesTest, StopTheProgramWhereADeathIsToDoSo) {
  ProcessProgram child({"--dies=1", "--signal=11", "--stops", "--waits"});
  EXPECT_EQ(child.wait(), exit_status::node_failed) << child.output();
  EXPECT_THAT(child.output(), HasSubstr("root cause: worker/0 (incarnation 1) failed"));
  EXPECT_THAT(child.output(), HasSubstr("signal 11 (Segmentation fault)"));
  EXPECT_THAT(child.output(), HasSubstr("[worker/0] the last words"));
  EXPECT_THAT(child.output(), HasSubstr("worker/1.1 ends"));
  EXPECT_THAT(
      testing::file_text(child.path + "/logs/worker-0.1.log"), HasSubstr("the last words\n"));
}

TEST(ProcessesTest, RefuseAProcessThatHasBuiltAnotherGraph) {
  ProcessProgram child({"--crooked"});
  EXPECT_EQ(child.wait(), exit_status::node_failed) << child.output();
  EXPECT_THAT(
      child.output(),
      HasSubstr("it has built another program than the launcher: the values of the arguments of "
                "worker differ"));
}

TEST(ProcessesTest, EndInOrderOnASignal) {
  ProcessProgram child({"--waits"});
  EXPECT_TRUE(child.says("worker/0.1 has counted"));
  EXPECT_TRUE(child.says("worker/1.1 has counted"));
  child.send(SIGINT);
  EXPECT_EQ(child.wait(), 128 + SIGINT) << child.output();
  EXPECT_THAT(child.output(), AllOf(HasSubstr("worker/0.1 ends"), HasSubstr("worker/1.1 ends")));
  EXPECT_THAT(child.output(), HasSubstr("sum 200"));
  EXPECT_THAT(child.output(), Not(HasSubstr("error")));
}

TEST(ProcessesTest, KillOnlyTheNodeThatDoesNotEnd) {
  ProcessProgram child({"--waits", "--stubborn", "--grace=1s"});
  EXPECT_TRUE(child.says("worker/0.1 has counted"));
  EXPECT_TRUE(child.says("worker/1.1 has counted"));
  child.send(SIGTERM);
  EXPECT_EQ(child.wait(), exit_status::stubborn) << child.output();
  EXPECT_THAT(child.output(), HasSubstr("worker/1.1 ends"));
  EXPECT_THAT(child.output(), HasSubstr("worker/0 did not end within the grace and was killed"));
  EXPECT_THAT(child.output(), Not(HasSubstr("worker/1 did not end")));
}

TEST(ProcessesTest, LeaveNothingBehindWhenTheLauncherIsKilled) {
  ProcessProgram child({"--waits"});
  std::vector<pid_t> processes;
  for (const char* life : {"counter/0.1", "worker/0.1", "worker/1.1"}) {
    processes.push_back(child.process_of(life));
    EXPECT_TRUE(lives(processes.back()));
  }
  child.send(SIGKILL);
  for (const pid_t process : processes) {
    EXPECT_TRUE(testing::comes_true([&] { return !lives(process); }, 2s));
  }
}

} // namespace
} // namespace callboard
