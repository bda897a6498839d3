// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: threads as children of a `SupervisorLoop`. They wait until they are told how to end.
#pragma once

#include <callboard/supervisor_loop.hpp>

#include <algorithm>

namespace callboard {

/// A time that no test should need.
inline TimePoint in_a_minute() {
  return std::chrono::steady_clock::now() + std::chrono::minutes(1);
}

class SupervisedThreads : public ChildDriver {
public:
  SupervisedThreads() = default;
  SupervisedThreads(const SupervisedThreads&) = delete;
  SupervisedThreads& operator=(const SupervisedThreads&) = delete;
  ~SupervisedThreads() override {
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  /// Whom threads report to.
  void attach(SupervisorLoop& loop) { loop_ = &loop; }

  /// Children that don't end when they are asked to.
  void make_deaf(const std::string& id) { deaf_.push_back(id); }

  /// Whoever runs as `id`, now or later, ends with that reason.
  void end(const std::string& id, ExitReason reason) {
    const std::lock_guard lock(mutex_);
    orders_[id] = std::move(reason);
    changed_.notify_all();
  }

  /// What has happened: "start a", "up a", "stop a", "kill a", "ready", "end".
  std::vector<std::string> trace() const {
    const std::lock_guard lock(mutex_);
    return trace_;
  }

  /// Waits until something has happened so often.
  bool await(const std::string& what, long times = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, in_a_minute(), [&] {
      return std::count(trace_.begin(), trace_.end(), what) >= times;
    });
  }

  void start(const supervision::Start& start) override {
    note("start " + start.id);
    threads_.emplace_back([this, start] { run(start.id, start.incarnation); });
  }

  void request_stop(const supervision::RequestStop& stop) override {
    note("stop " + stop.id);
    if (std::find(deaf_.begin(), deaf_.end(), stop.id) == deaf_.end()) {
      order(stop.incarnation, {.kind = ExitKind::shutdown});
    }
  }

  void kill(const supervision::Kill& kill) override {
    note("kill " + kill.id);
    order(kill.incarnation, {.text = "killed"});
  }

  void ready() override { note("ready"); }
  void terminated(const supervision::Terminated&) override { note("end"); }

private:
  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    trace_.push_back(what);
    changed_.notify_all();
  }

  void order(Incarnation incarnation, ExitReason reason) {
    const std::lock_guard lock(mutex_);
    orders_[std::to_string(incarnation)] = std::move(reason);
    changed_.notify_all();
  }

  void run(const std::string& id, Incarnation incarnation) {
    loop_->started(id, incarnation);
    note("up " + id);
    loop_->exited(id, incarnation, await_order(id, std::to_string(incarnation)));
  }

  /// An order is for one only.
  ExitReason await_order(const std::string& id, const std::string& incarnation) {
    std::unique_lock lock(mutex_);
    auto order = orders_.end();
    changed_.wait(lock, [&] {
      order = orders_.find(incarnation);
      order = order == orders_.end() ? orders_.find(id) : order;
      return order != orders_.end();
    });
    return orders_.extract(order).mapped();
  }

  SupervisorLoop* loop_ = nullptr;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> trace_{};
  std::map<std::string, ExitReason> orders_{};
  std::vector<std::string> deaf_{};
  std::vector<std::thread> threads_{};
};

} // namespace callboard
