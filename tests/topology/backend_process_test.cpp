// SPDX-License-Identifier: Apache-2.0
// Real processes: how they are started, and how their ends are known.
#include "topology/job_recorder.hpp"
#include "topology/processes.hpp"

#include <callboard/process_backend.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <list>
#include <sstream>
#include <string>

namespace callboard {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using testing::comes_true;
using ::testing::ElementsAre;
using testing::file_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::JobRecorder;
using ::testing::Not;
using testing::processes_of;
using testing::soon;

JobSpec script(std::string text) {
  return {.name = "actor/3", .command = {"sh", "-c", std::move(text)}};
}

class ProcessBackendTest : public ::testing::Test {
protected:
  /// All that it printed to its output, when it has ended.
  std::vector<std::string> output_of(const JobSpec& spec) {
    JobRecorder recorder;
    const JobId id = backend.start(spec, recorder.events());
    EXPECT_TRUE(backend.wait(id, soon()));
    return recorder.lines(Stream::output);
  }

  JobEnd end_of(const JobSpec& spec) {
    const auto end = backend.wait(backend.start(spec, {}), soon());
    EXPECT_TRUE(end);
    return end.value_or(JobEnd{});
  }

  CallError error_of(const JobSpec& spec) {
    try {
      backend.start(spec, {});
    } catch (const CallError& error) {
      return error;
    }
    ADD_FAILURE() << "was started";
    return {Code::internal, ""};
  }

  int pid_of(JobId id) const { return std::stoi(backend.status(id).where.substr(4)); }

  ProcessBackend backend;
};

// --- starting -----------------------------------------------------------------------------------

TEST_F(ProcessBackendTest, RunsInItsFolder) {
  JobSpec spec = script("pwd");
  spec.folder = "/usr/lib";
  EXPECT_THAT(output_of(spec), ElementsAre("/usr/lib"));
}

TEST_F(ProcessBackendTest, AddsToTheEnvironment) {
  setenv("CALLBOARD_TEST_OURS", "ours", 1);
  setenv("CALLBOARD_TEST_BOTH", "ours", 1);
  JobSpec spec =
      script("echo $CALLBOARD_TEST_OURS $CALLBOARD_TEST_BOTH $CALLBOARD_RUN $CUDA_VISIBLE_DEVICES");
  spec.environment = {{"CALLBOARD_TEST_BOTH", "the job's"}};
  spec.gpus = {0, 2};
  EXPECT_THAT(output_of(spec), ElementsAre("ours the job's " + backend.run() + " 0,2"));
}

TEST_F(ProcessBackendTest, AddsToThePriority) {
  JobSpec spec = script("nice");
  spec.nice = 5;
  EXPECT_THAT(output_of(spec), ElementsAre(std::to_string(getpriority(PRIO_PROCESS, 0) + 5)));
}

TEST_F(ProcessBackendTest, InheritsNoDescriptors) {
  const int ours = dup(1);
  EXPECT_GE(ours, 0);
  // 0 to 2, and that with which ls reads the folder.
  EXPECT_THAT(output_of({.command = {"ls", "/proc/self/fd"}}), ElementsAre("0", "1", "2", "3"));
  close(ours);
}

TEST_F(ProcessBackendTest, HasEmptyInput) {
  EXPECT_THAT(output_of(script("cat; echo end")), ElementsAre("end"));
}

TEST_F(ProcessBackendTest, StartsWithSignalsAsTheyAreByDefault) {
  const auto previous = signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  const auto lines = output_of({.command = {"cat", "/proc/self/status"}});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGPIPE, previous);
  EXPECT_THAT(lines, IsSupersetOf({"SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"}));
}

TEST_F(ProcessBackendTest, LeadsAProcessGroupOfItsOwn) {
  EXPECT_THAT(
      output_of(script("[ $(ps -o pgid= -p $$) = $$ ] && echo leads")), ElementsAre("leads"));
}

TEST_F(ProcessBackendTest, BindsToCoresWhereThatIsWanted) {
  const auto cores = [](ProcessBackend& pinning) {
    JobRecorder recorder;
    const JobSpec spec{.command = {"nproc"}, .cpus = 1};
    EXPECT_TRUE(pinning.wait(pinning.start(spec, recorder.events()), soon()));
    return recorder.first_line();
  };
  ProcessBackend pinning({.pin_cpus = true});
  EXPECT_EQ(cores(pinning), "1");
  cpu_set_t ours;
  sched_getaffinity(0, sizeof ours, &ours);
  EXPECT_EQ(cores(backend), std::to_string(CPU_COUNT(&ours)));
}

// --- what the job alone may read ----------------------------------------------------------------

TEST_F(ProcessBackendTest, GivesItsPartToTheJobAlone) {
  JobSpec spec = script("echo \"$CALLBOARD_PART $(cat <&3)\"; "
                        "(echo x >&3) 2>/dev/null || echo sealed; "
                        "exec sleep 1000");
  spec.part = "a secret token";
  JobRecorder recorder;
  const JobId id = backend.start(spec, recorder.events());
  EXPECT_TRUE(recorder.saw("3 a secret token"));
  EXPECT_TRUE(recorder.saw("sealed"));
  const std::string folder = "/proc/" + std::to_string(pid_of(id));
  EXPECT_THAT(file_text(folder + "/cmdline"), Not(HasSubstr("a secret")));
  EXPECT_THAT(file_text(folder + "/environ"), Not(HasSubstr("a secret")));
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    EXPECT_THAT(
        std::filesystem::read_symlink(each.path(), ignored).string(),
        Not(HasSubstr("callboard-part")));
  }
  EXPECT_THAT(
      output_of(script("echo part=$CALLBOARD_PART; ls /proc/self/fd")),
      Not(::testing::Contains("part=3")))
      << "of another job";
}

TEST_F(ProcessBackendTest, LetsAProgramTakeItsPartOnce) {
  JobSpec spec{.command = {CALLBOARD_JOB_PROGRAM, "part"}, .part = "bytes"};
  EXPECT_THAT(output_of(spec), ElementsAre("part bytes", "no part"));
}

TEST_F(ProcessBackendTest, TakesAPartLargerThanAPipe) {
  JobSpec spec{.command = {"sh", "-c", "wc -c <&3"}, .part = std::string(3U << 20U, 'x')};
  EXPECT_THAT(output_of(spec), ElementsAre(std::to_string(3U << 20U)));
}

// --- errors -------------------------------------------------------------------------------------

TEST_F(ProcessBackendTest, SaysThatThereIsNoSuchCommand) {
  const CallError error = error_of({.name = "actor/3", .command = {"no-such-program", "--flag"}});
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_THAT(
      error.what(),
      AllOf(
          HasSubstr("host "),
          HasSubstr("actor/3 was not started: command \"no-such-program --flag\": "),
          HasSubstr("in PATH="),
          HasSubstr("give its path")));
}

TEST_F(ProcessBackendTest, SaysThatThereIsNoSuchFile) {
  const CallError error = error_of({.name = "actor/3", .command = {"/no/such/program"}});
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_THAT(error.what(), HasSubstr("No such file or directory; is the path right on this host"));
}

TEST_F(ProcessBackendTest, SaysThatAFileIsNoProgram) {
  const CallError error = error_of({.name = "actor/3", .command = {"/etc/passwd"}});
  EXPECT_EQ(error.code(), Code::failed_precondition);
  EXPECT_THAT(error.what(), HasSubstr("Permission denied; is it a program"));
}

TEST_F(ProcessBackendTest, SaysThatThereIsNoSuchFolder) {
  JobSpec spec = script("true");
  spec.folder = "/no/such/folder";
  const CallError error = error_of(spec);
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_THAT(error.what(), HasSubstr("folder /no/such/folder; make it on this host"));
}

TEST_F(ProcessBackendTest, SaysThatArgumentsAreTooLong) {
  const CallError error = error_of({.command = {"true", std::string(1U << 22U, 'x')}});
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("pass them in `part`"));
  EXPECT_LT(std::string(error.what()).size(), 600);
}

TEST_F(ProcessBackendTest, KeepsNothingOfAFailedStart) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = descriptors();
  for (int i = 0; i < 3; ++i) {
    error_of({.command = {"/no/such/program"}, .memory = 1U << 30U, .part = "part"});
  }
  EXPECT_EQ(descriptors(), before);
}

TEST_F(ProcessBackendTest, RefusesARunThatIsNoWord) {
  EXPECT_THROW(ProcessBackend({.run = "a b"}), CallError);
}

// --- ends ---------------------------------------------------------------------------------------

TEST_F(ProcessBackendTest, TellsTheSignal) {
  EXPECT_EQ(to_string(end_of(script("kill -9 $$"))), "signal 9 (Killed)");
  EXPECT_EQ(to_string(end_of(script("kill -SEGV $$"))), "signal 11 (Segmentation fault)");
  EXPECT_EQ(to_string(end_of(script("exit 255"))), "exit code 255");
}

TEST_F(ProcessBackendTest, SeesAnEndAtOnceWhoeverBroughtIt) {
  JobRecorder recorder;
  const JobId id = backend.start(script("exec sleep 1000"), recorder.events());
  const auto killed = steady_clock::now();
  ::kill(pid_of(id), SIGKILL);
  ASSERT_TRUE(recorder.end());
  EXPECT_EQ(recorder.end()->signal, SIGKILL);
  EXPECT_LT(recorder.ended_at() - killed, milliseconds(500)) << "usually below 1 ms";
}

TEST_F(ProcessBackendTest, EndsOneThatIsStopped) {
  const JobId id = backend.start(script("exec sleep 1000"), {});
  backend.signal(id, SIGSTOP);
  backend.terminate(id);
  EXPECT_EQ(backend.wait(id, soon()).value().signal, SIGTERM);
}

TEST_F(ProcessBackendTest, EndsWithWhatTheJobHasStarted) {
  for (const bool by_kill : {false, true}) {
    JobRecorder recorder;
    const JobId id = backend.start(
        script("sleep 1000 & sh -c 'sleep 1000 & echo ready; wait' & wait"), recorder.events());
    EXPECT_TRUE(recorder.saw("ready"));
    EXPECT_TRUE(comes_true([&] { return processes_of(backend.run()).size() == 4; }, seconds(20)));
    by_kill ? backend.kill(id) : backend.terminate(id);
    EXPECT_TRUE(backend.wait(id, soon()));
    EXPECT_TRUE(comes_true([&] { return processes_of(backend.run()).empty(); }, seconds(2)));
  }
}

TEST_F(ProcessBackendTest, KillsWhatAJobLeavesInItsGroup) {
  EXPECT_EQ(end_of(script("sleep 1000 & exit 3")).exit_code, 3);
  EXPECT_TRUE(comes_true([&] { return processes_of(backend.run()).empty(); }, seconds(2)));
}

TEST_F(ProcessBackendTest, IsNotHeldUpByAnOutputThatStaysOpen) {
  JobRecorder recorder;
  const JobId id = backend.start(
      script("trap 'printf last; exit' USR1; setsid sh -c 'echo ready; exec sleep 1000' & "
             "while :; do wait; done"),
      recorder.events());
  EXPECT_TRUE(recorder.saw("ready"));
  const auto start = steady_clock::now();
  backend.signal(id, SIGUSR1);
  EXPECT_TRUE(backend.wait(id, soon()));
  EXPECT_LT(steady_clock::now() - start, seconds(10));
  EXPECT_THAT(recorder.lines(), ElementsAre("ready", "last"));
  // It left the group. While it executes `sleep` it shows no environment.
  EXPECT_TRUE(
      testing::comes_true([&] { return processes_of(backend.run()).size() == 1; }, seconds(10)));
  EXPECT_EQ(kill_strays(backend.run()), 1);
}

TEST_F(ProcessBackendTest, KillsAllOfItsRunWhenItEnds) {
  std::string run;
  {
    ProcessBackend ending;
    run = ending.run();
    JobRecorder recorder;
    ending.start(script("setsid sleep 1000 & echo ready; sleep 1000"), recorder.events());
    EXPECT_TRUE(recorder.saw("ready"));
  }
  EXPECT_THAT(processes_of(run), IsEmpty());
  EXPECT_THAT(testing::processes_with("cmdline", run), IsEmpty()) << "the watching process";
}

// --- output -------------------------------------------------------------------------------------

TEST_F(ProcessBackendTest, HasAllOutputToTheLastByte) {
  // A mebibyte of numbered lines, then a sudden death.
  JobRecorder recorder;
  const JobId id =
      backend.start(script("seq -f '%015.0f' 1 65536; printf last; kill -9 $$"), recorder.events());
  EXPECT_EQ(backend.wait(id, soon()).value().signal, SIGKILL);
  const auto lines = recorder.lines();
  ASSERT_EQ(lines.size(), 65537);
  for (std::size_t i = 0; i < 65536; ++i) {
    ASSERT_EQ(std::stoul(lines[i]), i + 1);
  }
  EXPECT_EQ(lines.back(), "last");
  const std::string logs = backend.logs(id);
  EXPECT_EQ(logs.size(), 65536);
  EXPECT_TRUE(logs.ends_with("000000000065536\nlast\n"));
}

TEST_F(ProcessBackendTest, KeepsTheStreamsApart) {
  JobRecorder recorder;
  backend.start(script("for i in 1 2 3; do echo o$i; echo e$i >&2; done"), recorder.events());
  EXPECT_TRUE(recorder.end());
  EXPECT_THAT(recorder.lines(Stream::output), ElementsAre("o1", "o2", "o3"));
  EXPECT_THAT(recorder.lines(Stream::errors), ElementsAre("e1", "e2", "e3"));
}

TEST_F(ProcessBackendTest, KeepsTheOrderOfStreamsThatAreReadInTime) {
  // Each line waits until the one before was seen.
  JobRecorder recorder;
  const JobId id = backend.start(
      script("trap : USR1; next() { while ! wait $!; do :; done; }; "
             "echo one; sleep 1000 & wait; echo two >&2; sleep 1000 & wait; echo three"),
      recorder.events());
  EXPECT_TRUE(recorder.saw("one"));
  const auto go_on = [&](const char* line) {
    return comes_true(
        [&] {
          ::kill(pid_of(id), SIGUSR1);
          const auto lines = recorder.lines();
          return std::find(lines.begin(), lines.end(), line) != lines.end();
        },
        seconds(20));
  };
  EXPECT_TRUE(go_on("two"));
  EXPECT_TRUE(go_on("three"));
  EXPECT_THAT(recorder.lines(), ElementsAre("one", "two", "three"));
}

// --- many, and much -----------------------------------------------------------------------------

TEST_F(ProcessBackendTest, StartsAHundredAtOnce) {
  std::list<JobRecorder> recorders(100);
  std::list<JobId> ids;
  for (JobRecorder& recorder : recorders) {
    ids.push_back(backend.start(script("echo $$; exec sleep 1000"), recorder.events()));
  }
  auto id = ids.begin();
  for (const JobRecorder& recorder : recorders) {
    EXPECT_EQ(recorder.first_line(), std::to_string(pid_of(*id++)));
  }
  for (const JobId each : ids) {
    backend.kill(each);
  }
  for (const JobRecorder& recorder : recorders) {
    EXPECT_EQ(recorder.end().value().signal, SIGKILL);
  }
}

TEST_F(ProcessBackendTest, TellsThePeakOfAMemoryKill) {
  JobSpec spec{.command = {CALLBOARD_JOB_PROGRAM, "allocate", "96"}, .memory = 32U << 20U};
  const JobEnd end = end_of(spec);
  EXPECT_TRUE(end.out_of_memory) << to_string(end);
  if (end.signal == SIGKILL) { // else there is no control group here
    EXPECT_EQ(to_string(end), "killed for memory, peak 32 MiB");
  }
}

TEST_F(ProcessBackendTest, TellsAKillFromAMemoryKill) {
  JobSpec spec = script("kill -9 $$");
  spec.memory = 256U << 20U;
  EXPECT_EQ(to_string(end_of(spec)), "signal 9 (Killed)");
}

TEST_F(ProcessBackendTest, TellsOfMemoryThatRanOutInAChildOfTheJob) {
  JobSpec spec = script(std::string(CALLBOARD_JOB_PROGRAM) + " allocate 96");
  spec.command.back() += "; exit $?"; // so that the shell stays
  spec.memory = 32U << 20U;
  EXPECT_TRUE(end_of(spec).out_of_memory);
}

TEST_F(ProcessBackendTest, TellsOfMemoryThatRanOutInItsOwnControlGroup) {
  JobRecorder recorder;
  const JobId id = backend.start(
      {.command = {CALLBOARD_JOB_PROGRAM, "witness", CALLBOARD_JOB_PROGRAM, "allocate", "96"},
       .memory = 64U << 20U},
      recorder.events());
  const auto end = backend.wait(id, soon());
  ASSERT_TRUE(end);
  // With the second version of control groups all of a group dies, else its largest process.
  EXPECT_TRUE(end->out_of_memory || recorder.first_line().starts_with("killed for memory"))
      << recorder.first_line() << ", " << to_string(*end);
}

TEST_F(ProcessBackendTest, LeavesNoControlGroup) {
  JobSpec spec = script("cat /proc/self/cgroup");
  spec.memory = 256U << 20U;
  std::string name;
  for (const std::string& line : output_of(spec)) {
    if (const auto at = line.find("callboard."); at != line.npos) {
      name = line.substr(at);
    }
  }
  if (name.empty()) {
    GTEST_SKIP() << "no control group can be made here";
  }
  const auto left = [&] {
    for (const auto& each : std::filesystem::recursive_directory_iterator(
             "/sys/fs/cgroup", std::filesystem::directory_options::skip_permission_denied)) {
      if (each.is_directory() && each.path().filename() == name) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(comes_true([&] { return !left(); }, seconds(5)));
}

} // namespace
} // namespace callboard
