// SPDX-License-Identifier: Apache-2.0
/// @file
/// A reply that a method gives later.
#pragma once

#include <callboard/detail/call_state.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <variant>

namespace callboard {

/// A reply that a method gives later: the method makes one, keeps a copy, and returns it; whoever
/// has the value calls `set`. No thread is held meanwhile. The caller waits until the program stops,
/// unless it names a deadline. When the last copy goes without a reply, the caller gets `aborted`.
/// Thread-safe; copies stand for the same reply.
template <class R>
class Deferred {
 public:
  using Value = detail::Stored<R>;

  Deferred() : state_(std::make_shared<State>()) {}

  /// Gives the reply. False if the caller has left (deadline, cancelled) or has its reply: the value
  /// went nowhere, and what it stands for (an item of a queue) can go to the next.
  bool set(Value value) const { return state_->reply(Outcome(std::in_place_index<1>, std::move(value))); }
  bool set() const
    requires std::is_void_v<R>
  {
    return set(Value{});
  }

  /// Fails the call. False as for `set`.
  bool fail(Error error) const { return state_->reply(Outcome(std::in_place_index<2>, std::move(error))); }

  /// Whether the caller still waits.
  bool waiting() const { return state_->waiting(); }

  /// For Callboard's own use: ties the reply to the call that made it.
  void attach(detail::Call call) const { state_->attach(std::move(call)); }

 private:
  using Outcome = std::variant<std::monostate, Value, Error>;

  class State {
   public:
    bool waiting() {
      const std::lock_guard lock(mutex_);
      return call_ ? !call_->ended() : outcome_.index() == 0;
    }

    bool reply(Outcome outcome) {
      const std::lock_guard lock(mutex_);
      if (call_) {
        call_->ended();  // a caller whose deadline has passed has left
        return deliver(std::exchange(call_, {}), std::move(outcome));
      }
      if (outcome_.index() != 0 || attached_) {
        return false;
      }
      outcome_ = std::move(outcome);
      return true;
    }

    void attach(detail::Call call) {
      const std::lock_guard lock(mutex_);
      if (std::exchange(attached_, true)) {
        call->fail({
            .code = Code::failed_precondition,
            .message = "this Deferred is the reply to another call already: make a new one for each call",
        });
      } else if (outcome_.index() == 0) {
        call_ = std::move(call);
      } else {
        deliver(std::move(call), std::move(outcome_));
      }
    }

   private:
    static bool deliver(const detail::Call& call, Outcome outcome) {
      if (outcome.index() == 2) {
        return call->fail(std::get<2>(std::move(outcome)));
      }
      auto& state = static_cast<detail::ResultState<R>&>(*call);
      return state.fulfil(std::get<1>(std::move(outcome)));
    }

    std::mutex mutex_;
    bool attached_ = false;
    detail::Call call_;
    Outcome outcome_;
  };

  std::shared_ptr<State> state_;
};

}  // namespace callboard
