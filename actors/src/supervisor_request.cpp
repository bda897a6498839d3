// SPDX-License-Identifier: Apache-2.0
// Requests at run time, with OTP's answers.
#include "supervisor_step.hpp"

#include <fmt/format.h>

namespace callboard::detail {

using supervision::Outcome;

void SupervisorStep::reply(RequestId request, Outcome outcome, const std::string& id) {
  act(supervision::Reply{.request = request, .outcome = outcome, .id = id});
}

void SupervisorStep::reply_done(const SupervisorTask& task) {
  supervision::Reply reply{.request = *task.request, .id = task.id};
  const Child* child = state_.find(task.id);
  if (child != nullptr && child->state == ChildState::running) {
    reply.incarnation = child->incarnation;
  }
  act(std::move(reply));
}

void SupervisorStep::refuse(RequestId request, const std::string& id, std::string text) {
  act(supervision::Reply{
      .request = request,
      .outcome = Outcome::bad_spec,
      .id = id,
      .text = std::move(text),
  });
}

/// A child that was only to be added is forgotten.
void SupervisorStep::reply_start_failed(const SupervisorTask& task, const Child& child) {
  supervision::Reply reply{.request = *task.request, .outcome = Outcome::start_failed};
  reply.id = task.id;
  reply.text = to_string(child.reason);
  act(std::move(reply));
  if (task.kind == TaskKind::start_child) {
    state_.erase(child.key);
  }
}

void SupervisorStep::begin_start(TaskKind kind, ChildKey child, RequestId request) {
  begin({
      .kind = kind,
      .starts = {child},
      .request = request,
      .id = state_.children.at(child).spec.id,
  });
}

void SupervisorStep::reply_present(RequestId request, const Child& child) {
  supervision::Reply reply{.request = request, .outcome = Outcome::already_present};
  reply.id = child.spec.id;
  if (child.state >= ChildState::starting) {
    reply.outcome = Outcome::already_started;
    reply.incarnation = child.incarnation;
  }
  act(std::move(reply));
}

void SupervisorStep::answer(const supervision::StartChild& request) {
  const Child* present = state_.find(request.child.id);
  const Result<void> checked = check(state_.spec, request.child);
  if (state_.simple()) {
    reply(request.request, Outcome::simple_one_for_one, request.child.id);
  } else if (!checked) {
    refuse(request.request, request.child.id, checked.error().message);
  } else if (present != nullptr) {
    reply_present(request.request, *present);
  } else {
    begin_start(TaskKind::start_child, state_.add(request.child), request.request);
  }
}

void SupervisorStep::answer(const supervision::StartInstance& request) {
  if (!state_.simple()) {
    refuse(request.request, {}, "only simple_one_for_one has instances; add a child instead");
    return;
  }
  ChildSpec child = *state_.prototype;
  child.id = fmt::format("{}/{}", child.id, state_.next_instance++);
  if (request.arguments.has_value()) {
    child.arguments = request.arguments;
  }
  begin_start(TaskKind::start_child, state_.add(std::move(child)), request.request);
}

/// Whether there was such an instance; all have been numbered in order.
bool SupervisorStep::was_instance(const std::string& id) const {
  const std::string prefix = state_.prototype->id + "/";
  if (id.compare(0, prefix.size(), prefix) != 0) {
    return false;
  }
  const std::uint64_t number = std::strtoull(id.c_str() + prefix.size(), nullptr, 10);
  return number < state_.next_instance && id == prefix + std::to_string(number);
}

/// Ids are the instances' own; OTP knows them by pid, and takes the end of one that has ended for
/// done.
Outcome SupervisorStep::absent(const std::string& id) const {
  if (!state_.simple()) {
    return Outcome::not_found;
  }
  if (id == state_.prototype->id) {
    return Outcome::simple_one_for_one;
  }
  return was_instance(id) ? Outcome::ok : Outcome::not_found;
}

void SupervisorStep::answer(const supervision::TerminateChild& request) {
  const Child* child = state_.find(request.id);
  if (child == nullptr) {
    reply(request.request, absent(request.id), request.id);
    return;
  }
  begin({
      .kind = TaskKind::terminate_child,
      .stops = {child->key},
      .request = request.request,
      .id = request.id,
  });
}

/// The outcome for requests that need a child that is down; ok if it is.
Outcome SupervisorStep::down(const std::string& id) const {
  if (state_.simple()) {
    return Outcome::simple_one_for_one;
  }
  const Child* child = state_.find(id);
  if (child == nullptr) {
    return Outcome::not_found;
  }
  switch (child->state) {
  case ChildState::idle: return Outcome::ok;
  case ChildState::restarting: return Outcome::restarting;
  default: return Outcome::running;
  }
}

void SupervisorStep::answer(const supervision::RestartChild& request) {
  const Outcome outcome = down(request.id);
  if (outcome == Outcome::ok) {
    begin_start(TaskKind::restart_child, state_.find(request.id)->key, request.request);
  } else {
    reply(request.request, outcome, request.id);
  }
}

void SupervisorStep::answer(const supervision::DeleteChild& request) {
  const Outcome outcome = down(request.id);
  if (outcome == Outcome::ok) {
    state_.erase(state_.find(request.id)->key);
  }
  reply(request.request, outcome, request.id);
}

void SupervisorStep::keep(Child child) {
  child.key = state_.next_key++;
  if (child.state == ChildState::restarting) {
    state_.retries.emplace(child.timer.first, child.timer.second, child.key);
  }
  state_.keys.emplace(child.spec.id, child.key);
  state_.children.emplace(child.key, std::move(child));
}

void SupervisorStep::replace(const std::vector<ChildSpec>& specs) {
  if (state_.simple()) {
    state_.prototype = specs.front();
    for (auto& [key, child] : state_.children) {
      ChildSpec old = std::exchange(child.spec, specs.front());
      child.spec.id = std::move(old.id);
      child.spec.arguments = std::move(old.arguments);
    }
    return;
  }
  std::map<ChildKey, Child> old = std::exchange(state_.children, {});
  const std::unordered_map<std::string, ChildKey> keys = std::exchange(state_.keys, {});
  state_.retries.clear();
  for (const ChildSpec& spec : specs) {
    const auto key = keys.find(spec.id);
    Child child = key == keys.end() ? Child() : std::move(old.extract(key->second).mapped());
    child.spec = spec;
    keep(std::move(child));
  }
  for (auto& [key, child] : old) {
    keep(std::move(child));
  }
}

} // namespace callboard::detail
