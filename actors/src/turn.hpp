// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whom an actor wakes while it takes its turn on a thread.
#pragma once

#include <callboard/time.hpp>

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>

#include <array>
#include <cstddef>

namespace callboard::detail {

class ServiceActor;

/// A turn of an actor: the messages that it takes up in a row. Messages go out at once, but whom
/// one of a short method wakes is kept until the turn ends, or for some time: it then finds a batch
/// instead of being woken for each, which costs more than most methods do.
class Turn final : public caf::execution_unit {
public:
  /// The present thread's turn until its end, in place of another that it may be in.
  explicit Turn(bool may_keep) noexcept;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() override;

  /// To be called before each message: those who were woken are kept for longer only if it is
  /// known to be short, and is expected to take so long.
  static void begin_message(bool is_short, Duration expected);

  /// What to wake others by; null if at once, by the scheduler.
  static Turn* to_wake_by() noexcept;
  void exec_later(caf::resumable* actor) override;

  /// Ends the turn. One of those who were woken, which is now the caller's to run; null if there is
  /// none in `system`. All others go to the scheduler.
  ServiceActor* end(const caf::actor_system& system);

private:
  void wake_all();

  const bool may_keep_;
  Turn* const outer_;
  bool keeps_ = false;
  Duration kept_for_{}; ///< about how long; counted, since looking at a clock takes longer
  std::array<ServiceActor*, 8> woken_{};
  std::size_t size_ = 0;
};

/// Hands an actor that was woken to its scheduler.
void wake(ServiceActor& actor);

} // namespace callboard::detail
