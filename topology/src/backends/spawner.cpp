// SPDX-License-Identifier: Apache-2.0
#include "spawner.hpp"

#include <pthread.h>

#include <csignal>

namespace callboard::detail {

Spawner::Spawner() : thread_([this] { serve(); }) {}

Spawner::~Spawner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Spawned Spawner::spawn(const SpawnPlan& plan) {
  Wanted wanted{plan};
  std::unique_lock lock(mutex_);
  wanted_.push_back(&wanted);
  changed_.notify_all();
  changed_.wait(lock, [&] { return wanted.spawned.has_value(); });
  return std::move(*wanted.spawned);
}

void Spawner::serve() {
  block_signals("cb-spawner");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !wanted_.empty(); });
    if (wanted_.empty()) {
      return;
    }
    Wanted& wanted = *wanted_.front();
    wanted_.pop_front();
    lock.unlock();
    Spawned spawned = detail::spawn(wanted.plan);
    lock.lock();
    wanted.spawned = std::move(spawned);
    changed_.notify_all();
  }
}

void block_signals(const char* thread_name) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pthread_setname_np(pthread_self(), thread_name);
}

} // namespace callboard::detail
