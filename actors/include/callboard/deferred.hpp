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
/// has the value calls `set`. No thread is held meanwhile. The caller waits until the program
/// stops, unless it names a deadline. When the last copy goes without a reply, the caller gets
/// `aborted`. Thread-safe; copies stand for the same reply.
template <class R>
class Deferred {
public:
  using Value = detail::Stored<R>;

  Deferred() : state_(std::make_shared<State>()) {}

  /// Gives the reply. False if the caller has left (deadline, cancelled) or has its reply: `value`
  /// is then untouched, and what it stands for (an item of a queue) can go to the next.
  bool set(Value&& value) const { return state_->set(value); }
  bool set(const Value& value) const { return set(Value(value)); }
  bool set() const requires std::is_void_v<R> { return set(Value{}); }

  /// Fails the call. False as for `set`.
  bool fail(Error error) const { return state_->fail(std::move(error)); }

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

    bool set(Value& value) {
      const std::lock_guard lock(mutex_);
      if (call_) {
        return result_of(*take_call()).fulfil(std::move(value));
      }
      return keep(std::in_place_index<1>, std::move(value));
    }

    bool fail(Error error) {
      const std::lock_guard lock(mutex_);
      if (call_) {
        return take_call()->fail(std::move(error));
      }
      return keep(std::in_place_index<2>, std::move(error));
    }

    void attach(detail::Call call) {
      const std::lock_guard lock(mutex_);
      if (std::exchange(attached_, true)) {
        call->fail({
            .code = Code::failed_precondition,
            .message =
                "this Deferred is the reply to another call already: make a new one for each call",
        });
      } else if (outcome_.index() == 0) {
        target_hold_ = detail::hold_target(*call);
        call_ = std::move(call);
      } else {
        deliver(*call, std::move(outcome_));
      }
    }

  private:
    static detail::ResultState<R>& result_of(detail::CallState& call) {
      return static_cast<detail::ResultState<R>&>(call);
    }

    static void deliver(detail::CallState& call, Outcome outcome) {
      if (outcome.index() == 2) {
        call.fail(std::get<2>(std::move(outcome)));
      } else {
        result_of(call).fulfil(std::get<1>(std::move(outcome)));
      }
    }

    detail::Call take_call() {
      call_->ended(); // a caller whose deadline has passed has left
      return std::exchange(call_, {});
    }

    /// Keeps what comes before the method has returned.
    template <class Tag, class V>
    bool keep(Tag tag, V&& value) {
      if (outcome_.index() != 0 || attached_) {
        return false;
      }
      outcome_ = Outcome(tag, std::forward<V>(value));
      return true;
    }

    std::mutex mutex_;
    bool attached_ = false;
    std::shared_ptr<const void> target_hold_; ///< whoever replies may outlive the node
    detail::Call call_;
    Outcome outcome_;
  };

  std::shared_ptr<State> state_;
};

} // namespace callboard
