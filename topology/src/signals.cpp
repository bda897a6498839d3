// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <pthread.h>

namespace callboard::detail {
namespace {

constexpr int end_of_watch = SIGUSR2; ///< sent to the watching thread alone

} // namespace

SignalWatch::SignalWatch(std::function<void(int)> on_signal) : on_signal_(std::move(on_signal)) {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, end_of_watch}) {
    sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  pthread_kill(thread_.native_handle(), end_of_watch);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void SignalWatch::watch() {
  pthread_setname_np(pthread_self(), "cb-signals");
  while (true) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (signal == end_of_watch) {
      return;
    }
    on_signal_(signal);
  }
}

} // namespace callboard::detail
