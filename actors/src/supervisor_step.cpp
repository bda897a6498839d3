// SPDX-License-Identifier: Apache-2.0
#include "supervisor_step.hpp"

namespace callboard::detail {

supervision::Actions SupervisorStep::handle(const supervision::Event& event) {
  std::visit([this](const auto& what) { take(what); }, event);
  settle();
  return std::move(actions_);
}

/// Does all that can be done without another event.
void SupervisorStep::settle() {
  kill_overdue();
  while (state_.phase == SupervisorPhase::working) {
    if (!(state_.task ? advance() : next_from_mailbox() || next_retry())) {
      return;
    }
  }
}

/// The child that the event is about; null if that incarnation is not the present one.
Child* SupervisorStep::awaited(const std::string& id, Incarnation incarnation) {
  Child* child = state_.find(id);
  return child != nullptr && child->live() && child->incarnation == incarnation ? child : nullptr;
}

void SupervisorStep::take(const supervision::Begin&) {
  if (state_.phase != SupervisorPhase::fresh) {
    return;
  }
  state_.phase = SupervisorPhase::working;
  SupervisorTask task{.kind = TaskKind::initial};
  for (auto child = state_.children.rbegin(); child != state_.children.rend(); ++child) {
    task.starts.push_back(child->first);
  }
  begin(std::move(task));
}

void SupervisorStep::take(const supervision::Started& event) {
  Child* child = awaited(event.id, event.incarnation);
  if (child != nullptr && child->state == ChildState::starting) {
    child->state = ChildState::running;
    child->up_since = state_.now;
    child->failed_starts = 0;
    start_is_over(*child);
  }
}

void SupervisorStep::take(const supervision::Ignored& event) {
  Child* child = awaited(event.id, event.incarnation);
  if (child == nullptr) {
    return;
  }
  if (child->state == ChildState::starting) {
    start_is_over(*child);
    retire(*child);
  } else if (child->state == ChildState::stopping) {
    stop_is_over(*child);
  }
}

void SupervisorStep::take(const supervision::StartFailed& event) {
  Child* child = awaited(event.id, event.incarnation);
  if (child == nullptr) {
    return;
  }
  if (child->state == ChildState::starting) {
    start_failed(*child, event.reason);
  } else if (child->state == ChildState::stopping) {
    stop_is_over(*child);
  }
}

void SupervisorStep::take(const supervision::Exited& event) {
  Child* child = awaited(event.id, event.incarnation);
  if (child == nullptr) {
    return;
  }
  if (child->state != ChildState::running) {
    take(supervision::StartFailed{event.id, event.incarnation, event.reason});
    return;
  }
  child->dead = true;
  child->reason = event.reason;
  state_.mailbox.emplace_back(event);
}

void SupervisorStep::take(const supervision::Stop&) {
  if (state_.phase != SupervisorPhase::ended) {
    state_.phase = SupervisorPhase::working;
    shut_down({.reason = {.kind = ExitKind::shutdown}});
  }
}

/// Requests wait until there is time for them.
template <class Request>
void SupervisorStep::take(const Request& request) {
  if (shutting_down() || state_.phase == SupervisorPhase::ended) {
    reply(request.request, supervision::Outcome::terminated);
  } else {
    state_.mailbox.emplace_back(request);
  }
}

bool SupervisorStep::next_from_mailbox() {
  if (state_.mailbox.empty()) {
    return false;
  }
  const supervision::Event event = std::move(state_.mailbox.front());
  state_.mailbox.pop_front();
  std::visit([this](const auto& what) { answer(what); }, event);
  return true;
}

void SupervisorStep::answer(const supervision::Exited& event) {
  Child* child = state_.find(event.id);
  // Not dead: its end was forgotten, since it was stopped for a sibling's sake.
  if (child != nullptr && child->dead && child->incarnation == event.incarnation) {
    child->dead = false;
    ended(*child);
  }
}

bool SupervisorStep::next_retry() {
  if (state_.retries.empty() || std::get<0>(*state_.retries.begin()) > state_.now) {
    return false;
  }
  Child& child = state_.children.at(std::get<2>(*state_.retries.begin()));
  clear_timer(state_.retries, child);
  child.state = ChildState::idle;
  restart(child);
  return true;
}

void SupervisorStep::kill_overdue() {
  while (!state_.kills.empty() && std::get<0>(*state_.kills.begin()) <= state_.now) {
    Child& child = state_.children.at(std::get<2>(*state_.kills.begin()));
    clear_timer(state_.kills, child);
    act(supervision::Kill{child.spec.id, child.incarnation});
  }
}

void SupervisorStep::set_timer(Timers& timers, Child& child, TimePoint at) {
  child.timer = {at, ++state_.last_timer};
  timers.emplace(at, state_.last_timer, child.key);
}

/// Does nothing if it is not set.
void SupervisorStep::clear_timer(Timers& timers, Child& child) {
  timers.erase({child.timer.first, child.timer.second, child.key});
}

} // namespace callboard::detail
