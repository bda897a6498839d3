// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a supervisor does about one event. In the order of a failure's way: an event is taken or
/// put into the mailbox (supervisor_step.cpp), an end leads to a restart (supervisor_restart.cpp),
/// which is a task that stops and starts children (supervisor_task.cpp); requests become tasks too
/// (supervisor_request.cpp).
#pragma once

#include <callboard/detail/supervisor_state.hpp>

namespace callboard::detail {

/// Lives as long as one event is handled.
class SupervisorStep {
public:
  explicit SupervisorStep(SupervisorState& state) : state_(state) {}

  supervision::Actions handle(const supervision::Event& event);

  /// Puts these specifications in the place of the present ones.
  void replace(const std::vector<ChildSpec>& specs);

private:
  // Events that can't wait.
  void take(const supervision::Begin&);
  void take(const supervision::Started& event);
  void take(const supervision::Ignored& event);
  void take(const supervision::StartFailed& event);
  void take(const supervision::Exited& event);
  void take(const supervision::Tick&) {}
  void take(const supervision::Stop&);
  template <class Request>
  void take(const Request& request);

  // Events from the mailbox.
  void answer(const supervision::Exited& event);
  void answer(const supervision::StartChild& request);
  void answer(const supervision::StartInstance& request);
  void answer(const supervision::TerminateChild& request);
  void answer(const supervision::RestartChild& request);
  void answer(const supervision::DeleteChild& request);
  template <class Other>
  void answer(const Other&) {}

  // What goes on between events.
  void settle();
  bool next_from_mailbox();
  bool next_retry();
  void kill_overdue();
  Child* awaited(const std::string& id, Incarnation incarnation);

  // From an end to a restart.
  void ended(Child& child);
  void shut_down_if_significant(const Child& child);
  bool significant_left() const;
  void failed_again(Child& child);
  void try_again(Child& child);
  void wait(Child& child, Duration delay);
  Duration wait_time(const Child& child) const;
  void restart(Child& child);
  bool admit(Child& child);
  void exhausted(Child& child, supervision::EndCause cause);
  RestartHistory& history_of(Child& child);
  RestartLimit limit_of(const Child& child) const;
  void begin_restart(const Child& child);
  std::vector<ChildKey> companions(const Child& child) const;

  // Tasks.
  void begin(SupervisorTask task) { state_.task = std::move(task); }
  bool advance();
  void finish();
  void start(Child& child);
  void stop(Child& child);
  void retire(Child& child);
  bool start_is_over(const Child& child);
  void start_failed(Child& child, const ExitReason& reason);
  void task_failed(const SupervisorTask& task, Child& child);
  void stop_is_over(Child& child);
  bool shutting_down() const { return state_.task && state_.task->kind == TaskKind::shutdown; }
  void shut_down(supervision::Terminated end);
  void refuse_waiting();

  // Requests.
  void begin_start(TaskKind kind, ChildKey child, RequestId request);
  void reply(RequestId request, supervision::Outcome outcome, const std::string& id = {});
  void refuse(RequestId request, const std::string& id, std::string text);
  void reply_present(RequestId request, const Child& child);
  void reply_done(const SupervisorTask& task);
  void reply_start_failed(const SupervisorTask& task, const Child& child);
  supervision::Outcome absent(const std::string& id) const;
  supervision::Outcome down(const std::string& id) const;
  bool was_instance(const std::string& id) const;
  void keep(Child child);

  void act(supervision::Action action) { actions_.push_back(std::move(action)); }
  void set_timer(Timers& timers, Child& child, TimePoint at);
  void clear_timer(Timers& timers, Child& child);

  SupervisorState& state_;
  supervision::Actions actions_{};
};

} // namespace callboard::detail
