// SPDX-License-Identifier: Apache-2.0
#include "held_nodes.hpp"
#include "service_actor.hpp"
#include "system.hpp"

#include <callboard/client.hpp>

#include <caf/execution_unit.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {
namespace {

/// Takes the actor that a call woke, so that it is handed to the scheduler when no lock is held any
/// more, or is run on the caller's own thread.
class CallerUnit final : public caf::execution_unit {
public:
  void exec_later(caf::resumable* actor) override {
    if (!running_) {
      // Whom the call is for is known only now: a front without actor may have got one meanwhile.
      wanted_ = static_cast<ServiceActor*>(actor);
      system_ = &wanted_->home_system();
      woken_ = true;
    } else if (actor == wanted_ && !woken_) {
      woken_ = true;
    } else {
      system().scheduler().enqueue(actor);
    }
  }

  /// Runs the wanted actor on this thread, one message at a time, until `call` is done.
  void run(const CallState& call) {
    running_ = true;
    while (woken_ && !call.done()) {
      woken_ = false;
      if (wanted_->resume(this, 1) == caf::resumable::resume_later) {
        woken_ = true;
      } else {
        caf::intrusive_ptr_release(static_cast<caf::resumable*>(wanted_));
      }
    }
    running_ = false;
    end();
  }

  /// Hands the wanted actor to the scheduler, if it woke.
  void end() {
    if (std::exchange(woken_, false)) {
      system().scheduler().enqueue(wanted_);
    }
    wanted_ = nullptr;
  }

  bool running() const noexcept { return running_; }
  bool woke_short(const MethodInfo& method) const noexcept {
    return woken_ && wanted_->runs_short(method);
  }

private:
  ServiceActor* wanted_ = nullptr;
  bool woken_ = false;
  bool running_ = false;
};

Duration patience_of(const CallState& call, const CallOptions& options) {
  if (options.deadline) {
    return *options.deadline;
  }
  return call.method->deferred ? forever : call.target->runtime()->options().call_deadline;
}

/// Writes the header. False, and the call failed, if it can't be sent.
bool prepare(const std::shared_ptr<Front>& front, CallState& call, const CallOptions& options) {
  if (!front || !front->runtime()) {
    call.fail({
        .code = Code::failed_precondition,
        .message = "a client can only call while its program runs, not while the graph is built",
        .node = front ? front->node() : std::string("(no node)"),
        .method = std::string(call.method->name),
    });
    return false;
  }
  const Execution& here = this_execution();
  call.target = front;
  call.deadline =
      std::min(front->runtime()->deadline_in(patience_of(call, options)), here.deadline);
  call.stoppable = call.method->deferred || call.deadline == TimePoint::max();
  call.recode = front->runtime()->options().recode;
  if (call.recode) {
    try {
      call.encoded = call.encode_arguments();
    } catch (...) {
      call.fail(current_error());
      return false;
    }
  }
  return true;
}

/// Posts with room in the mailbox, waiting for it where that is allowed. False, and the call
/// failed, if there is none.
bool post(
    const std::shared_ptr<Front>& front, Call& call, caf::execution_unit& unit, bool may_wait) {
  while (!front->post(call, &unit)) {
    if (!may_wait || !this_execution().may_block || !front->wait_for_room(call->deadline)) {
      if (call->one_way) {
        call->observe(); // it is thrown, so it need not be logged
      }
      call->fail({
          .code = Code::resource_exhausted,
          .message = fmt::format(
              "{} calls wait for it already (mailbox_limit); call less often or give it more nodes",
              front->runtime()->options().mailbox_limit),
      });
      return false;
    }
  }
  return true;
}

/// The nodes from `target` to the present one of which each waits for the next; empty if there is
/// no such chain.
std::vector<const Front*> find_cycle(const Front* target) {
  const Execution& here = this_execution();
  std::vector<const Front*> cycle{here.node};
  for (const CallChain* link = callers_here().get(); cycle.back() != target;
       link = link->callers.get()) {
    if (link == nullptr) {
      return {};
    }
    cycle.push_back(link->node);
  }
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

/// A blocking call from a method holds up its node: the called one must know.
bool join_chain(CallState& call) {
  const Execution& here = this_execution();
  if (here.executor == nullptr) {
    return true;
  }
  if (const auto cycle = find_cycle(call.target.get()); !cycle.empty()) {
    call.fail(cycle_error(cycle));
    return false;
  }
  call.callers = std::make_shared<const CallChain>(CallChain{here.node, callers_here()});
  return true;
}

} // namespace

const std::string& node_of(const Front& front) {
  return front.node();
}

std::shared_ptr<Front> unbound_front(std::string node, std::uint64_t origin) {
  return std::make_shared<Front>(std::move(node), origin);
}

std::shared_ptr<Front> find_front(std::string node) {
  const Execution& here = this_execution();
  if (here.node != nullptr && here.node->runtime()) {
    if (auto front = here.node->runtime()->find(node)) {
      return front;
    }
  }
  return unbound_front(std::move(node), 0);
}

void post_call(const std::shared_ptr<Front>& front, CallRef state, const CallOptions& options) {
  Call call(std::move(state));
  if (!prepare(front, *call, options)) {
    return;
  }
  const bool one_way = call->one_way;
  CallerUnit unit;
  const bool posted = post(front, call, unit, one_way);
  unit.end();
  if (one_way && !posted) {
    throw CallError(call->error());
  }
}

void complete_call(
    const std::shared_ptr<Front>& front, CallState& state, const CallOptions& options) {
  refuse_to_block(state.method->name);
  state.observe();
  Call call{CallRef(&state)};
  if (!prepare(front, state, options) || !join_chain(state)) {
    return;
  }
  // An actor remembers the unit that ran it last, so that must live as long as the thread.
  thread_local CallerUnit own;
  CallerUnit other;
  const bool may_run = !own.running() && !front->runtime()->options().deterministic;
  CallerUnit& unit = may_run ? own : other;
  post(front, call, unit, true);
  call = {};
  may_run&& unit.woke_short(*state.method) ? unit.run(state) : unit.end();
  state.wait();
}

} // namespace callboard::detail
