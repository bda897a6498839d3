// SPDX-License-Identifier: Apache-2.0
#include "turn.hpp"

#include "service_actor.hpp"

#include <caf/scheduler/abstract_coordinator.hpp>

#include <utility>

namespace callboard::detail {
namespace {

/// For so long those who were woken may be kept.
constexpr std::chrono::microseconds longest_stay{200};

constinit thread_local Turn* here = nullptr;

} // namespace

void wake(ServiceActor& actor) {
  actor.home_system().scheduler().enqueue(&actor);
}

Turn::Turn(bool may_keep) noexcept : may_keep_(may_keep), outer_(std::exchange(here, this)) {}

Turn::~Turn() {
  here = outer_;
}

void Turn::begin_message(bool is_short, Duration expected) {
  Turn& turn = *here;
  turn.keeps_ = turn.may_keep_ && is_short;
  turn.kept_for_ += expected;
  if (!turn.keeps_ || turn.kept_for_ > longest_stay) {
    turn.wake_all();
  }
}

Turn* Turn::to_wake_by() noexcept {
  return here != nullptr && here->keeps_ ? here : nullptr;
}

void Turn::exec_later(caf::resumable* actor) {
  auto* const service = static_cast<ServiceActor*>(actor);
  if (size_ == woken_.size()) {
    wake(*service);
  } else {
    woken_[size_++] = service;
  }
}

void Turn::wake_all() {
  kept_for_ = {};
  while (size_ != 0) {
    wake(*woken_[--size_]);
  }
}

ServiceActor* Turn::end(const caf::actor_system& system) {
  keeps_ = false;
  ServiceActor* next = nullptr;
  if (size_ != 0 && &woken_[size_ - 1]->home_system() == &system) {
    next = woken_[--size_];
  }
  wake_all();
  return next;
}

} // namespace callboard::detail
