// SPDX-License-Identifier: Apache-2.0
// Nothing outlives the process that started it.
#include "topology/job_recorder.hpp"
#include "topology/processes.hpp"

#include <callboard/process_backend.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace callboard {
namespace {

using std::chrono::seconds;
using testing::comes_true;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::JobRecorder;
using testing::processes_of;
using testing::processes_with;
using testing::soon;

/// Another for each test: the warden of the one before may still be at work.
std::string fresh_run() {
  static int count = 0;
  return "stray-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

class StrayTest : public ::testing::Test {
protected:
  ~StrayTest() override { kill_strays(run); }

  /// A process that starts the script as its job; returns when it has.
  JobId launch(const std::string& script) {
    const JobId launcher = backend.start(
        {.command = {CALLBOARD_JOB_PROGRAM, "launch", run, "sh", "-c", script}}, recorder.events());
    EXPECT_TRUE(recorder.first_line().starts_with("started pid "));
    return launcher;
  }

  void kill_alone(JobId launcher) {
    ::kill(std::stoi(backend.status(launcher).where.substr(4)), SIGKILL);
    EXPECT_TRUE(backend.wait(launcher, soon()));
  }

  bool nothing_left_soon() const {
    return comes_true([&] { return processes_of(run).empty(); }, seconds(2));
  }

  bool all_run(std::size_t count) const {
    return comes_true([&] { return processes_of(run).size() == count; }, seconds(20));
  }

  /// The process that watches the launcher.
  std::vector<int> wardens() const {
    return processes_with("cmdline", std::string("callboard-warden\0", 17) + run + '\0');
  }

  const std::string run = fresh_run();
  JobRecorder recorder;
  ProcessBackend backend;
};

TEST_F(StrayTest, IsNoneWhenALauncherIsKilled) {
  const JobId launcher = launch("exec sleep 1000");
  EXPECT_TRUE(all_run(1));
  kill_alone(launcher);
  EXPECT_TRUE(nothing_left_soon());
}

TEST_F(StrayTest, IsNoChildOfAJobWhenALauncherIsKilled) {
  const JobId launcher = launch("sleep 1000 & sleep 1000; :");
  EXPECT_TRUE(all_run(3));
  kill_alone(launcher);
  EXPECT_TRUE(nothing_left_soon());
  EXPECT_TRUE(comes_true([&] { return wardens().empty(); }, seconds(20))) << "it ends as well";
}

TEST_F(StrayTest, IsNoDaemonWhenALauncherIsKilled) {
  const JobId launcher =
      launch("setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & wait' & sleep 1000; :");
  EXPECT_TRUE(all_run(4));
  kill_alone(launcher);
  EXPECT_TRUE(nothing_left_soon());
}

TEST_F(StrayTest, IsNoJobEvenWhenTheWardenWasKilledBefore) {
  const JobId launcher = launch("exec sleep 1000");
  EXPECT_TRUE(all_run(1));
  EXPECT_TRUE(comes_true([&] { return wardens().size() == 1; }, seconds(20)));
  for (const int warden : wardens()) {
    ::kill(warden, SIGKILL);
  }
  kill_alone(launcher);
  EXPECT_TRUE(nothing_left_soon());
}

TEST_F(StrayTest, IsNoChildOfAJobWhenTheWardenHadToBeReplaced) {
  const JobId launcher = launch("sleep 1000 & sleep 1000; :");
  EXPECT_TRUE(all_run(3));
  EXPECT_TRUE(comes_true([&] { return wardens().size() == 1; }, seconds(20)));
  const int first = wardens().at(0);
  ::kill(first, SIGKILL);
  EXPECT_TRUE(comes_true(
      [&] {
        const auto present = wardens();
        return present.size() == 1 && present[0] != first;
      },
      seconds(20)));
  kill_alone(launcher);
  EXPECT_TRUE(nothing_left_soon());
}

TEST_F(StrayTest, IsNoneOfARunWithinARun) {
  // The inner launcher dies with the outer one.
  const JobId launcher = launch(
      std::string("exec ") + CALLBOARD_JOB_PROGRAM + " launch " + run
      + "-inner sh -c 'sleep 1000 & sleep 1000; :'");
  const auto inner = [&] { return processes_of(run + "-inner"); };
  EXPECT_TRUE(comes_true([&] { return inner().size() == 3; }, seconds(20)));
  kill_alone(launcher);
  EXPECT_TRUE(nothing_left_soon());
  EXPECT_TRUE(comes_true([&] { return inner().empty(); }, seconds(2)));
}

TEST_F(StrayTest, IsKilledByTheIdOfItsRunAndNoOther) {
  ProcessBackend other({.run = backend.run() + "-other"});
  JobRecorder of_other;
  other.start({.command = {"sh", "-c", "echo ready; exec sleep 1000"}}, of_other.events());
  EXPECT_TRUE(of_other.saw("ready"));
  JobRecorder ours;
  const JobId id = backend.start(
      {.command = {"sh", "-c", "setsid sh -c 'echo ready; exec sleep 1000' & wait"}},
      ours.events());
  EXPECT_TRUE(ours.saw("ready"));
  backend.kill(id);
  EXPECT_TRUE(ours.end());
  EXPECT_EQ(kill_strays(backend.run()), 1);
  EXPECT_THAT(processes_of(backend.run()), IsEmpty());
  EXPECT_TRUE(comes_true([&] { return processes_of(other.run()).size() == 1; }, seconds(10)));
  EXPECT_EQ(kill_strays(backend.run()), 0);
}

TEST_F(StrayTest, IsReapedByThoseWhoAdoptOrphans) {
  JobRecorder adopting;
  backend.start({.command = {CALLBOARD_JOB_PROGRAM, "adopt"}}, adopting.events());
  EXPECT_TRUE(adopting.end());
  EXPECT_THAT(adopting.lines(), ElementsAre("reaped", "running"));
}

/// What require_descriptors says under these limits, hard and soft.
std::string descriptors(ProcessBackend& backend, int soft, int hard, int needed) {
  JobRecorder recorder;
  const std::string script = "ulimit -Sn " + std::to_string(soft) + "; ulimit -Hn "
      + std::to_string(hard) + "; exec " CALLBOARD_JOB_PROGRAM " descriptors "
      + std::to_string(needed);
  backend.start({.command = {"sh", "-c", script}}, recorder.events());
  EXPECT_TRUE(recorder.end());
  return recorder.first_line();
}

TEST(DescriptorLimitTest, IsRaisedWhereThatIsAllowed) {
  ProcessBackend backend;
  EXPECT_EQ(descriptors(backend, 256, 2000, 100), "limit 256") << "enough";
  EXPECT_EQ(descriptors(backend, 256, 2000, 1200), "limit 2000");
}

TEST(DescriptorLimitTest, IsNamedWhereItIsTooLow) {
  ProcessBackend backend;
  EXPECT_THAT(
      descriptors(backend, 64, 256, 1200),
      ::testing::MatchesRegex(
          "resource_exhausted: host .*: needs about 120[0-9] descriptors, limit "
          "is 256 \\(ulimit -n\\); raise .*"));
}

} // namespace
} // namespace callboard
