// SPDX-License-Identifier: Apache-2.0
// What tests of backends start where a shell is not enough; the first argument says what it does.
#include <callboard/process_backend.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace callboard;
using Words = std::vector<std::string>;

void say(const std::string& text) {
  std::cout << text << std::endl; // NOLINT(performance-avoid-endl): tests wait for it
}

[[noreturn]] void sleep_for_ever() {
  while (true) {
    pause();
  }
}

/// allocate MEBIBYTES
int allocate(const Words& words) {
  const std::size_t size = std::stoul(words.at(0)) << 20U;
  std::vector<char> memory(size);
  std::memset(memory.data(), 1, size);
  say("allocated " + std::to_string(static_cast<int>(memory[size / 2])));
  return 0;
}

/// launch RUN COMMAND…: starts the command as a job, and waits to be killed
int launch(const Words& words) {
  ProcessBackend backend({.run = words.at(0)});
  const JobId job =
      backend.start({.name = "job/0", .command = Words(words.begin() + 1, words.end())}, {});
  say("started " + backend.status(job).where);
  sleep_for_ever();
}

/// witness COMMAND…: tells how the command ended as a job without a limit
int witness(const Words& words) {
  ProcessBackend backend;
  const JobId job = backend.start({.name = "job/0", .command = words}, {});
  say(to_string(backend.wait(job, TimePoint::max()).value()));
  return 0;
}

/// descriptors COUNT
int descriptors(const Words& words) {
  try {
    require_descriptors(std::stoul(words.at(0)));
  } catch (const CallError& error) {
    say(error.what());
    return 1;
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  say("limit " + std::to_string(limit.rlim_cur));
  return 0;
}

/// adopt: a job's child starts a process and ends before it does
int adopt(const Words&) {
  adopt_orphans();
  ProcessBackend backend;
  std::promise<std::string> orphan;
  const JobId job = backend.start(
      {.name = "job/0", .command = {"sh", "-c", "sh -c 'sleep 0.1 & echo $!'; sleep 1000"}},
      {.on_line = [&](Stream, std::string_view line) { orphan.set_value(std::string(line)); }});
  const std::string folder = "/proc/" + orphan.get_future().get();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::filesystem::exists(folder) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  say(std::filesystem::exists(folder) ? "still there" : "reaped");
  say(std::string(to_string(backend.status(job).state)));
  return 0;
}

/// part: what `take_part` gives, twice
int part(const Words&) {
  for (int i = 0; i < 2; ++i) {
    const auto bytes = take_part();
    say(bytes ? "part " + *bytes : "no part");
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<int(const Words&)>> deeds{
      {"allocate", allocate},
      {"launch", launch},
      {"witness", witness},
      {"descriptors", descriptors},
      {"adopt", adopt},
      {"part", part},
  };
  return deeds.at(argc > 1 ? argv[1] : "")(Words(argv + 2, argv + argc));
}
