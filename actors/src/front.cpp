// SPDX-License-Identifier: Apache-2.0
#include "futex.hpp"
#include "messages.hpp"
#include "service_actor.hpp"

#include <callboard/caf.hpp>
#include <callboard/detail/front.hpp>

#include <caf/mailbox_element.hpp>
#include <fmt/format.h>

namespace callboard::detail {

void Front::serve(Servant servant) {
  ServiceActor* actor = nullptr;
  living_ = 1;
  runtime_->service_started();
  auto hold = spawn_service(*runtime_, shared_from_this(), std::move(servant), actor);
  std::vector<Call> held; // let go of without the lock: that may end a call, which asks us why
  const std::lock_guard lock(mutex_);
  actor_ = actor;
  actor_hold_ = std::move(hold);
  has_served_ = true;
  if (state_ == State::closed) {
    end_actor();
    return;
  }
  held.swap(held_);
  for (Call& call : held) {
    deliver(std::move(call), nullptr);
  }
  state_ = State::serving;
}

void Front::end_actor() {
  actor_.load()->enqueue(
      caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, CloseMessage()), nullptr);
}

void Front::lead_to(std::shared_ptr<Outlet> outlet) {
  std::vector<Call> held; // as in `serve`
  const std::lock_guard lock(mutex_);
  if (state_ == State::closed) {
    return;
  }
  held.swap(held_);
  for (Call& call : held) {
    send_away(*outlet, call, true);
  }
  handled_.fetch_add(static_cast<unsigned>(held.size()));
  outlet_ = std::move(outlet);
  has_served_ = true;
  state_ = State::away;
  away_ = true;
}

void Front::hold(const Outlet* only) {
  std::shared_ptr<Outlet> outlet; // as in `serve`
  const std::lock_guard lock(mutex_);
  if (only != nullptr && outlet_.get() != only) {
    return;
  }
  if (state_ == State::serving) {
    end_actor();
  }
  if (state_ != State::closed) {
    state_ = State::holding;
  }
  outlet.swap(outlet_);
  away_ = false;
}

void Front::close(Error reason) {
  std::vector<Call> held;
  std::shared_ptr<void> address;
  std::shared_ptr<Outlet> outlet;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::closed) {
      return;
    }
    if (state_ == State::serving) {
      end_actor();
    }
    state_ = State::closed;
    outlet.swap(outlet_);
    away_ = false;
    reason_ = reason;
    address.swap(address_);
    held.swap(held_);
    handled_.fetch_add(static_cast<unsigned>(held.size()));
  }
  wake_room_waiters();
  for (const Call& call : held) {
    call->fail(reason);
  }
}

bool Front::wait_closed(TimePoint deadline) {
  while (living_ != 0) {
    if (deadline != TimePoint::max() && std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    futex_wait(living_, 1, deadline);
  }
  return true;
}

void Front::ended() {
  std::shared_ptr<void> hold;
  {
    const std::lock_guard lock(mutex_);
    actor_ = nullptr;
    hold.swap(actor_hold_);
    if (state_ == State::serving) {
      state_ = State::closed;
      reason_ = Error{.code = Code::unavailable, .message = fmt::format("{} has ended", node_)};
    }
  }
  wake_room_waiters();
  living_ = 0;
  futex_wake_all(living_);
  runtime_->service_ended();
}

void Front::deliver(Call call, caf::execution_unit* unit) {
  actor_.load(std::memory_order_relaxed)->enqueue(CallMessage::make(std::move(call)), unit);
}

bool Front::is_full() {
  const std::size_t limit = runtime_->options().mailbox_limit;
  if (static_cast<unsigned>(arrived_) - handled_seen_ >= limit) {
    handled_seen_ = handled_.load(std::memory_order_relaxed);
  }
  return static_cast<unsigned>(arrived_) - handled_seen_ >= limit;
}

bool Front::send_away(Outlet& outlet, Call& call, bool force) {
  if (call->one_way) {
    call->target_hold = shared_from_this(); // no actor of ours keeps us for it
  }
  return outlet.post(call, force);
}

bool Front::post(Call& call, caf::execution_unit* unit) {
  std::unique_lock lock(mutex_);
  if (state_ == State::closed) {
    const Error reason = *reason_;
    lock.unlock();
    call->fail(reason);
    return true;
  }
  if (state_ == State::away) {
    if (!send_away(*outlet_, call, false)) {
      return false;
    }
    ++arrived_;
    handled_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  if (is_full()) {
    return false;
  }
  ++arrived_;
  if (state_ == State::serving) {
    deliver(std::move(call), unit);
  } else {
    held_.push_back(std::move(call));
  }
  return true;
}

void Front::count_handled() noexcept {
  handled_.fetch_add(1);
  wake_room_waiters();
}

void Front::wake_room_waiters() noexcept {
  if (room_waiters_ != 0) {
    room_changes_.fetch_add(1);
    futex_wake_all(room_changes_);
  }
}

bool Front::has_room() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::away) {
    return outlet_->has_room();
  }
  return state_ == State::closed
      || static_cast<unsigned>(arrived_) - handled_ < runtime_->options().mailbox_limit;
}

bool Front::wait_for_room(TimePoint deadline) {
  if (runtime_->options().deterministic) {
    while (!has_room()) {
      if (!runtime_->run_once()) {
        return false;
      }
    }
    return true;
  }
  ++room_waiters_;
  bool room = false;
  while (true) {
    const unsigned changes = room_changes_;
    room = has_room();
    if (room || std::chrono::steady_clock::now() >= deadline) {
      break;
    }
    futex_wait(room_changes_, changes, deadline);
  }
  --room_waiters_;
  return room;
}

std::shared_ptr<void> Front::address(const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::closed && !address_) {
    address_ = make();
  }
  return address_;
}

bool Front::holding() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::holding;
}

std::string Front::describe_wait() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::holding) {
    return node_ + (has_served_ ? " is being started anew" : " has not started yet");
  }
  if (state_ == State::away) {
    return fmt::format("{} has not answered", node_);
  }
  const unsigned waiting =
      static_cast<unsigned>(arrived_) - handled_.load(std::memory_order_relaxed);
  return fmt::format(
      "{} is {}, with {} calls before it or behind",
      node_,
      waiting == 0 ? "at work" : "busy",
      waiting);
}

std::optional<Error> Front::end_reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

FrontCounts Front::counts() const {
  const std::lock_guard lock(mutex_);
  return {
      .calls = arrived_,
      .waiting = static_cast<unsigned>(arrived_) - handled_.load(std::memory_order_relaxed),
      .failed = failed_.load(std::memory_order_relaxed),
  };
}

} // namespace callboard::detail
