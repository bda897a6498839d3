// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace callboard::detail {
namespace {

constexpr unsigned char end_of_watch = 0; ///< what is no signal's number

/// From the handler to the watch, a byte a signal. Never closed: a handler may still run on another
/// thread when the watch has ended.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "a pipe for signals");
    }
    fcntl(ends[1], F_SETFL, O_NONBLOCK); // a handler must not wait
  }

  std::array<int, 2> ends{};
  const pid_t owner = getpid();
};

const Pipe& signal_pipe() {
  static const Pipe pipe;
  return pipe;
}

void send(unsigned char byte) {
  static_cast<void>(write(signal_pipe().ends[1], &byte, 1) == 1);
}

extern "C" void catch_signal(int signal) {
  const int error = errno;
  if (getpid() == signal_pipe().owner) {
    send(static_cast<unsigned char>(signal));
  } else { // in a child of fork
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  errno = error;
}

} // namespace

SignalWatch::SignalWatch(std::function<void(int)> on_signal) : on_signal_(std::move(on_signal)) {
  signal_pipe(); // before a handler asks for it
  struct sigaction action {};
  action.sa_handler = catch_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &previous_interrupt_);
  sigaction(SIGTERM, &action, &previous_terminate_);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  sigaction(SIGINT, &previous_interrupt_, nullptr);
  sigaction(SIGTERM, &previous_terminate_, nullptr);
  send(end_of_watch);
  thread_.join();
}

void SignalWatch::watch() {
  pthread_setname_np(pthread_self(), "cb-signals");
  while (true) {
    unsigned char byte = end_of_watch;
    if (read(signal_pipe().ends[0], &byte, 1) < 0 && errno == EINTR) {
      continue;
    }
    if (byte == end_of_watch) {
      return;
    }
    on_signal_(byte);
  }
}

} // namespace callboard::detail
