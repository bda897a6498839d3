// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: plays a script with a `Supervisor`, on virtual time.
#pragma once

#include "supervisor_script.hpp"

#include <map>

namespace callboard::script {

class Player {
public:
  explicit Player(const Script& script)
      : script_(script), supervisor_(script.spec, script.children) {}

  Outcome play() {
    for (const auto& [moment, event] : script_.requests) {
      agenda_.emplace(moment, event);
    }
    tell(supervision::Begin{}, beginning);
    while (!agenda_.empty()) {
      next();
    }
    for (const ChildInfo& child : supervisor_.children()) {
      outcome_.children.push_back(child.id);
    }
    return std::move(outcome_);
  }

  bool ended() const { return supervisor_.ended(); }

private:
  /// Whatever is due first: a tick, or something of the agenda.
  void next() {
    const TimePoint due = supervisor_.deadline();
    const auto first = agenda_.begin();
    if (due <= first->first.at) {
      tell(supervision::Tick{}, due);
      return;
    }
    const auto [moment, event] = *first;
    agenda_.erase(first);
    tell(event, moment.at);
  }

  void tell(const supervision::Event& event, TimePoint now) {
    now_ = now;
    for (const supervision::Action& action : supervisor_.handle(event, now)) {
      std::visit([this](const auto& what) { perform(what); }, action);
    }
  }

  void plan(Moment moment, supervision::Event event) { agenda_.emplace(moment, std::move(event)); }

  void plan_end(const std::string& id, Incarnation incarnation, TimePoint at, ExitReason reason) {
    plan({at, Moment::end, incarnation}, supervision::Exited{id, incarnation, reason});
  }

  void note(std::string what, const std::string& child = {}, std::uint64_t number = 0) {
    outcome_.actions.push_back({now_, std::move(what), child, number});
  }

  void perform(const supervision::Start& start) {
    note("start", start.id, start.incarnation);
    const Life life = life_of(script_, start.incarnation);
    const Moment moment{now_ + life.start_takes, Moment::outcome, start.incarnation};
    if (life.start == Life::failed) {
      plan(moment, supervision::StartFailed{start.id, start.incarnation, life.reason});
    } else if (life.start == Life::ignored) {
      plan(moment, supervision::Ignored{start.id, start.incarnation});
    } else {
      plan(moment, supervision::Started{start.id, start.incarnation});
      if (life.lasts != forever) {
        plan_end(start.id, start.incarnation, moment.at + life.lasts, life.reason);
      }
    }
  }

  void perform(const supervision::RequestStop& stop) {
    note("stop", stop.id, stop.incarnation);
    const Life life = life_of(script_, stop.incarnation);
    plan_end(stop.id, stop.incarnation, now_ + life.stop_takes, {.kind = ExitKind::shutdown});
  }

  void perform(const supervision::Kill& kill) {
    note("kill", kill.id, kill.incarnation);
    plan_end(kill.id, kill.incarnation, now_ + tick, {.kind = ExitKind::abnormal});
  }

  void perform(const supervision::Ready&) { note("ready"); }

  void perform(const supervision::GaveUp& gave_up) { note("gave up", gave_up.id); }

  void perform(const supervision::Terminated& end) {
    note("terminated", end.child, static_cast<std::uint64_t>(end.cause));
  }

  void perform(const supervision::Reply& reply) {
    const std::string what =
        std::string(to_string(reply.outcome)) + " " + std::to_string(reply.incarnation.value_or(0));
    outcome_.replies.push_back({now_, what, reply.id, reply.request});
  }

  const Script& script_;
  Supervisor supervisor_;
  std::multimap<Moment, supervision::Event> agenda_{};
  TimePoint now_ = beginning;
  Outcome outcome_{};
};

} // namespace callboard::script
