// SPDX-License-Identifier: Apache-2.0
#include "warden.hpp"

#include "command.hpp"
#include "strays.hpp"

#include <callboard/log.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

namespace callboard::detail {
namespace {

/// Until nothing was found twice, since what is being started may be missed once.
constexpr const char* script = R"(
read -r word
[ "$word" = done ] && exit
rounds=0 quiet=0
while [ $quiet -lt 2 ] && [ $rounds -lt 100 ]; do
  rounds=$((rounds + 1)) quiet=$((quiet + 1))
  for file in $(grep -lszxF "CALLBOARD_RUN=$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -9 "${pid%/environ}" && quiet=0
  done
  sleep 0.05
done
)";

/// Ours and its end of a connection: unlike a pipe it can be written to without SIGPIPE.
std::pair<Descriptor, Descriptor> make_line() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw descriptor_error("a socket", errno);
  }
  Descriptor ours(ends[0]);
  Descriptor its(ends[1]);
  return {out_of_the_way(std::move(ours)), out_of_the_way(std::move(its))};
}

Descriptor nowhere() {
  return out_of_the_way(Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC)));
}

void missing(std::string_view what) {
  log(LogLevel::warning,
      "",
      fmt::format(
          "{}: if this process is killed, processes that its jobs have started may stay", what));
}

} // namespace

Warden::Warden(Spawner& spawner, const std::string& run) {
  const std::string path = fmt::format("{}:/bin:/usr/bin", own_environment()["PATH"]);
  SpawnPlan plan;
  plan.path = find_program("sh", path);
  if (plan.path.empty() || find_program("grep", path).empty()) {
    missing("no sh or no grep in PATH");
    return;
  }
  plan.arguments = {"sh", "-c", script, "callboard-warden", run};
  plan.environment = {fmt::format("PATH={}", path)};
  plan.folder = std::string("/"); // GCC 12 warns of the plain literal
  auto [ours, its] = make_line();
  plan.input = std::move(its);
  plan.output = nowhere();
  plan.errors = nowhere();
  plan.outlives_us = true;
  Spawned spawned = spawner.spawn(plan);
  if (spawned.error != 0) {
    missing(error_text(spawned.error));
    return;
  }
  process_ = std::move(spawned.process);
  line_ = std::move(ours);
}

Warden::~Warden() {
  if (!process_) {
    return;
  }
  constexpr std::string_view word = "done\n";
  send(line_.get(), word.data(), word.size(), MSG_NOSIGNAL);
  if (!wait_for_end(process_, std::chrono::steady_clock::now() + std::chrono::seconds(1))) {
    syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  }
  waitid(P_PIDFD, static_cast<id_t>(process_.get()), nullptr, WEXITED);
}

} // namespace callboard::detail
