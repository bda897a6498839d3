// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: what OTP's supervisor does with a script, written the way its process runs. It blocks
/// while a child starts or stops, reads its mailbox in between, and looks for limits through its
/// whole past. Independent of `Supervisor`, but for the types that scripts are made of.
#pragma once

#include "supervisor_script.hpp"

#include <algorithm>
#include <list>

namespace callboard::script {

class Model {
public:
  explicit Model(const Script& script) : script_(script), spec_(script.spec) {
    for (const ChildSpec& child : script.children) {
      if (!simple()) {
        members_.push_back({.spec = child});
      }
    }
  }

  Outcome play() {
    for (const auto& [moment, event] : script_.requests) {
      mailbox_.push_back({moment, event});
    }
    stop_ = mailbox_.back().first;
    try {
      run();
    } catch (const End& end) {
      close(end);
    }
    for (const Member& member : members_) {
      outcome_.children.push_back(member.spec.id);
    }
    return std::move(outcome_);
  }

private:
  enum Where { down, restarting, starting, up, stopping };

  struct Member {
    ChildSpec spec;
    Where where = down;
    Incarnation incarnation = 0;
    TimePoint started_at{};                 ///< when its start began
    Moment end = never;                     ///< when it ends, the way things are
    TimePoint killed_at = TimePoint::max(); ///< while it stops
    TimePoint retry_at{};
    std::uint64_t retry_number = 0;
    ExitReason reason{};
    int failures = 0;
    int failed_starts = 0;
    std::vector<TimePoint> restarts{}; ///< all its restarts that count
  };
  using Place = std::list<Member>::iterator;

  struct End {
    supervision::EndCause cause;
    std::string child;
    TimePoint at;
  };

  bool simple() const { return spec_.strategy == Strategy::simple_one_for_one; }
  TimePoint now() const { return clock_.at; }

  [[noreturn]] void end(supervision::EndCause cause, const Member& member) {
    throw End{cause, member.spec.id, now()};
  }

  void note(TimePoint at, std::string what, const std::string& id = {}, std::uint64_t n = 0) {
    outcome_.actions.push_back({at, std::move(what), id, n});
  }

  void answer(RequestId request, const std::string& text, const std::string& id, TimePoint at) {
    outcome_.replies.push_back({at, text, id, request});
  }

  // --- the process
  // --------------------------------------------------------------------------------

  void run() {
    for (Place member = members_.begin(); member != members_.end();) {
      const Place child = member++;
      if (start(child) == Life::failed) {
        end(supervision::EndCause::start_failed, *child);
      }
    }
    note(now(), "ready");
    while (true) {
      receive();
    }
  }

  /// Handles the next message: first those that are there, then a restart that is due.
  void receive() {
    const Place dead = earliest([](const Member& m) { return death(m); });
    const Place retry = earliest([](const Member& m) { return due(m); });
    const Moment dies = dead == members_.end() ? never : death(*dead);
    const Moment retries = retry == members_.end() ? never : due(*retry);
    const Moment mail = std::min(dies, mailbox_.front().first);
    if (mail > clock_ && retries > clock_) {
      clock_ = std::min(mail, retries);
    }
    if (mail > clock_) {
      retry->where = down;
      restart(retry);
    } else if (mail == dies) {
      handle_death(dead);
    } else {
      handle_request();
    }
  }

  static Moment death(const Member& member) { return member.where == up ? member.end : never; }

  static Moment due(const Member& member) {
    return member.where == restarting ? Moment{member.retry_at, Moment::timer, 0} : never;
  }

  template <class When>
  Place earliest(When when) {
    return std::min_element(members_.begin(), members_.end(), [&](const auto& a, const auto& b) {
      return std::pair(when(a), a.retry_number) < std::pair(when(b), b.retry_number);
    });
  }

  // --- starting and stopping, which block
  // ---------------------------------------------------------

  /// A stop that comes before the outcome ends the wait, and the supervisor.
  Life::Start start(Place member) {
    const Life life = begin_start(*member);
    const Moment outcome{now() + life.start_takes, Moment::outcome, member->incarnation};
    if (stop_ < outcome) {
      clock_ = stop_;
      throw End{supervision::EndCause::stopped, "", stop_.at};
    }
    clock_ = outcome;
    member->where = life.start == Life::up ? up : down;
    if (life.start == Life::up) {
      member->failed_starts = 0;
    } else if (life.start == Life::ignored) {
      remove_unless_kept(member);
    } else {
      member->reason = life.reason;
    }
    return life.start;
  }

  Life begin_start(Member& member) {
    member.where = starting;
    member.incarnation = ++incarnations_;
    member.started_at = now();
    note(now(), "start", member.spec.id, member.incarnation);
    const Life life = life_of(script_, member.incarnation);
    member.end = {now() + life.start_takes, Moment::outcome, member.incarnation};
    if (life.start == Life::up) {
      const TimePoint at = life.lasts == forever ? TimePoint::max() : member.end.at + life.lasts;
      member.end = {at, Moment::end, member.incarnation};
    }
    return life;
  }

  bool alive(const Member& member) const {
    return (member.where == up || member.where == starting || member.where == stopping)
        && member.end > clock_;
  }

  void remove_unless_kept(Place member) {
    member->where = down;
    if (member->spec.restart == Restart::temporary || simple()) {
      members_.erase(member);
    }
  }

  /// Stops a child and waits for its end.
  void stop(Place member) {
    if (alive(*member)) {
      ask(*member);
      if (stop_ < member->end) {
        clock_ = stop_;
        throw End{supervision::EndCause::stopped, "", stop_.at};
      }
      see_end(*member);
    }
    remove_unless_kept(member);
  }

  void ask(Member& member) {
    member.where = stopping;
    const Duration patience = member.spec.shutdown.value();
    member.killed_at = patience == forever ? TimePoint::max() : now() + patience;
    if (patience == brutal_kill) {
      note(now(), "kill", member.spec.id, member.incarnation);
      member.end = std::min(member.end, {now() + tick, Moment::end, member.incarnation});
      member.killed_at = TimePoint::max();
      return;
    }
    note(now(), "stop", member.spec.id, member.incarnation);
    const Life life = life_of(script_, member.incarnation);
    member.end = std::min(member.end, {now() + life.stop_takes, Moment::end, member.incarnation});
    if (member.end.at >= member.killed_at) {
      member.end = std::min(member.end, {member.killed_at + tick, Moment::end, member.incarnation});
    } else {
      member.killed_at = TimePoint::max();
    }
  }

  void note_kill(const Member& member) {
    if (member.killed_at != TimePoint::max()) {
      note(member.killed_at, "kill", member.spec.id, member.incarnation);
    }
  }

  void see_end(Member& member) {
    note_kill(member);
    clock_ = std::max(clock_, member.end);
  }

  // --- ends
  // ---------------------------------------------------------------------------------------

  void handle_death(Place member) {
    const Life life = life_of(script_, member->incarnation);
    member->reason = life.reason;
    member->where = down;
    const bool planned = life.reason.kind != ExitKind::abnormal;
    const Restart type = member->spec.restart;
    if (type == Restart::temporary || (type == Restart::transient && planned)) {
      const Member last = *member;
      remove_unless_kept(member);
      shut_down_by_itself(last);
      return;
    }
    const TimePoint up_since = member->started_at + life.start_takes;
    if (spec_.backoff && now() - up_since >= spec_.backoff->healthy) {
      member->failures = 0;
    }
    ++member->failures;
    if (spec_.backoff) {
      wait(member, delay(*member));
    } else {
      restart(member);
    }
  }

  void shut_down_by_itself(const Member& last) {
    if (!last.spec.significant || spec_.auto_shutdown == AutoShutdown::never) {
      return;
    }
    const bool others = std::any_of(members_.begin(), members_.end(), [](const Member& member) {
      return member.spec.significant && member.where != down;
    });
    if (spec_.auto_shutdown == AutoShutdown::any_significant || !others) {
      end(supervision::EndCause::auto_shutdown, last);
    }
  }

  Duration delay(const Member& member) const {
    Duration delay = spec_.backoff->initial;
    for (int i = 1; i < member.failures; ++i) {
      delay = std::min(2 * delay, spec_.backoff->maximum);
    }
    return std::min(delay, spec_.backoff->maximum);
  }

  void wait(Place member, Duration delay) {
    member->where = restarting;
    member->retry_at = now() + delay;
    member->retry_number = ++retries_;
    if (delay > Duration::zero()) {
      for (const std::string& id : group(*member)) {
        if (id != member->spec.id) {
          stop(find(id));
        }
      }
    }
  }

  /// Those that go with the child, the last one first.
  std::vector<std::string> group(const Member& child) const {
    std::vector<std::string> ids;
    const bool all = spec_.strategy == Strategy::one_for_all;
    if (!all && spec_.strategy != Strategy::rest_for_one) {
      return {child.spec.id};
    }
    for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
      ids.push_back(member->spec.id);
      if (!all && member->spec.id == child.spec.id) {
        break;
      }
    }
    return ids;
  }

  void restart(Place member) {
    if (member->reason.counted && too_many(*member)) {
      give_up(member, supervision::EndCause::intensity_reached);
      return;
    }
    std::vector<std::string> ids = group(*member);
    for (const std::string& id : ids) {
      if (id != member->spec.id) {
        stop(find(id));
      }
    }
    std::reverse(ids.begin(), ids.end());
    for (const std::string& id : ids) {
      const Place next = find(id);
      if (next != members_.end() && start(next) == Life::failed) {
        failed_again(next);
        return;
      }
    }
  }

  bool too_many(Member& member) {
    const RestartLimit limit =
        member.spec.limit.value_or(RestartLimit{spec_.intensity, spec_.period});
    std::vector<TimePoint>& restarts = member.spec.limit ? member.restarts : restarts_;
    restarts.push_back(now());
    const TimePoint since = now() - limit.period;
    return std::count_if(
               restarts.begin(), restarts.end(), [&](TimePoint at) { return at >= since; })
        > limit.intensity;
  }

  void failed_again(Place member) {
    ++member->failures;
    ++member->failed_starts;
    if (spec_.max_failed_starts && member->failed_starts > *spec_.max_failed_starts) {
      give_up(member, supervision::EndCause::failed_starts);
      return;
    }
    wait(member, spec_.backoff ? delay(*member) : Duration::zero());
  }

  void give_up(Place member, supervision::EndCause cause) {
    if (member->spec.exhausted == Exhausted::end_supervisor) {
      end(cause, *member);
    }
    note(now(), "gave up", member->spec.id);
    member->failed_starts = 0;
    remove_unless_kept(member);
  }

  // --- requests
  // -----------------------------------------------------------------------------------

  Place find(const std::string& id) {
    return std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
      return member.spec.id == id;
    });
  }

  void handle_request() {
    const auto [moment, event] = mailbox_.front();
    if (std::holds_alternative<supervision::Stop>(event)) {
      throw End{supervision::EndCause::stopped, "", now()};
    }
    std::visit(
        [this](const auto& what) { handle(what); }, event); // is refused if it doesn't return
    mailbox_.erase(mailbox_.begin());
  }

  template <class Other>
  void handle(const Other&) {}

  void handle(const supervision::StartChild& request) {
    const Place present = find(request.child.id);
    if (simple()) {
      answer(request.request, "simple_one_for_one 0", request.child.id, now());
    } else if (present != members_.end()) {
      const std::string up_as = "already_started " + std::to_string(present->incarnation);
      const std::string text = present->where == up ? up_as : "already_present 0";
      answer(request.request, text, request.child.id, now());
    } else {
      add(request.child, request.request);
    }
  }

  void handle(const supervision::StartInstance& request) {
    if (!simple()) {
      answer(request.request, "bad_spec 0", "", now());
      return;
    }
    ChildSpec child = script_.children.front();
    child.id += "/" + std::to_string(instances_++);
    add(child, request.request);
  }

  void add(const ChildSpec& child, RequestId request) {
    members_.push_back({.spec = child});
    start_for(request, std::prev(members_.end()), true);
  }

  void start_for(RequestId request, Place member, bool is_new) {
    const std::string id = member->spec.id;
    const Life::Start outcome = start(member);
    if (outcome == Life::failed) {
      answer(request, "start_failed 0", id, now());
      if (is_new) {
        members_.erase(member);
      }
      return;
    }
    const std::string incarnation = outcome == Life::up ? std::to_string(incarnations_) : "0";
    answer(request, "ok " + incarnation, id, now());
  }

  void handle(const supervision::TerminateChild& request) {
    const Place member = find(request.id);
    if (member != members_.end()) {
      stop(member);
    }
    const bool known = member != members_.end() || was_instance(request.id);
    answer(request.request, known ? "ok 0" : "not_found 0", request.id, now());
  }

  bool was_instance(const std::string& id) const {
    for (std::uint64_t i = 0; i < instances_; ++i) {
      if (id == script_.children.front().id + "/" + std::to_string(i)) {
        return true;
      }
    }
    return false;
  }

  std::string obstacle(const Place& member) {
    if (simple()) {
      return "simple_one_for_one 0";
    }
    if (member == members_.end()) {
      return "not_found 0";
    }
    return member->where == down ? "" : member->where == restarting ? "restarting 0" : "running 0";
  }

  void handle(const supervision::RestartChild& request) {
    const Place member = find(request.id);
    if (const std::string text = obstacle(member); !text.empty()) {
      answer(request.request, text, request.id, now());
    } else {
      start_for(request.request, member, false);
    }
  }

  void handle(const supervision::DeleteChild& request) {
    const Place member = find(request.id);
    const std::string text = obstacle(member);
    if (text.empty()) {
      members_.erase(member);
    }
    answer(request.request, text.empty() ? "ok 0" : text, request.id, now());
  }

  // --- the end
  // ------------------------------------------------------------------------------------

  void close(const End& end) {
    for (const auto& [moment, event] : mailbox_) {
      refuse(event, std::max(moment.at, end.at));
    }
    for (Place member = members_.begin(); member != members_.end();) {
      const Place next = std::next(member);
      if (member->where == stopping && !simple()) {
        see_end(*member);
        remove_unless_kept(member);
      }
      member = next;
    }
    simple() ? stop_together() : stop_in_order();
    note(now(), "terminated", end.child, static_cast<std::uint64_t>(end.cause));
  }

  void refuse(const supervision::Event& event, TimePoint at) {
    std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.request; }) {
            answer(what.request, "terminated 0", "", at);
          }
        },
        event);
  }

  void stop_in_order() {
    stop_ = never;
    std::vector<std::string> ids;
    for (const Member& member : members_) {
      ids.insert(ids.begin(), member.spec.id);
    }
    for (const std::string& id : ids) {
      stop(find(id));
    }
  }

  void stop_together() {
    std::vector<const Member*> asked;
    for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
      if (member->where == stopping) {
        asked.insert(asked.begin(), &*member); // before all others
      } else if (alive(*member)) {
        ask(*member);
        asked.push_back(&*member);
      }
    }
    std::stable_sort(asked.begin(), asked.end(), [](const Member* a, const Member* b) {
      return a->killed_at < b->killed_at;
    });
    for (const Member* member : asked) {
      note_kill(*member);
      clock_ = std::max(clock_, member->end);
    }
    members_.clear();
  }

  const Script& script_;
  const SupervisorSpec& spec_;
  std::list<Member> members_{};
  std::vector<std::pair<Moment, supervision::Event>> mailbox_{};
  Moment stop_{};
  Moment clock_{beginning};
  Outcome outcome_{};
  std::vector<TimePoint> restarts_{};
  Incarnation incarnations_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t instances_ = 0;
};

} // namespace callboard::script
