// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a node does when it is asked to end.
#pragma once

#include <callboard/log.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace callboard::detail {

/// Functions that run once, in order, when their node is asked to end. Thread-safe.
class StopHandlers {
public:
  /// What threads hold.
  struct Keep {
    std::shared_ptr<const void> node; ///< of which this is a part
    std::shared_ptr<void> service;    ///< which handlers refer to
  };

  /// Runs it on its own thread at once if the node has been asked already.
  void add(Keep keep, std::function<void()> handler);
  /// Starts a thread that runs them all, if there are any, and then `when_finished`.
  void start(Keep keep, const Log& log, std::function<void()> when_finished);
  /// Runs them all on this thread.
  void run_here(const Log& log);
  /// Whether none runs any more.
  bool finished() const;
  void join();
  void leave_behind();

private:
  using Lock = std::unique_lock<std::mutex>;

  void start_thread(Keep keep);
  void run_all(std::shared_ptr<void> service);
  void run_each(Lock& lock);

  mutable std::mutex mutex_;
  std::vector<std::function<void()>> handlers_;
  std::function<void()> when_finished_;
  Log log_{""};
  bool asked_ = false;
  bool busy_ = false;
  bool left_ = false; ///< nobody joins threads any more
  std::thread thread_;
};

} // namespace callboard::detail
