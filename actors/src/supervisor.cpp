// SPDX-License-Identifier: Apache-2.0
#include "supervisor_step.hpp"

#include <callboard/supervisor.hpp>

#include <algorithm>

namespace callboard {
namespace detail {

Child* SupervisorState::find(const std::string& id) {
  const auto key = keys.find(id);
  return key == keys.end() ? nullptr : &children.at(key->second);
}

const Child* SupervisorState::find(const std::string& id) const {
  const auto key = keys.find(id);
  return key == keys.end() ? nullptr : &children.at(key->second);
}

ChildKey SupervisorState::add(ChildSpec child) {
  const ChildKey key = next_key++;
  keys.emplace(child.id, key);
  children.emplace(key, Child{.key = key, .spec = std::move(child)});
  return key;
}

void SupervisorState::erase(ChildKey key) {
  const auto child = children.find(key);
  keys.erase(child->second.spec.id);
  children.erase(child);
}

} // namespace detail

namespace {

ChildInfo info_of(const detail::Child& child) {
  ChildInfo info{.id = child.spec.id, .kind = child.spec.kind, .state = child.state};
  if (child.live()) {
    info.incarnation = child.incarnation;
  }
  return info;
}

Error not_now(const char* message) {
  return {.code = Code::failed_precondition, .message = message};
}

} // namespace

Supervisor::Supervisor(SupervisorSpec spec, std::vector<ChildSpec> children) {
  check(spec, children).value();
  state_.spec = spec;
  if (state_.simple()) {
    state_.prototype = std::move(children.front());
    return;
  }
  for (ChildSpec& child : children) {
    state_.add(std::move(child));
  }
}

supervision::Actions Supervisor::handle(const supervision::Event& event, TimePoint now) {
  state_.now = std::max(state_.now, now);
  return detail::SupervisorStep(state_).handle(event);
}

TimePoint Supervisor::deadline() const {
  TimePoint due = TimePoint::max();
  if (!state_.kills.empty()) {
    due = std::get<0>(*state_.kills.begin());
  }
  if (!state_.task && !state_.retries.empty()) {
    due = std::min(due, std::get<0>(*state_.retries.begin()));
  }
  return due;
}

std::vector<ChildInfo> Supervisor::children() const {
  std::vector<ChildInfo> all;
  all.reserve(state_.children.size());
  for (const auto& [key, child] : state_.children) {
    all.push_back(info_of(child));
  }
  return all;
}

std::optional<ChildInfo> Supervisor::child(const std::string& id) const {
  const detail::Child* found = state_.find(id);
  return found == nullptr ? std::nullopt : std::optional(info_of(*found));
}

ChildCounts Supervisor::count_children() const {
  ChildCounts counts{.specs = state_.simple() ? 1 : state_.children.size()};
  for (const auto& [key, child] : state_.children) {
    const bool up = child.state == ChildState::running || child.state == ChildState::stopping;
    counts.active += up && child.live() ? 1 : 0;
    ++(child.spec.kind == ChildKind::worker ? counts.workers : counts.supervisors);
  }
  return counts;
}

const ChildSpec* Supervisor::child_spec(const std::string& id) const {
  if (state_.prototype && state_.prototype->id == id) {
    return &*state_.prototype;
  }
  const detail::Child* found = state_.find(id);
  return found == nullptr ? nullptr : &found->spec;
}

Result<void> Supervisor::change(SupervisorSpec spec, const std::vector<ChildSpec>& children) {
  if (Result<void> checked = check(spec, children); !checked) {
    return checked;
  }
  if (state_.task || state_.phase == detail::SupervisorPhase::ended) {
    return not_now("the supervisor starts or stops children, or has ended; change it later");
  }
  if ((spec.strategy == Strategy::simple_one_for_one) != state_.simple()) {
    return not_now("simple_one_for_one can't become another strategy, nor another it");
  }
  state_.spec = spec;
  detail::SupervisorStep(state_).replace(children);
  return {};
}

} // namespace callboard
