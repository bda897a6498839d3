// SPDX-License-Identifier: Apache-2.0
/// @file
/// A supervisor at work: a thread that feeds a `Supervisor` with events and has its actions done.
#pragma once

#include <callboard/supervisor.hpp>

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace callboard {

/// Does what a `SupervisorLoop` decides, whatever its children are: threads, processes, hosts. Its
/// functions are called one at a time, on the loop's thread, in the order of the decisions; they
/// should not block, since nothing else is seen to meanwhile, and may call all of the loop but what
/// waits. Every start must be answered, now or later and from any thread, by `started`, `ignored`,
/// `start_failed` or `exited`; every incarnation that has started must end with `exited`, killed
/// ones included, or the supervisor waits for it for ever.
class ChildDriver {
public:
  virtual ~ChildDriver() = default;

  /// An exception is taken for `start_failed`, with its text.
  virtual void start(const supervision::Start& start) = 0;
  /// An exception is logged; the child is killed when its time is over.
  virtual void request_stop(const supervision::RequestStop& stop) = 0;
  /// An exception is logged.
  virtual void kill(const supervision::Kill& kill) = 0;

  /// All children are up, for the first time.
  virtual void ready() {}
  virtual void gave_up(const supervision::GaveUp&) {}
  /// The last call of all; no child is left.
  virtual void terminated(const supervision::Terminated&) {}
};

/// Runs a supervisor in real time, on a thread of its own. Rules: see `Supervisor`.
///
/// All functions are thread-safe. Those that wait say until when; they may not be called by the
/// driver on the loop's thread, and throw CallError{failed_precondition} there.
class SupervisorLoop {
public:
  /// @param driver  outlives the loop
  /// @throws CallError{invalid_argument}  see `check`
  SupervisorLoop(SupervisorSpec spec, std::vector<ChildSpec> children, ChildDriver& driver);
  SupervisorLoop(const SupervisorLoop&) = delete;
  SupervisorLoop& operator=(const SupervisorLoop&) = delete;
  /// Has children that are left killed, and does not wait for their ends, of which it must not be
  /// told any more. For a clean end call `stop` and `wait` first. Not to be called by the driver.
  ~SupervisorLoop();

  /// Starts the children. Once; later calls do nothing.
  void start();
  /// Stops the children, last ones first, then ends.
  void stop();

  void started(const std::string& id, Incarnation incarnation);
  void ignored(const std::string& id, Incarnation incarnation);
  void start_failed(const std::string& id, Incarnation incarnation, ExitReason reason);
  void exited(const std::string& id, Incarnation incarnation, ExitReason reason);

  /// Waits until all children are up for the first time. False: not by `deadline`, or it has ended.
  bool wait_until_ready(TimePoint deadline) const;
  /// Waits for the end. Nothing if it did not come by `deadline`.
  std::optional<supervision::Terminated> wait(TimePoint deadline) const;

  /// Requests, answered as OTP does. Each waits for its outcome, for instance until the new child
  /// is up.
  /// @throws CallError{deadline_exceeded}  no answer within `patience`; the request may yet be
  ///         carried out
  supervision::Reply start_child(ChildSpec child, Duration patience = defaults::call_deadline);
  supervision::Reply start_instance(
      std::any arguments = {}, Duration patience = defaults::call_deadline);
  supervision::Reply terminate_child(
      const std::string& id, Duration patience = defaults::call_deadline);
  supervision::Reply restart_child(
      const std::string& id, Duration patience = defaults::call_deadline);
  supervision::Reply delete_child(
      const std::string& id, Duration patience = defaults::call_deadline);

  /// As of now; events that wait for the thread are not in it yet.
  std::vector<ChildInfo> children() const;
  ChildCounts count_children() const;

private:
  void post(supervision::Event event);
  template <class Request>
  supervision::Reply ask(Request request, Duration patience);
  template <class Request>
  std::future<supervision::Reply> send(Request request);
  void check_thread() const;

  void run();
  supervision::Actions decide(std::unique_lock<std::mutex>& lock);
  void kill_all(std::unique_lock<std::mutex>& lock);
  void perform(const supervision::Start& start);
  void perform(const supervision::RequestStop& stop);
  void perform(const supervision::Kill& kill);
  void perform(const supervision::Ready&);
  void perform(const supervision::Reply& reply);
  void perform(const supervision::GaveUp& gave_up);
  void perform(const supervision::Terminated& end);

  ChildDriver& driver_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Supervisor supervisor_;
  std::deque<supervision::Event> inbox_{};
  std::map<RequestId, std::promise<supervision::Reply>> answers_{}; ///< those awaited
  RequestId last_request_ = 0;
  bool ready_ = false;
  bool abandoned_ = false; ///< is being destroyed
  std::optional<supervision::Terminated> end_{};
  std::thread thread_;
};

} // namespace callboard
