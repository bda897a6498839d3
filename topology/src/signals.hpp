// SPDX-License-Identifier: Apache-2.0
/// @file
/// Ctrl-C and SIGTERM as events.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace callboard::detail {

/// While it lives, SIGINT and SIGTERM call `on_signal` on a thread of its own, once for each that
/// comes. To be made before other threads are: they inherit that these signals are not theirs.
class SignalWatch {
public:
  explicit SignalWatch(std::function<void(int signal)> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

private:
  void watch();

  const std::function<void(int)> on_signal_;
  sigset_t signals_;
  sigset_t previous_;
  std::thread thread_;
};

} // namespace callboard::detail
