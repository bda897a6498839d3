// SPDX-License-Identifier: Apache-2.0
#include "deadline_queue.hpp"
#include "recent_calls.hpp"

#include <callboard/detail/execution.hpp>
#include <callboard/detail/front.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {

void WaitSet::add(const CallRef& call) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      calls_.push_back(call);
      return;
    }
  }
  call->fail({.code = Code::cancelled, .message = "the node is being stopped"});
}

void WaitSet::remove(const CallRef& call) {
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&](const CallRef& each) { return each.get() == call.get(); });
}

void WaitSet::cancel_all() {
  std::vector<CallRef> calls;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    calls.swap(calls_);
  }
  for (const CallRef& call : calls) {
    call->fail({.code = Code::cancelled, .message = "the node is being stopped"});
  }
}

Execution& this_execution() noexcept {
  thread_local Execution execution;
  return execution;
}

std::shared_ptr<const CallChain> callers_here() {
  const Execution& here = this_execution();
  return here.callers == nullptr ? nullptr : *here.callers;
}

ExecutionScope::ExecutionScope(const Execution& execution) noexcept
    : previous_(std::exchange(this_execution(), execution)) {}

ExecutionScope::~ExecutionScope() {
  this_execution() = previous_;
}

void refuse_to_block(std::string_view what) {
  const Execution& here = this_execution();
  if (here.may_block) {
    return;
  }
  if (here.node == nullptr) {
    throw CallError(
        Code::failed_precondition,
        fmt::format(
            "{} would block a thread of the scheduler: use async and then here, not call or get",
            what));
  }
  throw CallError(Error{
      .code = Code::failed_precondition,
      .message = fmt::format(
          "{} would block inside a method and hold up the node's mailbox: make the method a Task "
          "and "
          "co_await the call there, or give the node .own_thread = true",
          what),
      .node = here.node->node(),
  });
}

std::shared_ptr<Executor> executor_for(const CallState& call) {
  if (const auto* executor = this_execution().executor) {
    return *executor;
  }
  return call.target ? call.target->runtime() : nullptr;
}

void count_failed_method() noexcept {
  if (const Front* node = this_execution().node) {
    node->count_failed();
  }
}

void arm_deadline(CallState& call, const Executor* then) {
  if (call.done() || call.deadline == TimePoint::max() || !call.target || !call.target->runtime()) {
    return;
  }
  const Execution& here = this_execution();
  if (then != nullptr && here.executor != nullptr && then == here.executor->get()
      && here.recent_calls->add(call, *here.executor)) {
    return;
  }
  call.mark_armed();
  call.target->runtime()->deadlines().add(call);
}

} // namespace callboard::detail
