// SPDX-License-Identifier: Apache-2.0
/// @file
/// One node of a running program: its object, its thread, its way to the end.
#pragma once

#include <callboard/context.hpp>
#include <callboard/detail/execution.hpp>
#include <callboard/detail/front.hpp>
#include <callboard/running.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace callboard::detail {

class ProgramRun;

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

/// One node of a running program. `state` and the flags below it are guarded by the program's lock.
class NodeRun final : public StartWatch, public std::enable_shared_from_this<NodeRun> {
public:
  struct Identity {
    std::string name;
    std::string group;
    int index; ///< in the group
    std::uint64_t seed;
  };

  NodeRun(ProgramRun& program, Identity identity, const GroupSpec& spec);

  const Identity& identity() const noexcept { return identity_; }
  Rank rank() const noexcept { return {.index = identity_.index, .size = group_size_}; }
  void set_group_size(int size) noexcept { group_size_ = size; }
  const std::string& name() const noexcept { return identity_.name; }
  const GroupSpec& spec() const noexcept { return spec_; }
  const std::shared_ptr<Front>& front() const noexcept { return front_; }
  MetricSet& metrics() noexcept { return *metrics_; }
  const std::shared_ptr<MetricSet>& metric_set() const noexcept { return metrics_; }
  ProgramRun& program() noexcept { return program_; }
  bool has_run() const noexcept { return has_run_; }
  std::stop_token stop_token() const { return stop_.get_token(); }
  WaitSet& waits() noexcept { return waits_; }
  StopHandlers& handlers() noexcept { return handlers_; }
  const StopHandlers& handlers() const noexcept { return handlers_; }

  /// For what may outlive the program's owner: threads and the service.
  std::shared_ptr<const void> keep_alive();
  /// The same for its stop handlers.
  StopHandlers::Keep keep_for_handlers();
  /// Constructs the service and runs its loop on a thread of its own.
  void start();
  /// Constructs the service on this thread; its loop is not run.
  void start_here();
  /// Asks it to end: ends its endless waits and runs its handlers.
  void ask_to_stop();
  /// Waits for its thread.
  void join();
  /// Gives its thread up.
  void leave_behind();

  std::optional<Error> begin_wait(const Front& target) override;
  void end_wait() override;

  NodeState state = NodeState::waiting;
  bool told = false;       ///< asked to end
  bool ready = false;      ///< has served
  bool run_over = false;   ///< its thread has nothing more to do
  bool closing = false;    ///< takes no more calls
  bool closed = false;     ///< its object is gone
  std::string waits_for{}; ///< the node that its constructor waits for

private:
  void main();
  bool construct();
  ServiceInstance make_instance();
  void loop();

  ProgramRun& program_;
  const Identity identity_;
  const GroupSpec spec_;
  std::atomic<int> group_size_{1};
  const bool has_run_;
  const std::shared_ptr<Front> front_;
  const std::shared_ptr<MetricSet> metrics_;
  Context context_;
  std::stop_source stop_;
  WaitSet waits_;
  StopHandlers handlers_;
  ServiceInstance instance_;
  std::atomic<std::weak_ptr<void>> service_; ///< set by its thread, asked for by any
  std::thread thread_;
};

} // namespace callboard::detail
