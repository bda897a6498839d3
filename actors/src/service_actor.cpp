// SPDX-License-Identifier: Apache-2.0
#include "service_actor.hpp"

#include "messages.hpp"
#include "system.hpp"
#include "turn.hpp"

#include <callboard/caf.hpp>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/mailbox_element.hpp>

#include <algorithm>
#include <typeinfo>

namespace callboard::detail {
namespace {

/// A method is run on callers' threads once so many runs in a row were short.
constexpr int trusted_after = 8;
/// After a run this long it has to prove itself for longer; a shorter one may be the kernel's
/// doing.
constexpr std::chrono::milliseconds surely_long{1};
constexpr int probation = -1000;

/// Of a method that is trusted, one run in so many is timed.
constexpr unsigned timed_runs = 32;

/// So often a thread goes on with whom the last turn woke, before it looks for other work.
constexpr int turns_in_a_row = 16;

} // namespace

/// Sends continuations into the actor's own mailbox.
class ServiceActor::OwnExecutor final : public Executor {
public:
  explicit OwnExecutor(caf::strong_actor_ptr actor) : actor_(std::move(actor)) {}
  void post(std::unique_ptr<Continuation> continuation) override {
    actor_->enqueue(ContinuationMessage::make(std::move(continuation)), Turn::to_wake_by());
  }

private:
  const caf::strong_actor_ptr actor_;
};

ServiceActor::ServiceActor(
    caf::actor_config& config, std::shared_ptr<Front> front, Servant servant, bool may_block)
    : caf::event_based_actor(config),
      front_(std::move(front)),
      servant_(std::move(servant)),
      may_block_(may_block),
      may_keep_(!may_block && !front_->runtime()->options().deterministic),
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): of a size known when it is made
      timings_(std::make_unique<Timing[]>(servant_.interface->methods.size())) {}

caf::behavior ServiceActor::make_behavior() {
  executor_ = std::make_shared<OwnExecutor>(caf::actor_cast<caf::strong_actor_ptr>(this));
  return {[this](CloseMessage) { quit(); }};
}

caf::invoke_message_result ServiceActor::consume(caf::mailbox_element& message) {
  if (typeid(message) == typeid(CallMessage)) {
    serve(static_cast<const CallMessage&>(message).call());
  } else if (typeid(message) == typeid(ContinuationMessage)) {
    measured(continuations_, [&] {
      const ExecutionScope scope(execution_for(nullptr));
      static_cast<ContinuationMessage&>(message).run();
    });
  } else {
    return caf::event_based_actor::consume(message);
  }
  return caf::invoke_message_result::consumed;
}

caf::resumable::resume_result ServiceActor::take_turn(
    caf::execution_unit* unit, size_t most_messages, ServiceActor*& next) {
  Turn turn(may_keep_);
  const auto result = caf::event_based_actor::resume(unit, most_messages);
  next = turn.end(home_system());
  return result;
}

caf::resumable::resume_result ServiceActor::resume(
    caf::execution_unit* unit, size_t most_messages) {
  ServiceActor* next = nullptr;
  const auto result = take_turn(unit, most_messages, next);
  for (int i = 0; next != nullptr && i < turns_in_a_row; ++i) {
    ServiceActor* const actor = next;
    if (actor->take_turn(unit, most_messages, next) == resumable::resume_later) {
      wake(*actor);
    } else {
      caf::intrusive_ptr_release(static_cast<caf::resumable*>(actor));
    }
  }
  if (next != nullptr) {
    wake(*next);
  }
  return result;
}

caf::resumable::resume_result ServiceActor::resume_once(caf::execution_unit* unit) {
  ServiceActor* next = nullptr;
  const auto result = take_turn(unit, 1, next);
  if (next != nullptr) {
    wake(*next);
  }
  return result;
}

void ServiceActor::on_exit() {
  {
    const ExecutionScope scope(execution_for(nullptr));
    tasks_.clear();
    recent_calls_.hand_over();
  }
  executor_.reset();
  servant_.owner.reset();
  front_->ended();
  if (servant_.on_ended) {
    servant_.on_ended();
  }
}

Execution ServiceActor::execution_for(const CallState* call) const {
  return {
      .node = front_.get(),
      .executor = &executor_,
      .may_block = may_block_,
      .deadline = call == nullptr ? TimePoint::max() : call->deadline,
      .callers = call == nullptr ? nullptr : &call->callers,
      .waits = servant_.waits,
      .tasks = const_cast<TaskList*>(&tasks_),
      .recent_calls = const_cast<RecentCalls*>(&recent_calls_),
  };
}

bool ServiceActor::runs_short(const MethodInfo& method) const noexcept {
  if (may_block_) {
    return false; // it has a thread of its own
  }
  const auto& methods = servant_.interface->methods;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (methods[i].info->tag == method.tag) {
      return timings_[i].good_runs.load(std::memory_order_relaxed) >= trusted_after;
    }
  }
  return false;
}

void ServiceActor::serve(const Call& call) {
  front_->count_handled();
  if (call->done()) {
    return; // cancelled, or past its deadline
  }
  if (front_->runtime()->is_past(call->deadline)) {
    call->fail(
        {.code = Code::deadline_exceeded,
         .message = "it came to its turn too late and was not run"});
    return;
  }
  const auto& methods = servant_.interface->methods;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (methods[i].info->tag == call->method->tag) {
      measured(timings_[i], [&] { run(methods[i], call); });
      return;
    }
  }
  call->fail({
      .code = Code::not_found,
      .message = servant_.interface->service + " does not expose this method",
  });
}

void ServiceActor::run(const MethodEntry& entry, const Call& call) {
  const ExecutionScope scope(execution_for(&*call));
  call->mark_started();
  try {
    entry.invoke(servant_.service, call);
  } catch (...) {
    front_->count_failed();
    call->fail(current_error());
  }
}

template <class F>
void ServiceActor::measured(Timing& timing, F f) {
  const bool trusted = timing.good_runs.load(std::memory_order_relaxed) == trusted_after;
  Turn::begin_message(trusted, timing.last);
  const bool timed = !trusted || ++runs_ % timed_runs == 0;
  const TimePoint start = timed ? std::chrono::steady_clock::now() : TimePoint();
  f();
  if (timed) {
    measure(timing, std::chrono::steady_clock::now() - start);
  }
}

void ServiceActor::measure(Timing& timing, Duration duration) const {
  timing.last = duration;
  int next = std::min(timing.good_runs.load(std::memory_order_relaxed) + 1, trusted_after);
  if (duration > defaults::short_method) {
    next = duration > surely_long ? probation : 0;
  }
  timing.good_runs.store(next, std::memory_order_relaxed);
}

std::shared_ptr<void> spawn_service(
    ActorRuntime& runtime, std::shared_ptr<Front> front, Servant servant, ServiceActor*& actor) {
  caf::actor_system& system = runtime.system().actors();
  const bool own_thread = servant.own_thread && !runtime.options().deterministic;
  const caf::actor handle = own_thread
      ? caf::actor(system.spawn<ServiceActor, caf::detached + caf::hidden>(
          std::move(front), std::move(servant), true))
      : caf::actor(
          system.spawn<ServiceActor, caf::hidden>(std::move(front), std::move(servant), false));
  forget_logger();
  actor = static_cast<ServiceActor*>(caf::actor_cast<caf::abstract_actor*>(handle));
  return std::make_shared<caf::strong_actor_ptr>(caf::actor_cast<caf::strong_actor_ptr>(handle));
}

} // namespace callboard::detail
