// SPDX-License-Identifier: Apache-2.0
// The decisions of the backend of processes, as functions.
#include "../topology/src/backends/command.hpp"
#include "../topology/src/backends/cores.hpp"
#include "../topology/src/backends/memory_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <limits>

namespace callboard {
namespace {

using detail::group_place;
using ::testing::HasSubstr;

TEST(JobEndTest, SaysHowItWas) {
  EXPECT_EQ(to_string(JobEnd{.exit_code = 3}), "exit code 3");
  EXPECT_EQ(to_string(JobEnd{.exit_code = -1}), "exit code not known");
  EXPECT_EQ(to_string(JobEnd{.signal = SIGKILL}), "signal 9 (Killed)");
  EXPECT_EQ(to_string(JobEnd{.signal = SIGSEGV}), "signal 11 (Segmentation fault)");
  EXPECT_EQ(to_string(JobEnd{.signal = SIGRTMIN}), "signal 34 (real-time)");
  constexpr std::uint64_t peak = 61U << 20U;
  EXPECT_EQ(
      to_string(JobEnd{.signal = SIGKILL, .out_of_memory = true, .peak_memory = peak}),
      "killed for memory, peak 61 MiB");
  EXPECT_EQ(to_string(JobEnd{.signal = SIGABRT, .out_of_memory = true}), "killed for memory");
}

// Texts as in proc(5) and cgroups(7).
constexpr const char* first_version =
    "31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "34 30 0:31 / /sys/fs/cgroup/memory rw,relatime shared:5 - cgroup cgroup rw,memory\n"
    "40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* second_version =
    "24 1 0:22 / /proc rw,nosuid - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(MemoryGroupTest, IsFoundInTheFirstVersion) {
  EXPECT_EQ(
      group_place(first_version, "8:pids:/\n4:memory:/user/7\n0::/other\n"),
      (detail::GroupPlace{1, "/sys/fs/cgroup/memory/user/7", "/sys/fs/cgroup/memory"}));
}

TEST(MemoryGroupTest, IsFoundInTheSecondVersion) {
  EXPECT_EQ(
      group_place(second_version, "0::/user.slice/user-1000.slice/session-3.scope\n"),
      (detail::GroupPlace{
          2, "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope", "/sys/fs/cgroup"}));
}

TEST(MemoryGroupTest, IsFoundWhereAContainerSeesAPart) {
  constexpr const char* part = "34 30 0:31 /docker/abc /cg ro - cgroup cgroup rw,memory\n";
  EXPECT_EQ(
      group_place(part, "4:memory:/docker/abc/child\n"),
      (detail::GroupPlace{1, "/cg/child", "/cg"}));
  EXPECT_EQ(group_place(part, "4:memory:/elsewhere\n"), (detail::GroupPlace{1, "/cg/", "/cg"}));
}

TEST(MemoryGroupTest, IsNotFoundWhereThereIsNone) {
  EXPECT_FALSE(group_place("", ""));
  EXPECT_FALSE(group_place("24 1 0:22 / /proc rw - proc proc rw\n", "4:memory:/\n"));
  EXPECT_FALSE(group_place(second_version, "not what it should be"));
}

TEST(MemoryGroupTest, IsMissedWhereAProgramSaysSo) {
  EXPECT_TRUE(detail::tells_of_memory("terminate called after throwing … 'std::bad_alloc'"));
  EXPECT_TRUE(detail::tells_of_memory("sh: Cannot allocate memory"));
  EXPECT_TRUE(detail::tells_of_memory("MemoryError\n"));
  EXPECT_FALSE(detail::tells_of_memory("memory is fine"));
  EXPECT_FALSE(detail::tells_of_memory("out of memory" + std::string(5000, ' '))) << "long ago";
}

int first_of(const cpu_set_t& cores) {
  int core = 0;
  while (!CPU_ISSET(core, &cores)) {
    ++core;
  }
  return core;
}

TEST(CoresTest, AreTakenInTurn) {
  detail::Cores cores({1, 3, 5});
  std::vector<int> taken;
  for (int i = 0; i < 4; ++i) {
    const auto one = cores.take(1);
    ASSERT_TRUE(one);
    EXPECT_EQ(CPU_COUNT(&*one), 1);
    taken.push_back(first_of(*one));
  }
  EXPECT_THAT(taken, ::testing::ElementsAre(1, 3, 5, 1));
  const auto two = cores.take(2);
  ASSERT_TRUE(two);
  EXPECT_EQ(CPU_COUNT(&*two), 2);
  EXPECT_TRUE(CPU_ISSET(3, &*two) && CPU_ISSET(5, &*two));
}

TEST(CoresTest, AreSharedWhereTheNumberIsNotWholeOrAllAreMeant) {
  detail::Cores cores({0, 1, 2});
  for (const double cpus : {0.0, 0.5, 1.5, 3.0, 100.0}) {
    EXPECT_FALSE(cores.take(cpus)) << cpus;
  }
}

std::string refusal(const JobSpec& spec) {
  try {
    detail::check(spec);
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return error.what();
  }
  return "none";
}

TEST(JobSpecTest, IsRefusedWhereItIsWrongOnEveryHost) {
  const std::vector<std::string> command{"true"};
  EXPECT_EQ(refusal({.command = command}), "none");
  EXPECT_THAT(refusal({.name = "actor/3"}), HasSubstr("job \"actor/3\": no command"));
  EXPECT_THAT(refusal({.command = {""}}), HasSubstr("no command"));
  EXPECT_THAT(refusal({.command = {"true", std::string(1, '\0')}}), HasSubstr("a zero"));
  EXPECT_THAT(refusal({.command = command, .environment = {{"A=B", "c"}}}), HasSubstr("\"A=B\""));
  EXPECT_THAT(refusal({.command = command, .environment = {{"", "c"}}}), HasSubstr("\"\""));
  EXPECT_THAT(refusal({.command = command, .nice = 20}), HasSubstr("nice is 20; -20 to 19"));
  EXPECT_THAT(refusal({.command = command, .cpus = -1}), HasSubstr("cpus is -1"));
  EXPECT_THAT(
      refusal({.command = command, .cpus = std::numeric_limits<double>::quiet_NaN()}),
      HasSubstr("cpus is nan"));
}

TEST(ProgramSearchTest, FindsTheFirstThatCanBeRun) {
  EXPECT_EQ(detail::find_program("sh", "/nowhere:/etc:/bin:/usr/bin"), "/bin/sh");
  EXPECT_EQ(detail::find_program("passwd", "/etc"), "") << "is a file, but no program";
  EXPECT_EQ(detail::find_program("no-such-program", "/bin:/usr/bin"), "");
  EXPECT_EQ(detail::find_program("./it", "/bin"), "./it") << "a path is taken as it is";
}

} // namespace
} // namespace callboard
