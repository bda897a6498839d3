// SPDX-License-Identifier: Apache-2.0
/// @file
/// The thread that starts jobs: the kernel kills a child when the thread that made it ends, so it
/// is one that lives as long as its backend. It is not the one that watches them, so that a slow
/// file system, from which a program is read, delays no notice of an end.
#pragma once

#include "spawn.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace callboard::detail {

/// Names the calling thread, and leaves the process's signals to others.
void block_signals(const char* thread_name);

/// Thread-safe.
class Spawner {
public:
  Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  /// Kills, through the kernel, all children that don't outlive us.
  ~Spawner();

  /// As `detail::spawn`, on the thread.
  Spawned spawn(const SpawnPlan& plan);

private:
  struct Wanted {
    const SpawnPlan& plan;
    std::optional<Spawned> spawned{};
  };

  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Wanted*> wanted_{};
  bool ending_ = false;
  std::thread thread_;
};

} // namespace callboard::detail
