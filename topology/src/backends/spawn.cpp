// SPDX-License-Identifier: Apache-2.0
#include "spawn.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#ifdef __SANITIZE_THREAD__
// The thread sanitizer takes clone for fork, and would change its records in memory that is ours.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...) noexcept; // NOLINT: glibc's name
constexpr auto* system_clone = __clone;
#else
constexpr auto* system_clone = clone;
#endif

namespace callboard::detail {
namespace {

constexpr int part_descriptor = 3;

/// The plan as the system wants it, and what became of it. Read and written by the child, whose
/// memory it is too.
struct Attempt {
  const SpawnPlan& plan;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  pid_t parent = getpid();
  int priority = 0;
  int error = 0;
  SpawnStep step = SpawnStep::make_process;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) {
    all.push_back(const_cast<char*>(text.c_str())); // NOLINT: execve promises not to write
  }
  all.push_back(nullptr);
  return all;
}

// --- in the child: system calls only, no allocation, no lock ------------------------------------

#define CALLBOARD_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

/// Past sanitizers too, whose notes on handlers are shared with the parent.
CALLBOARD_IN_CHILD void reset_signals() {
  const std::array<unsigned long, 4> by_default{}; // the kernel's struct sigaction
  constexpr std::size_t mask_size = 8;
  for (int signal = 1; signal < NSIG; ++signal) {
    syscall(SYS_rt_sigaction, signal, by_default.data(), nullptr, mask_size);
  }
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, by_default.data(), nullptr, mask_size);
}

CALLBOARD_IN_CHILD bool die_with_parent(pid_t parent) {
  // The parent may have died before it was asked for.
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent;
}

CALLBOARD_IN_CHILD bool limit_data(std::uint64_t bytes) {
  const rlimit limit{bytes, bytes};
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

CALLBOARD_IN_CHILD bool set_descriptors(const SpawnPlan& plan) {
  const bool has_part = static_cast<bool>(plan.part);
  if (dup2(plan.input.get(), STDIN_FILENO) < 0 || dup2(plan.output.get(), STDOUT_FILENO) < 0
      || dup2(plan.errors.get(), STDERR_FILENO) < 0
      || (has_part && dup2(plan.part.get(), part_descriptor) < 0)) {
    return false;
  }
  const unsigned int first = part_descriptor + (has_part ? 1 : 0);
  if (syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
    return true;
  }
  rlimit limit{}; // Linux before 5.11
  getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned int fd = first; fd < limit.rlim_cur; ++fd) {
    fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
  }
  return true;
}

CALLBOARD_IN_CHILD bool prepare(Attempt& attempt) {
  const SpawnPlan& plan = attempt.plan;
  const auto tried = [&](SpawnStep step, bool worked) {
    attempt.step = step;
    return worked;
  };
  return tried(SpawnStep::process_group, plan.outlives_us ? setsid() > 0 : setpgid(0, 0) == 0)
      && tried(SpawnStep::die_with_parent, plan.outlives_us || die_with_parent(attempt.parent))
      && tried(
             SpawnStep::memory_group,
             !plan.memory_group || write(plan.memory_group.get(), "0", 1) == 1)
      && tried(SpawnStep::memory_limit, plan.data_limit == 0 || limit_data(plan.data_limit))
      && tried(
             SpawnStep::priority,
             plan.nice == 0 || setpriority(PRIO_PROCESS, 0, attempt.priority) == 0)
      && tried(
             SpawnStep::cores,
             !plan.cores || sched_setaffinity(0, sizeof *plan.cores, &*plan.cores) == 0)
      && tried(SpawnStep::folder, plan.folder.empty() || chdir(plan.folder.c_str()) == 0)
      && tried(SpawnStep::descriptors, set_descriptors(plan));
}

CALLBOARD_IN_CHILD int child_main(void* argument) {
  Attempt& attempt = *static_cast<Attempt*>(argument);
  if (prepare(attempt)) {
    reset_signals();
    attempt.step = SpawnStep::program;
    execve(attempt.plan.path.c_str(), attempt.arguments.data(), attempt.environment.data());
  }
  attempt.error = errno;
  constexpr int failed = 127;
  _exit(failed);
}

// --- in the parent ------------------------------------------------------------------------------

/// The child would run our handlers on our memory: none may come until it has reset them.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

private:
  sigset_t previous_{};
};

/// Has its memory to itself, and so can be seen by no one but us, who wait.
void reap(const Descriptor& process) {
  waitid(P_PIDFD, static_cast<id_t>(process.get()), nullptr, WEXITED);
}

} // namespace

Spawned spawn(const SpawnPlan& plan) {
  Attempt attempt{plan, pointers(plan.arguments), pointers(plan.environment)};
  attempt.priority = getpriority(PRIO_PROCESS, 0) + plan.nice;
  constexpr std::size_t stack_size = std::size_t{64} * 1024;
  alignas(16) std::array<std::byte, stack_size> stack; // NOLINT: not to be cleared
  const SignalsBlocked blocked;
  int process = -1;
  const pid_t pid = system_clone(
      child_main,
      stack.data() + stack.size(),
      CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
      &attempt,
      &process);
  if (pid < 0) {
    return {.error = errno};
  }
  Spawned spawned{pid, Descriptor(process), attempt.error, attempt.step};
  if (attempt.error != 0) {
    reap(spawned.process);
  }
  return spawned;
}

} // namespace callboard::detail
