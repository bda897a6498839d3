// SPDX-License-Identifier: Apache-2.0
#include "stop_handlers.hpp"

#include <callboard/error.hpp>

#include <utility>

namespace callboard::detail {

void StopHandlers::add(Keep keep, std::function<void()> handler) {
  const Lock lock(mutex_);
  handlers_.push_back(std::move(handler));
  if (asked_ && !busy_) {
    start_thread(std::move(keep));
  }
}

void StopHandlers::start(Keep keep, const Log& log, std::function<void()> when_finished) {
  const Lock lock(mutex_);
  asked_ = true;
  log_ = log;
  when_finished_ = std::move(when_finished);
  if (!handlers_.empty()) {
    start_thread(std::move(keep));
  }
}

void StopHandlers::start_thread(Keep keep) {
  if (thread_.joinable()) {
    thread_.join(); // it has finished: it is not busy
  }
  busy_ = true;
  thread_ =
      std::thread([this, node = std::move(keep.node), service = std::move(keep.service)]() mutable {
        run_all(std::move(service));
      });
  if (left_) {
    thread_.detach();
  }
}

void StopHandlers::run_here(const Log& log) {
  Lock lock(mutex_);
  log_ = log;
  run_each(lock);
}

void StopHandlers::run_each(Lock& lock) {
  while (!handlers_.empty()) {
    const auto handlers = std::exchange(handlers_, {});
    lock.unlock();
    for (const auto& handler : handlers) {
      try {
        handler();
      } catch (...) {
        log_.error("a stop handler failed: " + to_string(current_error()));
      }
    }
    lock.lock();
  }
}

void StopHandlers::run_all(std::shared_ptr<void> service) {
  Lock lock(mutex_);
  run_each(lock);
  lock.unlock();
  service.reset(); // while the node is still said to be busy
  lock.lock();
  run_each(lock);
  busy_ = false;
  const auto when_finished = when_finished_;
  lock.unlock();
  when_finished();
}

bool StopHandlers::finished() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void StopHandlers::join() {
  std::thread thread;
  {
    const Lock lock(mutex_);
    thread.swap(thread_);
    left_ = true;
  }
  if (thread.joinable()) {
    thread.join();
  }
}

void StopHandlers::leave_behind() {
  const Lock lock(mutex_);
  left_ = true;
  if (thread_.joinable()) {
    thread_.detach();
  }
}

} // namespace callboard::detail
