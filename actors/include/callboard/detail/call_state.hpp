// SPDX-License-Identifier: Apache-2.0
/// @file
/// One request and its outcome: what a caller's future and the called node share.
#pragma once

#include <callboard/codec.hpp>
#include <callboard/detail/pooled.hpp>
#include <callboard/error.hpp>
#include <callboard/method.hpp>
#include <callboard/time.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callboard::detail {

class Executor;
class Front;
class CallState;

/// The nodes whose mailboxes a blocking call holds up, innermost first.
struct CallChain {
  const Front* node;
  std::shared_ptr<const CallChain> callers;
};

/// What is to be done once an outcome is there: on `executor`, or if there is none on the thread
/// that brought the outcome; be quick then.
class Continuation {
public:
  explicit Continuation(std::shared_ptr<Executor> where) : executor(std::move(where)) {}
  Continuation(const Continuation&) = delete;
  Continuation& operator=(const Continuation&) = delete;
  virtual ~Continuation() = default;
  virtual void run() noexcept = 0;

  std::shared_ptr<Executor> executor;

  /// Room for the message that brings it to an actor.
  void* message_place() noexcept { return message_place_; }
  static constexpr std::size_t message_size = 72;

private:
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): bare memory
  alignas(void*) std::byte message_place_[message_size];
};

template <class F>
class ContinuationOf final : public Continuation {
public:
  ContinuationOf(F f, std::shared_ptr<Executor> where)
      : Continuation(std::move(where)), f_(std::move(f)) {}
  void run() noexcept override { f_(); }

private:
  F f_;
};

/// A counted pointer to a call.
template <class State>
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): one assignment serves for both
class Ref {
public:
  Ref() = default;
  explicit Ref(State* state) noexcept : state_(state) { acquire(); }
  /// The first one, to a state that no other thread knows yet.
  static Ref first(State* state) noexcept {
    state->acquire_first();
    return adopt(state);
  }
  /// Takes over a count that is there already.
  static Ref adopt(State* state) noexcept {
    Ref ref;
    ref.state_ = state;
    return ref;
  }
  Ref(const Ref& other) noexcept : state_(other.state_) { acquire(); }
  Ref(Ref&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  template <class Derived>
  // NOLINTNEXTLINE(google-explicit-constructor): as pointers do
  Ref(const Ref<Derived>& other) noexcept : state_(other.get()) {
    acquire();
  }
  template <class Derived>
  // NOLINTNEXTLINE(google-explicit-constructor): as pointers do
  Ref(Ref<Derived>&& other) noexcept : state_(other.leave()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Ref() {
    if (state_ != nullptr) {
      state_->release();
    }
  }

  State* get() const noexcept { return state_; }
  /// Gives the pointer with its count away.
  State* leave() noexcept { return std::exchange(state_, nullptr); }
  State* operator->() const noexcept { return state_; }
  State& operator*() const noexcept { return *state_; }
  explicit operator bool() const noexcept { return state_ != nullptr; }

private:
  void acquire() noexcept {
    if (state_ != nullptr) {
      state_->acquire();
    }
  }

  State* state_ = nullptr;
};

using CallRef = Ref<CallState>;

/// Keeps the target of a call that is not done, for a reply that may outlive its service.
std::shared_ptr<const void> hold_target(const CallState& call);

/// Told when a call that was sent to another process has ended here, by whatever cause.
class Carriage {
public:
  Carriage() = default;
  Carriage(const Carriage&) = delete;
  Carriage& operator=(const Carriage&) = delete;
  virtual ~Carriage() = default;
  virtual void call_ended() noexcept = 0;
};

/// The part of a call that is the same for every method. Its outcome is set once, by whoever comes
/// first: the node, the deadline, or the caller who cancels. Thread-safe.
class CallState : public Pooled {
public:
  explicit CallState(const MethodInfo* info) noexcept : method(info) {}
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  virtual ~CallState();

  // The fields lie in the order in which they are used, since a call is written by one thread and
  // read by another: each line of the cache that need not be fetched is a good part of its cost.

  // The header. Set by the caller before the call is posted, constant afterwards.
  const MethodInfo* const method;        ///< null for a future that is no call
  TimePoint deadline = TimePoint::max(); ///< the caller waits no longer
  Front* target = nullptr;               ///< whom the call is for
  bool one_way = false;                  ///< a `tell`: nobody waits for the outcome
  bool stoppable = false; ///< a loop that waits for it is woken when its node is to end
  bool recode = false;    ///< pass arguments and result through bytes, as between processes

private:
  std::atomic<bool> posted_{false};
  std::atomic<bool> started_{false};
  std::atomic<bool> armed_{false};
  std::atomic<bool> observed_{false};
  std::atomic<bool> carried_{false};
  std::atomic<unsigned> state_{0};
  std::atomic<unsigned> references_{0};
  std::atomic<unsigned> callees_{0};
  std::unique_ptr<Error> error_;

public:
  static constexpr std::size_t message_size = 72;

private:
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): bare memory
  alignas(void*) std::byte message_place_[message_size];

public:
  std::shared_ptr<const CallChain> callers; ///< who is held up by it
  /// Keeps `target` for a caller that holds no client meanwhile; the called side keeps it anyhow. A
  /// count for each call would be written by all callers and the called in turns.
  std::shared_ptr<Front> target_hold;
  /// Encoded arguments that are to be decoded where the method runs; null if they are live.
  std::unique_ptr<std::vector<std::byte>> encoded;

private:
  std::unique_ptr<Continuation> continuation_;
  std::atomic<std::shared_ptr<Carriage>> carriage_;

public:
  // Links of the deadline queue, which guards them, or before that of the caller's `RecentCalls`.
  CallState* timer_next = nullptr;
  CallState** timer_place = nullptr;
  std::atomic<bool> in_timer_wheel{false};
  bool is_recent = false;

  /// The arguments and result as bytes, for a node in another process (or a test of that).
  virtual std::vector<std::byte> encode_arguments() const { return {}; }
  virtual void decode_arguments(std::span<const std::byte> /*bytes*/) {}
  /// Of a call that has ended well.
  virtual std::vector<std::byte> encode_result() const { return {}; }
  /// Ends the call with the result that the bytes are, or as `malformed`.
  virtual void fulfil_encoded(std::span<const std::byte> /*bytes*/) {}
  /// Replaces the result by its own copy through bytes.
  virtual void recode_result() {}

  bool done() const noexcept { return (state_.load(std::memory_order_acquire) & is_done) != 0; }
  /// The caller has what it wanted of a call that is done.
  void let_go() noexcept;
  bool failed() const noexcept { return error_ != nullptr; } ///< only after `done()`
  const Error& error() const noexcept { return *error_; }    ///< only after `failed()`

  /// Ends the call with an error. False if it had ended before.
  bool fail(Error error);

  /// Ends a call whose outcome nobody will ask for.
  void dismiss() noexcept;

  /// Whether it is done by now: ends it if its deadline has passed.
  bool ended();

  /// Waits until it is done or the time is over. Fails the call when its own deadline passes.
  bool wait_until(TimePoint time);

  /// The same for a caller's own wait, of which its node must know.
  bool wait_at_most(TimePoint time);

  /// Waits for the end; a call without deadline reports itself in the log from time to time.
  void wait();

  /// Runs `f` on `executor` (none: on the thread that ends the call) when the call is done, at once
  /// if it is. At most one continuation a call.
  template <class F>
  void when_done(F f, std::shared_ptr<Executor> executor = nullptr) {
    set_continuation(std::make_unique<ContinuationOf<F>>(std::move(f), std::move(executor)));
  }

  /// From now on `carriage` is told of the end; at once if that has come.
  void carry(std::shared_ptr<Carriage> carriage);
  /// Whoever carries it brings the outcome, and need not be told.
  void uncarry() noexcept { carriage_.store(nullptr); }

  /// Nobody will look at the outcome any more: a failure is logged.
  void abandon() noexcept;
  void observe() noexcept { observed_.store(true, std::memory_order_relaxed); }

  void acquire_first() noexcept { references_.store(1, std::memory_order_relaxed); }
  void acquire() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  // The called side: the last `Call` that goes without an outcome fails the call.
  void acquire_first_callee() noexcept { callees_.store(1, std::memory_order_relaxed); }
  void acquire_callee() noexcept { callees_.fetch_add(1, std::memory_order_relaxed); }
  void release_callee() noexcept;
  /// False if it was so before: a call can be in one mailbox only.
  bool mark_posted() noexcept { return !posted_.exchange(true, std::memory_order_relaxed); }
  void mark_started() noexcept { started_.store(true, std::memory_order_relaxed); }

  /// Tells that the call is, or is about to be, in the deadline queue.
  void mark_armed() noexcept { armed_ = true; }

  /// Room for the message that brings the call into a mailbox, so that posting allocates nothing.
  void* message_place() noexcept { return message_place_; }

protected:
  /// The right to set the outcome. To be followed by `publish`.
  bool claim() noexcept;
  void publish() noexcept;
  void set_error(Error error);

private:
  static constexpr unsigned is_claimed = 1;
  static constexpr unsigned is_done = 2;
  static constexpr unsigned has_waiter = 4;
  static constexpr unsigned has_continuation = 8;
  static constexpr unsigned is_abandoned = 16;

  unsigned set(unsigned bit) noexcept;
  void set_continuation(std::unique_ptr<Continuation> continuation);
  void describe(Error& error) const;
  void log_unseen() const noexcept;
  void tell_carriage() noexcept;
  bool park_until(TimePoint time);
};

struct Nothing {}; ///< the value of a call that returns void

template <class R>
using Stored = std::conditional_t<std::is_void_v<R>, Nothing, R>;

/// A call whose result is an `R`.
template <class R>
class ResultState : public CallState {
public:
  using CallState::CallState;

  /// Ends the call with a value. False if it had ended before; the value is then untouched.
  template <class... V>
  bool fulfil(V&&... value) {
    if (!claim()) {
      return false;
    }
    try {
      value_.emplace(std::forward<V>(value)...);
      if (recode) {
        recode_result();
      }
    } catch (...) {
      set_error(current_error());
    }
    publish();
    return true;
  }

  /// Only after `done()`, if it has not `failed()`.
  Stored<R>& value() noexcept { return *value_; }

protected:
  std::optional<Stored<R>> value_;
};

/// A call of method `m` with its arguments.
template <auto m, class Type = decltype(m)> // two parameters: see `Method`
class MethodCall final : public ResultState<typename Method<m>::Result> {
public:
  using R = typename Method<m>::Result;
  using Arguments = typename Method<m>::Arguments;

  template <class... A>
  explicit MethodCall(std::in_place_t /*tag*/, A&&... arguments)
      : ResultState<R>(&Method<m>::info),
        arguments_(std::in_place, std::forward<A>(arguments)...) {}
  MethodCall() : ResultState<R>(&Method<m>::info) {}

  Arguments& arguments() { return *arguments_; }

  std::vector<std::byte> encode_arguments() const override {
    return callboard::encoded(*arguments_);
  }
  void decode_arguments(std::span<const std::byte> bytes) override {
    arguments_.emplace(callboard::decoded<Arguments>(bytes));
  }
  std::vector<std::byte> encode_result() const override {
    if constexpr (std::is_void_v<R>) {
      return {};
    } else {
      return callboard::encoded(*this->value_);
    }
  }
  void fulfil_encoded(std::span<const std::byte> bytes) override {
    try {
      if constexpr (std::is_void_v<R>) {
        Decoder(bytes).finish();
        this->fulfil();
      } else {
        this->fulfil(callboard::decoded<R>(bytes));
      }
    } catch (...) {
      this->fail(current_error());
    }
  }
  void recode_result() override {
    if constexpr (!std::is_void_v<R>) {
      this->value_.emplace(callboard::decoded<R>(callboard::encoded(*this->value_)));
    }
  }

private:
  std::optional<Arguments> arguments_;
};

/// The called side's hold on a call.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): one assignment serves for both
class Call {
public:
  Call() = default;
  /// The first hold; all others are copies.
  explicit Call(CallRef state) : state_(std::move(state)) {
    if (state_) {
      state_->acquire_first_callee();
    }
  }
  Call(const Call& other) : state_(other.state_) { acquire(); }
  Call(Call&& other) noexcept = default;
  Call& operator=(Call other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Call() {
    if (state_) {
      state_->release_callee();
    }
  }

  CallState* operator->() const noexcept { return state_.get(); }
  CallState& operator*() const noexcept { return *state_; }
  explicit operator bool() const noexcept { return static_cast<bool>(state_); }
  const CallRef& ref() const noexcept { return state_; }

private:
  void acquire() const {
    if (state_) {
      state_->acquire_callee();
    }
  }

  CallRef state_;
};

} // namespace callboard::detail
