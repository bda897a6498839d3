// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: supervisors with children, on virtual time. Children do what the test says, in the
/// moment in which it is due; supervisors may be children of others.
#pragma once

#include <callboard/supervisor.hpp>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace callboard {

class Family;

/// Time, and what is due.
class World {
public:
  TimePoint now() const { return now_; }

  /// `act` will be done after `delay`, after all that was to be done at that time before.
  void later(Duration delay, std::function<void()> act) {
    agenda_.emplace(detail::deadline_after(now_, delay), std::move(act));
  }

  /// Lets time pass, and all happen that is due by then.
  inline void advance(Duration by);
  /// Lets all happen that is due now.
  void settle() { advance(Duration::zero()); }

private:
  friend class Family;

  TimePoint now_{std::chrono::hours(1)};
  std::multimap<TimePoint, std::function<void()>> agenda_{};
  std::set<Family*> families_{};
};

/// What a child does when it is started; a test sets it before.
struct Conduct {
  enum Start { up, ignored, failed, hangs };

  Start start = up;
  Duration start_takes{};
  bool deaf = false; ///< doesn't end when it is asked to
  Duration stop_takes{};
  ExitReason stop_reason{.kind = ExitKind::shutdown};
  std::function<std::shared_ptr<Family>()> make_family{}; ///< it is a supervisor
};

/// One supervisor with its children.
class Family : public std::enable_shared_from_this<Family> {
public:
  Family(World& world, SupervisorSpec spec, std::vector<ChildSpec> children = {})
      : world_(world), supervisor_(std::move(spec), std::move(children)) {
    world_.families_.insert(this);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() { world_.families_.erase(this); }

  void tell(const supervision::Event& event) {
    for (const supervision::Action& action : supervisor_.handle(event, world_.now())) {
      std::visit([this](const auto& what) { perform(what); }, action);
    }
  }

  /// Starts, without waiting.
  void begin() { tell(supervision::Begin{}); }

  /// The child ends now, and what follows happens.
  void end(const std::string& id, ExitReason reason) {
    ASSERT_NE(incarnation(id), 0U) << id << " isn't live";
    tell(supervision::Exited{id, incarnation(id), std::move(reason)});
    world_.settle();
  }

  /// The child, a supervisor, ends by force, and all below it with it.
  void crash(const std::string& id) {
    families_.erase(id);
    end(id, {.text = "killed"});
  }

  /// A request and its answer, which has to come at once.
  template <class Request>
  supervision::Reply ask(Request request) {
    request.request = ++last_request;
    tell(request);
    world_.settle();
    return replies.at(request.request);
  }

  supervision::Reply start_child(ChildSpec child) {
    return ask(supervision::StartChild{.child = std::move(child)});
  }
  supervision::Reply start_instance(std::any given = {}) {
    return ask(supervision::StartInstance{.arguments = std::move(given)});
  }
  supervision::Outcome terminate_child(const std::string& id) {
    return ask(supervision::TerminateChild{.id = id}).outcome;
  }
  supervision::Reply restart_child(const std::string& id) {
    return ask(supervision::RestartChild{.id = id});
  }
  supervision::Outcome delete_child(const std::string& id) {
    return ask(supervision::DeleteChild{.id = id}).outcome;
  }

  /// 0 if the child isn't live.
  Incarnation incarnation(const std::string& id) const {
    const std::optional<ChildInfo> child = supervisor_.child(id);
    return child ? child->incarnation.value_or(0) : 0;
  }

  /// "a b- c~": in the order of start; '-' marks those that are down, '~' those to be restarted.
  std::string children() const {
    std::string text;
    for (const ChildInfo& child : supervisor_.children()) {
      text += (text.empty() ? "" : " ") + child.id;
      text += child.state == ChildState::restarting ? "~" : child.incarnation ? "" : "-";
    }
    return text;
  }

  /// As OTP's suite writes it: specs, active, supervisors, workers.
  std::array<std::size_t, 4> counts() const {
    const ChildCounts counts = supervisor_.count_children();
    return {counts.specs, counts.active, counts.supervisors, counts.workers};
  }

  /// All that was done since the last call: "start a, stop b, kill c, ready".
  std::string done() { return std::exchange(done_, {}); }

  Family& family(const std::string& id) { return *families_.at(id); }
  const Supervisor& supervisor() const { return supervisor_; }
  Result<void> change(SupervisorSpec spec, const std::vector<ChildSpec>& children) {
    return supervisor_.change(std::move(spec), children);
  }

  std::map<std::string, Conduct> conduct{};
  std::map<std::string, std::any> arguments{}; ///< last given to each child
  std::map<RequestId, supervision::Reply> replies{};
  std::optional<supervision::Terminated> terminated{};
  std::vector<std::string> given_up{};
  std::function<void()> when_ready = [] {};
  std::function<void(const supervision::Terminated&)> when_terminated = [](const auto&) {};
  RequestId last_request = 0;

private:
  friend class World;

  void note(const std::string& what) { done_ += (done_.empty() ? "" : ", ") + what; }

  /// Unless the family is gone by then, as when it was killed.
  void tell_later(Duration delay, supervision::Event event) {
    world_.later(delay, [weak = weak_from_this(), event = std::move(event)] {
      if (const std::shared_ptr<Family> self = weak.lock()) {
        self->tell(event);
      }
    });
  }

  void perform(const supervision::Start& start) {
    note("start " + start.id);
    arguments[start.id] = start.arguments;
    const Conduct& child = conduct[start.id];
    if (child.make_family) {
      start_family(start, child.make_family());
      return;
    }
    switch (child.start) {
    case Conduct::up:
      tell_later(child.start_takes, supervision::Started{start.id, start.incarnation});
      break;
    case Conduct::ignored:
      tell_later(child.start_takes, supervision::Ignored{start.id, start.incarnation});
      break;
    case Conduct::failed:
      tell_later(
          child.start_takes,
          supervision::StartFailed{start.id, start.incarnation, {.text = "cannot start"}});
      break;
    case Conduct::hangs: break;
    }
  }

  void start_family(const supervision::Start& start, std::shared_ptr<Family> family) {
    const std::string id = start.id;
    const Incarnation incarnation = start.incarnation;
    family->when_ready = [this, id, incarnation] {
      tell_later({}, supervision::Started{id, incarnation});
    };
    family->when_terminated = [this, id, incarnation](const supervision::Terminated& end) {
      tell_later({}, supervision::Exited{id, incarnation, exit_reason(end)});
    };
    families_[id] = family;
    family->begin();
  }

  void perform(const supervision::RequestStop& stop) {
    note("stop " + stop.id);
    const Conduct& child = conduct[stop.id];
    if (child.make_family) {
      families_.at(stop.id)->tell(supervision::Stop{});
    } else if (!child.deaf) {
      tell_later(
          child.stop_takes, supervision::Exited{stop.id, stop.incarnation, child.stop_reason});
    }
  }

  /// A supervisor's children end with it, as processes that are linked.
  void perform(const supervision::Kill& kill) {
    note("kill " + kill.id);
    families_.erase(kill.id);
    tell_later({}, supervision::Exited{kill.id, kill.incarnation, {.text = "killed"}});
  }

  void perform(const supervision::Ready&) {
    note("ready");
    when_ready();
  }

  void perform(const supervision::Reply& reply) { replies[reply.request] = reply; }

  void perform(const supervision::GaveUp& gave_up) { given_up.push_back(gave_up.id); }

  void perform(const supervision::Terminated& end) {
    note("end");
    terminated = end;
    when_terminated(end);
  }

  World& world_;
  Supervisor supervisor_;
  std::map<std::string, std::shared_ptr<Family>> families_{};
  std::string done_{};
};

inline void World::advance(Duration by) {
  const TimePoint until = now_ + by;
  while (true) {
    TimePoint next = agenda_.empty() ? TimePoint::max() : agenda_.begin()->first;
    Family* due = nullptr;
    for (Family* family : families_) {
      if (family->supervisor().deadline() < next) {
        next = family->supervisor().deadline();
        due = family;
      }
    }
    if (next > until) {
      break;
    }
    now_ = std::max(now_, next);
    if (due != nullptr) {
      due->tell(supervision::Tick{});
    } else {
      const std::function<void()> act = std::move(agenda_.begin()->second);
      agenda_.erase(agenda_.begin());
      act();
    }
  }
  now_ = until;
}

} // namespace callboard
