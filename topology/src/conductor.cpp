// SPDX-License-Identifier: Apache-2.0
// The part of a running program that starts its nodes and ends them: each node after those that it
// calls, and, at the end, before them.
#include "program_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

} // namespace

void ProgramRun::conduct() {
  Lock lock(mutex_);
  while (!stopping_ && !all_over()) {
    start_ready(lock);
    // Both give the lock up while they start nodes: what happens meanwhile wakes nobody.
    if (!revive(lock) && !stopping_ && !all_over()) {
      changed_.wait_until(lock, next_restart());
    }
  }
  if (!stopping_) {
    stopping_ = true;
    reason_ = "every run has returned";
  }
  end_all(lock);
}

/// Whether there is nothing left to wait for: some loops ran, and all have returned.
bool ProgramRun::all_over() const {
  bool any = false;
  for (const NodePtr& node : nodes_) {
    any = any || node->has_run;
    if (node->state == NodeState::waiting || node->state == NodeState::starting
        || node->state == NodeState::restarting || (node->has_run && !node->run_over)) {
      return false;
    }
  }
  return any;
}

/// Starts the nodes whose targets, but for those that start together with them, are ready. (Calls
/// to one that failed to start say so.)
void ProgramRun::start_ready(Lock& lock) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodePtr node = nodes_[i];
    const bool ready = std::all_of(targets_[i].begin(), targets_[i].end(), [&](std::size_t target) {
      const Node& each = *nodes_[target];
      return each.ready || each.state == NodeState::failed
          || start_component_[target] == start_component_[i];
    });
    if (node->state != NodeState::waiting || !ready || stopping_) {
      continue;
    }
    begin_life(node);
    const auto life = node->life;
    lock.unlock();
    options_.deterministic ? life->start_here() : life->start();
    lock.lock();
    i = static_cast<std::size_t>(-1); // it may have made others ready
  }
}

void ProgramRun::begin_life(const NodePtr& node) {
  node->state = NodeState::starting;
  node->incarnation = node->revival.begin();
  node->life = launcher_->make_life(*this, node);
}

/// Ends what is left of nodes that are to be restarted, and starts those of which nothing is left.
/// False if there was nothing to do.
bool ProgramRun::revive(Lock& lock) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodePtr node = nodes_[i];
    if (node->state != NodeState::restarting) {
      continue;
    }
    const auto life = node->life;
    if (!node->ending) {
      node->ending = true;
      lock.unlock();
      life->ask_to_stop();
      life->hold();
      lock.lock();
      return true;
    }
    const bool over = node->run_over && life->handlers_finished() && (!node->ready || node->closed);
    if (!over || !node->revival.is_due()) {
      if (over && node->revival.is_over()) {
        fail_for_good(*node);
      }
      continue;
    }
    lock.unlock();
    life->join();
    lock.lock();
    if (!stopping_) {
      node->ending = node->ready = node->run_over = node->closed = false;
      begin_life(node);
      const auto next = node->life;
      lock.unlock();
      next->start();
      lock.lock();
    }
    return true;
  }
  return false;
}

/// The node was to be restarted, but that would be once too often.
void ProgramRun::fail_for_good(Node& node) {
  const auto last = std::find_if(failures_.rbegin(), failures_.rend(), [&](const Failure& failure) {
    return failure.node == node.name();
  });
  if (last == failures_.rend()) {
    node.state = NodeState::stopped; // each of its lives came to a good end, too soon
    return;
  }
  last->restarted = false;
  node.state = NodeState::failed;
  const std::string text = fmt::format("failed for good{}", node.revival.gave_up());
  log(LogLevel::error, node.name(), text);
  node.front->close(
      {.code = Code::unavailable,
       .message = fmt::format("{} {}: {}", node.name(), text, to_string(last->cause))});
  if (!failed_ && node.spec.options.on_failure != OnFailure::ignore) {
    failed_ = stopping_ = true;
    reason_ = fmt::format("{} {}", node.name(), text);
  }
}

TimePoint ProgramRun::next_restart() const {
  TimePoint next = TimePoint::max();
  for (const NodePtr& node : nodes_) {
    if (node->state == NodeState::restarting) {
      next = std::min(next, node->revival.due());
    }
  }
  return next;
}

Error ProgramRun::end_reason() const {
  std::string text = "the program has stopped";
  if (!reason_.empty()) {
    text += ": " + reason_;
  }
  return {.code = Code::unavailable, .message = std::move(text)};
}

/// Takes back or leaves behind what the last life has, and lets go of it, since it holds the node.
void ProgramRun::end_life(Node& node, bool leave_behind) {
  std::shared_ptr<Life> life;
  {
    const std::lock_guard lock(mutex_);
    life.swap(node.life);
  }
  if (life) {
    leave_behind ? life->leave_behind() : life->join();
  }
}

/// Calls to it fail from now on, whether it lives or not.
void ProgramRun::close_node(Node& node, const Error& reason) {
  if (const auto life = life_of(node)) {
    life->close(reason);
  } else {
    node.front->close(reason);
  }
}

/// Whether all that are to end before the node have ended.
bool ProgramRun::callers_gone(std::size_t index) const {
  const auto& before = before_[end_component_[index]];
  return std::all_of(
      before.begin(), before.end(), [&](std::size_t caller) { return nodes_[caller]->closed; });
}

/// A node is asked to end when all who call it have ended; one that does not serve yet, at once.
bool ProgramRun::may_be_told(std::size_t index, Hurry hurry) const {
  return hurry != Hurry::none || !nodes_[index]->ready || callers_gone(index);
}

bool ProgramRun::may_be_closed(std::size_t index, Hurry hurry) const {
  const Node& node = *nodes_[index];
  return node.told && !node.closing && component_over(index)
      && (hurry == Hurry::close || !node.ready || callers_gone(index));
}

/// Nodes that call each other serve until all their loops have returned.
bool ProgramRun::component_over(std::size_t index) const {
  const auto& members = members_[end_component_[index]];
  return std::all_of(members.begin(), members.end(), [&](std::size_t member) {
    const Node& node = *nodes_[member];
    return node.told && node.run_over && (!node.life || node.life->handlers_finished());
  });
}

/// Does what can be done now. False if nothing can.
bool ProgramRun::end_step(Lock& lock, Hurry hurry) {
  Nodes to_tell;
  Nodes to_close;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = *nodes_[i];
    if (!node.told && may_be_told(i, hurry)) {
      node.told = true;
      node.run_over = node.run_over || node.state == NodeState::waiting;
      node.state = node.state == NodeState::failed ? node.state : NodeState::stopping;
      to_tell.push_back(nodes_[i]);
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (may_be_closed(i, hurry)) {
      nodes_[i]->closing = true;
      to_close.push_back(nodes_[i]);
    }
  }
  if (to_tell.empty() && to_close.empty()) {
    return false; // without giving the lock up: what happens from here on wakes who waits next
  }
  const Error reason = end_reason();
  lock.unlock();
  for (const NodePtr& node : to_tell) {
    if (const auto life = life_of(*node)) {
      life->ask_to_stop();
    }
  }
  for (const NodePtr& node : to_close) {
    close_node(*node, reason);
  }
  if (options_.deterministic) {
    runtime_->advance(Duration::zero());
  }
  lock.lock();
  for (const NodePtr& node : to_close) {
    if (!node->ready && !node->closed) {
      node->closed = true; // it never served
      node->state = node->state == NodeState::failed ? node->state : NodeState::stopped;
    }
  }
  return true;
}

void ProgramRun::end_all(Lock& lock) {
  const TimePoint start = std::chrono::steady_clock::now();
  const TimePoint deadline = deadline_after(start, options_.grace);
  // Those whose callers overstay their time get some of it too: first they are told, and serve on;
  // then they end, which may be what the callers wait for.
  const Duration reserve = std::min<Duration>(options_.grace / 5, std::chrono::seconds(1));
  const TimePoint tell_all = deadline - reserve;
  const TimePoint close_all = deadline - reserve / 2;
  log(LogLevel::debug, "", fmt::format("program {} stops: {}", program_.name(), reason_));
  const auto all_closed = [this] {
    return std::all_of(
        nodes_.begin(), nodes_.end(), [](const NodePtr& node) { return node->closed; });
  };
  while (!all_closed()) {
    const TimePoint now = std::chrono::steady_clock::now();
    const Hurry hurry = now >= close_all ? Hurry::close
        : now >= tell_all                ? Hurry::tell
                                         : Hurry::none;
    if (end_step(lock, hurry)) {
      continue;
    }
    if (now >= deadline || options_.deterministic) {
      give_up_on(lock);
      break;
    }
    changed_.wait_until(lock, now < tell_all ? tell_all : now < close_all ? close_all : deadline);
  }
  conclude(lock);
}

/// The grace is over: names those that are left.
void ProgramRun::give_up_on(Lock& lock) {
  for (const NodePtr& node : nodes_) {
    if (node->closed) {
      continue;
    }
    stubborn_.push_back(node->name());
    const char* where = !node->run_over                  ? "its run has not returned"
        : node->life && !node->life->handlers_finished() ? "a stop handler has not returned"
                                                         : "a method has not returned";
    const auto calls = node->front->counts().waiting;
    log(LogLevel::error,
        node->name(),
        fmt::format(
            "did not stop within {:g} s: {}; {} calls wait for it",
            seconds(options_.grace),
            where,
            calls));
  }
  const Error reason = end_reason();
  const Nodes left = nodes_;
  lock.unlock();
  for (const NodePtr& node : left) {
    close_node(*node, reason);
  }
  lock.lock();
}

void ProgramRun::conclude(Lock& lock) {
  lock.unlock();
  {
    const std::lock_guard change(changing_); // who takes nodes out joins their threads
    lock.lock();
  }
  const Nodes nodes = nodes_;
  lock.unlock();
  for (const NodePtr& node : nodes) {
    const bool left =
        std::find(stubborn_.begin(), stubborn_.end(), node->name()) != stubborn_.end();
    end_life(*node, left);
  }
  lock.lock();
  if (failed_) {
    status_ = exit_status::node_failed;
  } else if (!stubborn_.empty()) {
    status_ = exit_status::stubborn;
  }
  ended_ = true;
  changed_.notify_all();
}

/// Ends some nodes of a group while the others go on.
void ProgramRun::retire(Lock& lock, const Nodes& nodes) {
  const TimePoint deadline = deadline_after(std::chrono::steady_clock::now(), options_.grace);
  for (const NodePtr& node : nodes) {
    node->told = true;
    node->run_over = node->run_over || node->state == NodeState::waiting;
    node->state = NodeState::stopping;
  }
  lock.unlock();
  for (const NodePtr& node : nodes) {
    if (const auto life = life_of(*node)) {
      life->ask_to_stop();
    }
  }
  lock.lock();
  for (const NodePtr& node : nodes) {
    const auto over = [&] {
      return node->run_over && (!node->life || node->life->handlers_finished());
    };
    if (!changed_.wait_until(lock, deadline, over)) {
      throw CallError(
          Code::deadline_exceeded,
          fmt::format(
              "{} was asked to end and did not within {:g} s",
              node->name(),
              seconds(options_.grace)));
    }
    node->closing = true;
    lock.unlock();
    close_node(
        *node,
        {.code = Code::unavailable, .message = node->name() + " was taken out of its group"});
    runtime_->options().deterministic ? runtime_->advance(Duration::zero()) : void();
    const bool closed = node->front->wait_closed(deadline);
    end_life(*node, !closed);
    lock.lock();
    registry_.remove(node->metrics);
    by_name_.erase(node->name());
    std::erase(nodes_, node);
  }
  index_nodes();
}

} // namespace callboard::detail
