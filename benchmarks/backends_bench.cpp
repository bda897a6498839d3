// SPDX-License-Identifier: Apache-2.0
// What a job costs its launcher: its start, also from a big process, and the notice of its end.
#include <callboard/process_backend.hpp>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace callboard;
using Clock = std::chrono::steady_clock;

constexpr int jobs = 100;
constexpr const char* program = "/bin/true";

double milliseconds_of(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

double measure(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return milliseconds_of(Clock::now() - start);
}

/// Milliseconds until all have started, and until all ends are known.
struct Times {
  double started = 0;
  double ended = 0;
};

Times by_backend(ProcessBackend& backend) {
  std::vector<JobId> ids;
  Times times;
  times.ended = measure([&] {
    times.started = measure([&] {
      for (int i = 0; i < jobs; ++i) {
        ids.push_back(backend.start({.name = "job", .command = {program}}, {}));
      }
    });
    for (const JobId id : ids) {
      backend.wait(id, TimePoint::max());
      backend.forget(id);
    }
  });
  return times;
}

Times by(const std::function<pid_t()>& start) {
  std::vector<pid_t> pids;
  Times times;
  times.ended = measure([&] {
    times.started = measure([&] {
      for (int i = 0; i < jobs; ++i) {
        pids.push_back(start());
      }
    });
    for (const pid_t pid : pids) {
      waitpid(pid, nullptr, 0);
    }
  });
  return times;
}

pid_t fork_and_exec() {
  const pid_t pid = fork();
  if (pid == 0) {
    execl(program, program, nullptr);
    _exit(127);
  }
  return pid;
}

pid_t posix_spawned() {
  pid_t pid = 0;
  std::string name = program;
  char* const arguments[]{name.data(), nullptr};
  posix_spawn(&pid, program, nullptr, nullptr, arguments, environ);
  return pid;
}

void print(const std::string& what, const Times& times) {
  fmt::print(
      "{:<44} {:>8.1f} ms {:>8.1f} ms {:>8.2f} ms\n",
      what,
      times.started,
      times.ended,
      times.started / jobs);
}

/// Milliseconds from a kill until `on_end`, for each of many jobs, sorted.
std::vector<double> notices(ProcessBackend& backend) {
  std::vector<double> all;
  for (int i = 0; i < jobs; ++i) {
    Clock::time_point ended;
    const JobId id = backend.start(
        {.name = "job", .command = {"/bin/sleep", "1000"}},
        {.on_end = [&](const JobEnd&) { ended = Clock::now(); }});
    const auto killed = Clock::now();
    backend.kill(id);
    backend.wait(id, TimePoint::max());
    all.push_back(milliseconds_of(ended - killed));
  }
  std::sort(all.begin(), all.end());
  return all;
}

void print_starts(ProcessBackend& backend, const std::string& launcher) {
  print("backend, " + launcher, by_backend(backend));
  print("posix_spawn, " + launcher, by(posix_spawned));
  print("fork and exec, " + launcher, by(fork_and_exec));
}

} // namespace

int main() {
  ProcessBackend backend;
  by_backend(backend); // reads the program from the disk
  fmt::print(
      "{:<44} {:>11} {:>11} {:>11}\n",
      fmt::format("{} of {}", jobs, program),
      "all started",
      "all ended",
      "each start");
  print_starts(backend, "small launcher");
  constexpr std::size_t mebibytes = 512;
  const std::vector<char> memory(mebibytes << 20U, 1);
  print_starts(backend, fmt::format("launcher of {} MiB", memory.size() >> 20U));
  const auto all = notices(backend);
  fmt::print(
      "\nfrom kill to on_end, of {}: median {:.2f} ms, 99th of 100 {:.2f} ms\n",
      all.size(),
      all[all.size() / 2],
      all[all.size() * 99 / 100]);
}
