// SPDX-License-Identifier: Apache-2.0
/// @file
/// The actor system under the nodes of one program in this process.
#pragma once

#include <callboard/detail/execution.hpp>
#include <callboard/service.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace callboard::detail {

class DeadlineQueue;

struct RuntimeOptions {
  unsigned threads = 0;                                ///< of the scheduler; 0: one per core
  Duration call_deadline = defaults::call_deadline;    ///< of calls that name none
  std::size_t mailbox_limit = defaults::mailbox_limit; ///< messages that may wait for one node
  std::size_t message_limit = defaults::message_limit; ///< bytes of a call to another process
  bool recode = false;        ///< calls pass through bytes, as between processes
  bool deterministic = false; ///< one thread and virtual time: waiting calls run the program
  bool network = false;       ///< this process is to be linked with others
};

/// Owns the CAF actor system, the deadlines and the clock. Thread-safe.
class ActorRuntime : public Executor, public std::enable_shared_from_this<ActorRuntime> {
public:
  /// Directory: finds the front of a node by name, null if there is none.
  using Directory = std::function<std::shared_ptr<Front>(const std::string& node)>;
  struct System;

  static std::shared_ptr<ActorRuntime> make(const RuntimeOptions& options);
  explicit ActorRuntime(const RuntimeOptions& options);
  ActorRuntime(const ActorRuntime&) = delete;
  ActorRuntime& operator=(const ActorRuntime&) = delete;
  ~ActorRuntime() override;

  const RuntimeOptions& options() const noexcept { return options_; }
  TimePoint now() const;
  /// `patience` from now. A long one may end up to 10 ms late, for a cheaper look at the clock.
  TimePoint deadline_in(Duration patience) const;
  /// Whether it is past `deadline`. Cheap while that is far off.
  bool is_past(TimePoint deadline) const;
  DeadlineQueue& deadlines() noexcept { return *deadlines_; }
  /// Runs `continuation` on the scheduler; destroys it once the runtime is closed.
  void post(std::unique_ptr<Continuation> continuation) override;

  void set_directory(Directory directory);
  std::shared_ptr<Front> find(const std::string& node) const;

  /// Deterministic only: runs what there is to run, in virtual time, until `call` is done or it is
  /// `time`. False if it is not done.
  bool run_until(CallState& call, TimePoint time);
  /// Deterministic only: runs one step of what there is to run now; false if there is nothing.
  bool run_once();
  /// Deterministic only: lets `duration` of virtual time pass, with all that falls due on the way.
  void advance(Duration duration);

  /// Ends the actor system, and as `cancelled` what still waits for a deadline. False if a service
  /// would not end by `deadline`: the system is then left to the end of the process, since its
  /// threads can't be stopped.
  bool close(TimePoint deadline);

  System& system() noexcept { return *system_; }

  /// For fronts: one more, or one less, service actor lives.
  void service_started();
  void service_ended();

private:
  TimePoint next_event() const;
  void step_to(TimePoint time);

  const RuntimeOptions options_;
  std::unique_ptr<System> system_;
  std::unique_ptr<DeadlineQueue> deadlines_;
  std::shared_mutex closing_; ///< held while the scheduler is used from outside
  bool closed_ = false;
  bool left_behind_ = false; ///< a service would not end
  mutable std::mutex directory_mutex_;
  Directory directory_;
  std::atomic<unsigned> services_{0};
};

} // namespace callboard::detail
