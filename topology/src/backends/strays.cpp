// SPDX-License-Identifier: Apache-2.0
#include "strays.hpp"

#include <callboard/process_backend.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace callboard {
namespace detail {
namespace {

std::optional<pid_t> as_pid(const std::string& name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(pid)
                                                                  : std::nullopt;
}

} // namespace

bool carries(pid_t pid, std::string_view variable) {
  const std::string environment = read_file("/proc/" + std::to_string(pid) + "/environ");
  std::string_view left = environment;
  while (!left.empty()) {
    const std::string_view entry = left.substr(0, left.find('\0'));
    if (entry == variable) {
      return true;
    }
    left.remove_prefix(std::min(left.size(), entry.size() + 1));
  }
  return false;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    if (const auto pid = as_pid(it->path().filename().string())) {
      pids.push_back(*pid);
    }
  }
  return pids;
}

Descriptor open_process(pid_t pid) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

bool wait_for_end(const Descriptor& process, TimePoint deadline) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
  const auto patience = std::clamp(left, milliseconds(0), milliseconds(std::chrono::hours(24)));
  pollfd ended{process.get(), POLLIN, 0};
  return poll(&ended, 1, static_cast<int>(patience.count())) == 1;
}

} // namespace detail

namespace {

/// More than a process shows no environment while it executes another program.
constexpr std::chrono::milliseconds exec_time{5};

/// One round. @returns those that were killed, each with its descriptor
std::map<pid_t, detail::Descriptor> kill_those_that_carry(const std::string& variable) {
  std::map<pid_t, detail::Descriptor> killed;
  for (const pid_t pid : detail::all_processes()) {
    // Opened before it is looked at, so that it is this process and no later one that is killed.
    detail::Descriptor process = detail::open_process(pid);
    if (pid != getpid() && process && detail::carries(pid, variable)
        && syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0) {
      killed.emplace(pid, std::move(process));
    }
  }
  return killed;
}

} // namespace

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

int kill_strays(const std::string& run, Duration patience) {
  const TimePoint deadline = detail::deadline_after(std::chrono::steady_clock::now(), patience);
  std::set<pid_t> all;
  // Twice, since a process that is just executing another program shows no environment.
  for (int empty_rounds = 0; empty_rounds < 2;) {
    const auto killed = kill_those_that_carry("CALLBOARD_RUN=" + run);
    for (const auto& [pid, process] : killed) {
      all.insert(pid);
      if (detail::wait_for_end(process, deadline)) {
        waitid(P_PID, static_cast<id_t>(pid), nullptr, WEXITED | WNOHANG); // if it is our child
      }
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      break;
    }
    // Those may have started others meanwhile.
    empty_rounds = killed.empty() ? empty_rounds + 1 : 0;
    if (empty_rounds == 1) {
      std::this_thread::sleep_for(exec_time);
    }
  }
  return static_cast<int>(all.size());
}

} // namespace callboard
