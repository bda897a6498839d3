// SPDX-License-Identifier: Apache-2.0
#include "process_job.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace callboard::detail {
namespace {

constexpr std::uint64_t kibibyte = 1024;

/// As `waitid`, whose wrapper keeps the system's account of what was used to itself.
int wait_with_usage(const Descriptor& process, siginfo_t& info, rusage& usage) {
  return static_cast<int>(
      syscall(SYS_waitid, P_PIDFD, process.get(), &info, WEXITED | WNOHANG, &usage));
}

JobEnd end_of(const siginfo_t& info) {
  JobEnd end;
  (info.si_code == CLD_EXITED ? end.exit_code : end.signal) = info.si_status;
  return end;
}

void add_group_memory(JobEnd& end, const MemoryGroup& group) {
  const GroupMemory memory = group.memory();
  end.peak_memory = memory.peak;
  end.out_of_memory = memory.kills > 0 && !end.clean();
}

/// The system's account begins with the memory of the parent, which a child shares until it runs
/// its program: a peak below that says nothing.
void add_own_memory(JobEnd& end, const ProcessJob& job, const rusage& usage) {
  const std::uint64_t peak = static_cast<std::uint64_t>(usage.ru_maxrss) * kibibyte;
  end.peak_memory = peak > job.size_of_ours ? peak : 0;
  end.out_of_memory =
      job.data_limited && !job.killed_by_us && !end.clean() && tells_of_memory(job.tail.text());
}

} // namespace

void signal_group(const ProcessJob& job, int signal) {
  ::kill(-job.pid, signal);
}

bool has_ended(const ProcessJob& job) {
  siginfo_t info{};
  const int result =
      waitid(P_PIDFD, static_cast<id_t>(job.process.get()), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 || info.si_pid != 0;
}

JobEnd reap(ProcessJob& job) {
  siginfo_t info{};
  rusage usage{};
  JobEnd end;
  if (wait_with_usage(job.process, info, usage) == 0 && info.si_pid != 0) {
    end = end_of(info);
  } else {
    end.exit_code = -1; // other code of this process has reaped it, or ignores SIGCHLD
  }
  end.ran = std::chrono::steady_clock::now() - job.started;
  if (job.memory_group) {
    add_group_memory(end, *job.memory_group);
  } else {
    add_own_memory(end, job, usage);
  }
  return end;
}

void reap_killed(const ProcessJob& job) {
  waitid(P_PIDFD, static_cast<id_t>(job.process.get()), nullptr, WEXITED);
}

std::uint64_t peak_of_ours() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kibibyte;
}

bool reap_group(pid_t group, bool leader_reaped) {
  while (true) {
    siginfo_t info{};
    if (waitid(P_PGID, static_cast<id_t>(group), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return true;
    }
    // A process with the group's number is the job, or, later, another job that got its number.
    if (info.si_pid == 0 || info.si_pid == group) {
      return leader_reaped && info.si_pid == group;
    }
    waitid(P_PID, static_cast<id_t>(info.si_pid), nullptr, WEXITED | WNOHANG);
  }
}

} // namespace callboard::detail
