// SPDX-License-Identifier: Apache-2.0
// Tasks: first stop some children, last ones first, then start some.
#include "supervisor_step.hpp"

namespace callboard::detail {

/// Does the next part of the task; false if it has to wait for a child.
bool SupervisorStep::advance() {
  SupervisorTask& task = *state_.task;
  if (task.starting || (task.stopping > 0 && !(task.together && !task.stops.empty()))) {
    return false;
  }
  if (!task.stops.empty()) {
    Child& child = state_.children.at(task.stops.back());
    task.stops.pop_back();
    stop(child);
  } else if (!task.starts.empty()) {
    task.starting = task.starts.back();
    task.starts.pop_back();
    start(state_.children.at(*task.starting));
  } else {
    finish();
  }
  return true;
}

void SupervisorStep::finish() {
  const SupervisorTask task = std::move(*state_.task);
  state_.task.reset();
  switch (task.kind) {
  case TaskKind::initial: act(supervision::Ready{}); break;
  case TaskKind::restart:
  case TaskKind::pause: break;
  case TaskKind::start_child:
  case TaskKind::restart_child:
  case TaskKind::terminate_child: reply_done(task); break;
  case TaskKind::shutdown:
    state_.phase = SupervisorPhase::ended;
    act(task.end);
    break;
  }
}

void SupervisorStep::start(Child& child) {
  child.state = ChildState::starting;
  child.incarnation = ++state_.last_incarnation;
  act(supervision::Start{child.spec.id, child.incarnation, child.spec.arguments});
  if (child.spec.restart == Restart::temporary) {
    child.spec.arguments.reset();
  }
}

/// Asks a live child to end, and forgets about others.
void SupervisorStep::stop(Child& child) {
  if (!child.live()) {
    retire(child);
    return;
  }
  child.state = ChildState::stopping;
  ++state_.task->stopping;
  const Duration patience = shutdown_time(child.spec);
  if (patience == brutal_kill) {
    act(supervision::Kill{child.spec.id, child.incarnation});
    return;
  }
  act(supervision::RequestStop{child.spec.id, child.incarnation});
  const TimePoint end = deadline_after(state_.now, patience);
  if (end != TimePoint::max()) {
    set_timer(state_.kills, child, end);
  }
}

/// The child is down and stays so; the specification is kept where it may be started again. The
/// child may be gone afterwards.
void SupervisorStep::retire(Child& child) {
  clear_timer(state_.retries, child);
  child.state = ChildState::idle;
  child.dead = false;
  if (child.spec.restart == Restart::temporary || state_.simple()) {
    state_.erase(child.key);
  }
}

/// The task, if it awaits the child's start, needn't any more.
bool SupervisorStep::start_is_over(const Child& child) {
  const bool was_awaited = state_.task && state_.task->starting == child.key;
  if (was_awaited) {
    state_.task->starting.reset();
  }
  return was_awaited;
}

void SupervisorStep::stop_is_over(Child& child) {
  clear_timer(state_.kills, child);
  --state_.task->stopping;
  retire(child);
}

void SupervisorStep::start_failed(Child& child, const ExitReason& reason) {
  child.state = ChildState::idle;
  child.reason = reason;
  if (start_is_over(child)) {
    const SupervisorTask task = std::move(*state_.task);
    state_.task.reset();
    task_failed(task, child);
  } else if (shutting_down()) {
    retire(child); // would have been stopped later
  } else {
    try_again(child); // was restarted side by side with others
  }
}

void SupervisorStep::task_failed(const SupervisorTask& task, Child& child) {
  if (task.kind == TaskKind::initial) {
    const auto cause = supervision::EndCause::start_failed;
    shut_down({.cause = cause, .child = child.spec.id, .reason = child.reason});
  } else if (task.kind == TaskKind::restart) {
    try_again(child);
  } else {
    reply_start_failed(task, child);
  }
}

/// Drops what it is busy with, and ends.
void SupervisorStep::shut_down(supervision::Terminated end) {
  if (shutting_down()) {
    return;
  }
  refuse_waiting();
  SupervisorTask task{.kind = TaskKind::shutdown, .together = state_.simple()};
  task.end = std::move(end);
  for (auto& [key, child] : state_.children) {
    if (child.state == ChildState::stopping) {
      ++task.stopping;
    } else {
      task.stops.push_back(key);
    }
  }
  begin(std::move(task));
}

/// Answers those who made requests.
void SupervisorStep::refuse_waiting() {
  const auto turn_away = [this](RequestId request) {
    reply(request, supervision::Outcome::terminated);
  };
  if (state_.task && state_.task->request) {
    turn_away(*state_.task->request);
  }
  for (const supervision::Event& event : state_.mailbox) {
    std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.request; }) {
            turn_away(what.request);
          }
        },
        event);
  }
  state_.mailbox.clear();
}

} // namespace callboard::detail
