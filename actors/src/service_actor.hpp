// SPDX-License-Identifier: Apache-2.0
/// @file
/// The CAF actor that runs the methods of one service object, one after another.
#pragma once

#include "recent_calls.hpp"

#include <callboard/detail/front.hpp>

#include <caf/event_based_actor.hpp>

#include <atomic>
#include <memory>

namespace callboard::detail {

/// A message to a service's own actor: end, now that all before is done.
struct CloseMessage {};

/// Runs the methods of one service object, one after another, in the order of its mailbox.
class ServiceActor final : public caf::event_based_actor {
public:
  ServiceActor(
      caf::actor_config& config, std::shared_ptr<Front> front, Servant servant, bool may_block);

  const char* name() const override { return "callboard.service"; }
  caf::behavior make_behavior() override;
  caf::invoke_message_result consume(caf::mailbox_element& message) override;
  void on_exit() override;

  /// A turn on a thread of the scheduler, with turns of those who are woken by it.
  resume_result resume(caf::execution_unit* unit, size_t most_messages) override;
  /// One message, on a caller's thread.
  resume_result resume_once(caf::execution_unit* unit);

  /// Whether the method has lately been short enough to run on a caller's thread. Any thread.
  bool runs_short(const MethodInfo& method) const noexcept;

private:
  struct Timing {
    std::atomic<int> good_runs{0}; ///< short ones in a row; below 0 on probation
    Duration last{};               ///< of those that were timed
  };

  class OwnExecutor;

  void serve(const Call& call);
  void run(const MethodEntry& entry, const Call& call);
  template <class F>
  void measured(Timing& timing, F f);
  resume_result take_turn(caf::execution_unit* unit, size_t most_messages, ServiceActor*& next);
  void measure(Timing& timing, Duration duration) const;
  Execution execution_for(const CallState* call) const;

  const std::shared_ptr<Front> front_;
  Servant servant_;
  const bool may_block_;
  const bool may_keep_; ///< whom it wakes may wait until its turn ends
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): of a size known when it is made
  const std::unique_ptr<Timing[]> timings_;
  Timing continuations_;
  std::shared_ptr<Executor> executor_;
  TaskList tasks_;
  RecentCalls recent_calls_;
  unsigned runs_ = 0;
};

/// Spawns the actor. The pointer keeps it in memory, not alive.
std::shared_ptr<void> spawn_service(
    ActorRuntime& runtime, std::shared_ptr<Front> front, Servant servant, ServiceActor*& actor);

} // namespace callboard::detail

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::detail::CloseMessage)
