// SPDX-License-Identifier: Apache-2.0
// From the end of a child to its restart, or to the end of the supervisor.
#include "supervisor_step.hpp"

#include <algorithm>
#include <limits>

namespace callboard::detail {

void SupervisorStep::ended(Child& child) {
  const bool failed = child.reason.kind == ExitKind::abnormal;
  const Restart kind = child.spec.restart;
  if (kind == Restart::temporary || (kind == Restart::transient && !failed)) {
    const Child last = child;
    retire(child);
    shut_down_if_significant(last);
    return;
  }
  failed_again(child);
  if (state_.spec.backoff) {
    wait(child, wait_time(child));
  } else {
    restart(child);
  }
}

void SupervisorStep::shut_down_if_significant(const Child& child) {
  const AutoShutdown mode = state_.spec.auto_shutdown;
  const bool all = mode == AutoShutdown::all_significant;
  if (mode == AutoShutdown::never || !child.spec.significant || (all && significant_left())) {
    return;
  }
  shut_down({
      .cause = supervision::EndCause::auto_shutdown,
      .child = child.spec.id,
      .reason = child.reason,
  });
}

bool SupervisorStep::significant_left() const {
  return std::any_of(state_.children.begin(), state_.children.end(), [](const auto& entry) {
    return entry.second.spec.significant && entry.second.state != ChildState::idle;
  });
}

/// Counts for back-off; who ran long enough begins anew.
void SupervisorStep::failed_again(Child& child) {
  const bool was_up = child.state == ChildState::running;
  if (was_up && state_.spec.backoff
      && state_.now - child.up_since >= state_.spec.backoff->healthy) {
    child.failures = 0;
  }
  ++child.failures;
  child.state = ChildState::idle;
}

/// A restart has failed. The next attempt comes after all that waits in the mailbox, as in OTP.
void SupervisorStep::try_again(Child& child) {
  failed_again(child);
  const std::optional<int>& limit = state_.spec.max_failed_starts;
  if (++child.failed_starts > limit.value_or(std::numeric_limits<int>::max())) {
    exhausted(child, supervision::EndCause::failed_starts);
  } else {
    wait(child, wait_time(child));
  }
}

Duration SupervisorStep::wait_time(const Child& child) const {
  const std::optional<Backoff>& backoff = state_.spec.backoff;
  return backoff ? backoff_delay(*backoff, child.failures, child.incarnation) : Duration::zero();
}

/// Leaves the child down for a time; those that can't be without it are stopped meanwhile.
void SupervisorStep::wait(Child& child, Duration delay) {
  child.state = ChildState::restarting;
  set_timer(state_.retries, child, deadline_after(state_.now, delay));
  std::vector<ChildKey> others = companions(child);
  if (delay > Duration::zero() && !others.empty()) {
    begin({.kind = TaskKind::pause, .stops = std::move(others)});
  }
}

void SupervisorStep::restart(Child& child) {
  if (child.reason.counted && !admit(child)) {
    exhausted(child, supervision::EndCause::intensity_reached);
  } else if (state_.spec.restarts == Restarts::side_by_side) {
    start(child);
  } else {
    begin_restart(child);
  }
}

/// Stops those that go with the child and starts all of them, but for temporary ones.
void SupervisorStep::begin_restart(const Child& child) {
  SupervisorTask task{.kind = TaskKind::restart, .stops = companions(child), .starts = {child.key}};
  for (const ChildKey key : task.stops) {
    if (state_.children.at(key).spec.restart != Restart::temporary) {
      task.starts.push_back(key);
    }
  }
  std::sort(task.starts.rbegin(), task.starts.rend()); // the first one last
  begin(std::move(task));
}

/// The others that are stopped and started when the child is restarted, in order.
std::vector<ChildKey> SupervisorStep::companions(const Child& child) const {
  if (state_.spec.strategy != Strategy::one_for_all
      && state_.spec.strategy != Strategy::rest_for_one) {
    return {};
  }
  const bool all = state_.spec.strategy == Strategy::one_for_all;
  auto member = all ? state_.children.begin() : state_.children.upper_bound(child.key);
  std::vector<ChildKey> keys;
  for (; member != state_.children.end(); ++member) {
    if (member->first != child.key) {
      keys.push_back(member->first);
    }
  }
  return keys;
}

RestartLimit SupervisorStep::limit_of(const Child& child) const {
  return child.spec.limit.value_or(RestartLimit{state_.spec.intensity, state_.spec.period});
}

RestartHistory& SupervisorStep::history_of(Child& child) {
  return child.spec.limit ? child.history : state_.history;
}

/// Counts a restart. False: it is one too many.
bool SupervisorStep::admit(Child& child) {
  return history_of(child).add(limit_of(child), {state_.now, child.spec.id, child.reason});
}

void SupervisorStep::exhausted(Child& child, supervision::EndCause cause) {
  if (child.spec.exhausted == Exhausted::give_up_child) {
    act(supervision::GaveUp{child.spec.id, child.reason});
    child.failed_starts = 0;
    retire(child);
    return;
  }
  supervision::Terminated end{.cause = cause, .child = child.spec.id, .reason = child.reason};
  if (cause == supervision::EndCause::intensity_reached) {
    end.limit = limit_of(child);
    end.restarts = history_of(child).records();
  }
  shut_down(std::move(end));
}

} // namespace callboard::detail
