// SPDX-License-Identifier: Apache-2.0
/// @file
/// Ctrl-C and SIGTERM as events.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace callboard::detail {

/// While it lives, SIGINT and SIGTERM call `on_signal` on a thread of its own, once for each that
/// comes. One at a time in a process.
///
/// They are caught, not blocked: programs that a node starts would inherit that they are blocked,
/// and could not be ended, whereas `exec` puts handlers back. A child that only forks is ended by
/// them as usual.
class SignalWatch {
public:
  explicit SignalWatch(std::function<void(int signal)> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

private:
  void watch();

  const std::function<void(int)> on_signal_;
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_terminate_ {};
  std::thread thread_;
};

} // namespace callboard::detail
