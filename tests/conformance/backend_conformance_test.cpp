// SPDX-License-Identifier: Apache-2.0
#include "conformance/backend_conformance.hpp"

#include "topology/job_recorder.hpp"

#include <csignal>
#include <future>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>

namespace callboard::conformance {

JobSpec shell_job(Deed deed) {
  const auto script = [](const char* text) { return JobSpec{.command = {"/bin/sh", "-c", text}}; };
  switch (deed) {
  case Deed::ends_well: return script("exit 0");
  case Deed::ends_with_3: return script("exit 3");
  case Deed::until_told: return script("exec sleep 1000");
  case Deed::ignores_being_told:
    return script("trap '' TERM; echo ready; sleep 1000 & while :; do wait; done");
  case Deed::needs_its_part:
    return script(R"sh([ "$(cat <&"$CALLBOARD_PART" | tr '\000' 0)" = "a part0of bytes" ])sh");
  case Deed::needs_a_variable: return script(R"([ "$CALLBOARD_TEST" = "a = b" ])");
  case Deed::prints: return script("echo one; echo three >&2; printf two");
  case Deed::uses_signal:
    return script("trap 'echo told; exit 3' USR1; sleep 1000 & echo ready; while :; do wait; done");
  case Deed::uses_64_mebibytes: // tail keeps what it may have to print
    return script("head -c 67108864 /dev/zero | tail -c 67108864 >/dev/null");
  }
  return {};
}

namespace {

using callboard::testing::JobRecorder;
using callboard::testing::soon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class F>
Code code_of(F f) {
  try {
    f();
  } catch (const CallError& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Code::internal;
}

TEST_P(BackendConformance, TellsTheExitCode) {
  EXPECT_EQ(backend->wait(backend->start(job(Deed::ends_well), {}), soon()).value().exit_code, 0);
  EXPECT_EQ(backend->wait(backend->start(job(Deed::ends_with_3), {}), soon()).value().exit_code, 3);
}

TEST_P(BackendConformance, TellsOfTheEndOnce) {
  JobRecorder recorder;
  const JobId id = backend->start(job(Deed::ends_with_3), recorder.events());
  EXPECT_TRUE(backend->wait(id, soon()));
  EXPECT_EQ(recorder.ends(), 1) << "wait returns after on_end";
  EXPECT_EQ(recorder.end().value().exit_code, 3);
  backend.reset();
  EXPECT_EQ(recorder.ends(), 1);
}

TEST_P(BackendConformance, GoesFromRunningToEnded) {
  const JobId id = backend->start(job(Deed::until_told), {});
  EXPECT_NE(backend->status(id).state, JobState::ended);
  EXPECT_FALSE(backend->status(id).end);
  EXPECT_FALSE(backend->status(id).where.empty());
  backend->terminate(id);
  EXPECT_TRUE(backend->wait(id, soon()));
  EXPECT_EQ(backend->status(id).state, JobState::ended);
  EXPECT_TRUE(backend->status(id).end);
}

TEST_P(BackendConformance, KnowsOfTheEndBeforeItIsTold) {
  std::promise<JobId> id;
  std::promise<JobState> state;
  id.set_value(backend->start(
      job(Deed::ends_well), {.on_end = [&, known = id.get_future().share()](const JobEnd&) {
        state.set_value(backend->status(known.get()).state);
      }}));
  EXPECT_EQ(state.get_future().get(), JobState::ended);
}

TEST_P(BackendConformance, WaitGivesUpAtItsDeadline) {
  const JobId id = backend->start(job(Deed::until_told), {});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(backend->wait(id, start + std::chrono::milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
}

TEST_P(BackendConformance, EndsAJobThatIsTerminated) {
  const JobId id = backend->start(job(Deed::until_told), {});
  backend->terminate(id);
  const auto end = backend->wait(id, soon());
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->clean() || end->signal == SIGTERM) << to_string(*end);
  EXPECT_FALSE(end->out_of_memory);
}

TEST_P(BackendConformance, KillsWhatIgnoresTermination) {
  JobRecorder recorder;
  const JobId id = backend->start(job(Deed::ignores_being_told), recorder.events());
  EXPECT_TRUE(!backend->features().captures || recorder.saw("ready"));
  backend->terminate(id);
  EXPECT_FALSE(backend->wait(id, std::chrono::steady_clock::now() + std::chrono::milliseconds(50)));
  backend->kill(id);
  if (!backend->features().kills) {
    EXPECT_THAT(backend->status(id).note, HasSubstr("can't be killed"));
    GetParam().release();
  }
  const auto end = recorder.end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(!backend->features().kills || end->signal == SIGKILL) << to_string(*end);
}

TEST_P(BackendConformance, LeavesAnEndedJobAlone) {
  const JobId id = backend->start(job(Deed::ends_well), {});
  EXPECT_TRUE(backend->wait(id, soon()));
  backend->terminate(id);
  backend->kill(id);
  EXPECT_TRUE(backend->status(id).end.value().clean());
}

TEST_P(BackendConformance, RefusesJobsThatItDoesNotKnow) {
  constexpr JobId unknown{4711};
  EXPECT_EQ(code_of([&] { backend->status(unknown); }), Code::not_found);
  EXPECT_EQ(code_of([&] { backend->terminate(unknown); }), Code::not_found);
  EXPECT_EQ(code_of([&] { backend->kill(unknown); }), Code::not_found);
  EXPECT_EQ(code_of([&] { backend->wait(unknown, soon()); }), Code::not_found);
  EXPECT_EQ(code_of([&] { backend->logs(unknown); }), Code::not_found);
  EXPECT_EQ(code_of([&] { backend->forget(unknown); }), Code::not_found);
}

TEST_P(BackendConformance, ForgetsOnlyWhatHasEnded) {
  const JobId id = backend->start(job(Deed::until_told), {});
  EXPECT_EQ(code_of([&] { backend->forget(id); }), Code::failed_precondition);
  backend->terminate(id);
  EXPECT_TRUE(backend->wait(id, soon()));
  backend->forget(id);
  EXPECT_EQ(code_of([&] { backend->status(id); }), Code::not_found);
}

TEST_P(BackendConformance, RunsManyJobsAtOnce) {
  constexpr int count = 16;
  std::list<JobRecorder> recorders(count);
  for (JobRecorder& recorder : recorders) {
    backend->start(job(Deed::ends_with_3), recorder.events());
  }
  for (const JobRecorder& recorder : recorders) {
    EXPECT_EQ(recorder.end().value().exit_code, 3);
  }
}

TEST_P(BackendConformance, StartsFromManyThreadsAtOnce) {
  std::list<JobRecorder> recorders(8);
  std::list<std::thread> threads;
  for (JobRecorder& recorder : recorders) {
    threads.emplace_back([&] { backend->start(job(Deed::ends_with_3), recorder.events()); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const JobRecorder& recorder : recorders) {
    EXPECT_EQ(recorder.end().value().exit_code, 3);
  }
}

TEST_P(BackendConformance, EndsAllJobsWithItself) {
  std::list<JobRecorder> recorders(4);
  for (JobRecorder& recorder : recorders) {
    backend->start(job(Deed::until_told), recorder.events());
  }
  backend.reset();
  for (const JobRecorder& recorder : recorders) {
    EXPECT_EQ(recorder.ends(), 1);
  }
}

TEST_P(BackendConformance, LetsAnEventStartTheNextJob) {
  JobRecorder second;
  const JobSpec next = job(Deed::ends_with_3);
  backend->start(job(Deed::ends_well), {.on_end = [&](const JobEnd&) {
                   backend->start(next, second.events());
                 }});
  EXPECT_EQ(second.end().value().exit_code, 3);
}

TEST_P(BackendConformance, StartsNoJobWhileItEnds) {
  std::promise<Code> code;
  backend->start(job(Deed::until_told), {.on_end = [&, &running = *backend](const JobEnd&) {
                   code.set_value(code_of([&] { running.start(job(Deed::until_told), {}); }));
                 }});
  backend.reset();
  EXPECT_EQ(code.get_future().get(), Code::cancelled);
}

TEST_P(BackendConformance, RefusesToWaitInAnEvent) {
  const JobId other = backend->start(job(Deed::until_told), {});
  std::promise<Code> code;
  backend->start(job(Deed::ends_well), {.on_end = [&](const JobEnd&) {
                   code.set_value(code_of([&] { backend->wait(other, soon()); }));
                 }});
  EXPECT_EQ(code.get_future().get(), Code::failed_precondition);
}

TEST_P(BackendConformance, OutlivesAnEventThatThrows) {
  const JobId id = backend->start(job(Deed::ends_well), {.on_end = [](const JobEnd&) {
                                    throw std::runtime_error("as this test wants");
                                  }});
  EXPECT_TRUE(backend->wait(id, soon()));
  EXPECT_TRUE(backend->wait(backend->start(job(Deed::ends_well), {}), soon()));
}

TEST_P(BackendConformance, LetsGoOfEventsWithTheEnd) {
  auto held = std::make_shared<int>();
  const JobId id = backend->start(job(Deed::ends_well), {.on_end = [held](const JobEnd&) {}});
  EXPECT_TRUE(backend->wait(id, soon()));
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(BackendConformance, MeasuresHowLongAJobRan) {
  const auto start = std::chrono::steady_clock::now();
  const JobId id = backend->start(job(Deed::until_told), {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  backend->terminate(id);
  const auto end = backend->wait(id, soon());
  ASSERT_TRUE(end);
  EXPECT_LE(end->ran, std::chrono::steady_clock::now() - start);
  EXPECT_GE(end->ran, std::chrono::milliseconds(15));
}

TEST_P(BackendConformance, GivesAJobItsPart) {
  JobSpec spec = job(Deed::needs_its_part);
  spec.part = std::string("a part\0of bytes", 15);
  EXPECT_TRUE(backend->wait(backend->start(spec, {}), soon()).value().clean());
}

TEST_P(BackendConformance, GivesAJobItsEnvironment) {
  JobSpec spec = job(Deed::needs_a_variable);
  spec.environment = {{"CALLBOARD_TEST", "a = b"}};
  EXPECT_TRUE(backend->wait(backend->start(spec, {}), soon()).value().clean());
}

TEST_P(BackendConformance, DeliversLinesBeforeTheEnd) {
  if (!backend->features().captures) {
    GTEST_SKIP() << backend->name() << " do not capture output";
  }
  JobRecorder recorder;
  const JobId id = backend->start(job(Deed::prints), recorder.events());
  EXPECT_TRUE(recorder.end());
  EXPECT_THAT(recorder.lines(Stream::output), ElementsAre("one", "two"));
  EXPECT_THAT(recorder.lines(Stream::errors), ElementsAre("three"));
  EXPECT_EQ(recorder.lines_after_the_end(), 0);
  for (const char* line : {"one\n", "two\n", "three\n"}) {
    EXPECT_THAT(backend->logs(id), HasSubstr(line));
  }
}

TEST_P(BackendConformance, DeliversSignals) {
  if (!backend->features().signals) {
    const JobId id = backend->start(job(Deed::until_told), {});
    EXPECT_EQ(code_of([&] { backend->signal(id, SIGUSR1); }), Code::failed_precondition);
    return;
  }
  JobRecorder recorder;
  const JobId id = backend->start(job(Deed::uses_signal), recorder.events());
  EXPECT_TRUE(recorder.saw("ready"));
  backend->signal(id, SIGUSR1);
  EXPECT_EQ(backend->wait(id, soon()).value().exit_code, 3);
  EXPECT_THAT(recorder.lines(), ElementsAre("ready", "told"));
}

TEST_P(BackendConformance, TellsThatAJobWasKilledForMemory) {
  if (!backend->features().limits_memory) {
    GTEST_SKIP() << backend->name() << " do not limit memory";
  }
  JobSpec spec = job(Deed::uses_64_mebibytes);
  EXPECT_TRUE(backend->wait(backend->start(spec, {}), soon()).value().clean());
  spec.memory = std::uint64_t{24} << 20U;
  const auto end = backend->wait(backend->start(spec, {}), soon());
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->clean());
  EXPECT_TRUE(end->out_of_memory) << to_string(*end);
  EXPECT_THAT(to_string(*end), HasSubstr("killed for memory"));
}

} // namespace
} // namespace callboard::conformance
