// SPDX-License-Identifier: Apache-2.0
/// @file
/// The result of a call that is on its way.
#pragma once

#include <callboard/detail/execution.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard {

template <class R>
class Future;

namespace detail {

template <class R>
using ResultRef = Ref<ResultState<R>>;

/// A future's state that is no call, in the program of `origin`.
template <class R>
ResultRef<R> make_promise(const CallState& origin) {
  auto promise = ResultRef<R>::first(new ResultState<R>(nullptr));
  promise->target = origin.target;
  promise->target_hold = origin.target_hold;
  promise->stoppable = origin.stoppable;
  return promise;
}

/// The outcome of a call that is done, taken out of it.
template <class R>
Result<R> take_result(ResultState<R>& state) {
  state.let_go();
  if (state.failed()) {
    return state.error();
  }
  if constexpr (std::is_void_v<R>) {
    return {};
  } else {
    return std::move(state.value());
  }
}

template <class F, class R>
struct ThenResult {
  using Type = std::invoke_result_t<F, R>;
};
template <class F, class R>
  requires std::invocable<F, Result<R>>
struct ThenResult<F, R> {
  using Type = std::invoke_result_t<F, Result<R>>;
};
template <class F>
  requires(!std::invocable<F, Result<void>>)
struct ThenResult<F, void> {
  using Type = std::invoke_result_t<F>;
};

template <class U, class R, class F>
void fulfil_with(ResultState<U>& promise, F& f, ResultState<R>& source) {
  auto finish = [&](auto&&... argument) {
    if constexpr (std::is_void_v<U>) {
      f(std::forward<decltype(argument)>(argument)...);
      promise.fulfil();
    } else {
      promise.fulfil(f(std::forward<decltype(argument)>(argument)...));
    }
  };
  try {
    if constexpr (std::invocable<F, Result<R>>) {
      finish(take_result(source));
    } else if (source.failed()) {
      promise.fail(source.error());
    } else if constexpr (std::is_void_v<R>) {
      finish();
    } else {
      finish(std::move(source.value()));
    }
  } catch (...) {
    promise.fail(current_error());
  }
  source.let_go();
}

} // namespace detail

/// The result of a call that is on its way: a value, or the error that ended the call. It ends at
/// the call's deadline at the latest. Move-only; one thread at a time. A failure that nobody asks
/// for is logged when the future is gone. What is asked of an empty future fails as
/// `failed_precondition`.
template <class R>
class [[nodiscard]] Future {
public:
  Future() = default;
  explicit Future(detail::ResultRef<R> state) : state_(std::move(state)) {}
  Future(Future&& other) noexcept = default;
  Future& operator=(Future&& other) noexcept {
    Future(std::move(other)).swap(*this);
    return *this;
  }
  Future(const Future&) = delete;
  Future& operator=(const Future&) = delete;
  ~Future() {
    if (state_) {
      state_->abandon();
    }
  }

  /// False for a future that was moved from or asked for its result.
  bool valid() const noexcept { return static_cast<bool>(state_); }

  /// Whether the result is there. Never waits.
  bool ready() const { return state().ended(); }

  /// Waits at most `patience`; true if the result is there.
  /// @throws CallError{failed_precondition} inside a method of a node without own thread
  bool wait_for(Duration patience) const;

  /// Waits for the result and takes it; the future is empty afterwards.
  /// @throws CallError the call's failure; `failed_precondition` inside a method of a node without
  ///         own thread: make the method a `Task` and `co_await` the future there
  R get() { return std::move(*this).result().value(); }

  /// As `get`, with the failure as a value.
  Result<R> result() && {
    detail::refuse_to_block("Future::get");
    state().observe();
    state_->wait();
    return detail::take_result(*std::exchange(state_, {}));
  }

  /// Ends the call as `cancelled`, if it has not ended. A method that runs already is not
  /// interrupted.
  void cancel() {
    state().observe();
    state_->fail({.code = Code::cancelled, .message = "cancelled by the caller"});
  }

  /// Runs `f(R)` (or `f(Result<R>)`, which sees failures too) when the result is there: in the
  /// actor whose method makes this call, else on the scheduler. The future is empty afterwards.
  /// @returns the future result of `f`; it fails as this future does, or with what `f` throws
  template <class F>
  auto then(F f) {
    using U = typename detail::ThenResult<F, R>::Type;
    auto source = take();
    auto promise = detail::make_promise<U>(*source);
    source->observe();
    detail::ResultState<R>& state = *source;
    auto executor = detail::executor_for(state);
    detail::arm_deadline(state, executor.get());
    state.when_done(
        [source = std::move(source), f = std::move(f), hold = detail::Call(promise)]() mutable {
          detail::fulfil_with(static_cast<detail::ResultState<U>&>(*hold), f, *source);
        },
        std::move(executor));
    return Future<U>(std::move(promise));
  }

  /// In a `Task`: gives way until the result is there. @throws CallError the call's failure
  auto operator co_await() && {
    struct Awaiter {
      detail::ResultRef<R> state;
      bool await_ready() const { return state->done(); }
      void await_suspend(std::coroutine_handle<> waiter) {
        auto executor = detail::executor_for(*state);
        detail::arm_deadline(*state, executor.get());
        state->when_done(
            [waiter,
             deadline = detail::this_execution().deadline,
             callers = detail::callers_here()] {
              detail::Execution& there = detail::this_execution();
              there.deadline = deadline;
              there.callers = &callers;
              waiter.resume();
            },
            std::move(executor));
      }
      R await_resume() { return detail::take_result(*state).value(); }
    };
    state().observe();
    return Awaiter{take()};
  }

  void swap(Future& other) noexcept { std::swap(state_, other.state_); }

private:
  template <class T>
  friend auto when_all(std::vector<Future<T>> futures);

  detail::ResultState<R>& state() const {
    if (!state_) {
      throw CallError(
          Code::failed_precondition,
          "this future is empty: its result was taken, or it was moved from");
    }
    return *state_;
  }
  detail::ResultRef<R> take() {
    state();
    return std::exchange(state_, {});
  }

  detail::ResultRef<R> state_;
};

template <class R>
bool Future<R>::wait_for(Duration patience) const {
  detail::refuse_to_block("Future::wait_for");
  return state().wait_at_most(detail::deadline_after(std::chrono::steady_clock::now(), patience));
}

namespace detail {

/// Collects the results of several calls; the first failure is the failure of all.
template <class T>
struct Gathering {
  std::vector<ResultRef<T>> parts;
  std::atomic<std::size_t> missing;
  std::atomic<bool> any_failed{false};
  Call hold;

  void finish_one(ResultState<T>& part) {
    auto& promise = static_cast<
        ResultState<std::conditional_t<std::is_void_v<T>, void, std::vector<Stored<T>>>>&>(*hold);
    if (part.failed()) {
      any_failed.store(true, std::memory_order_relaxed);
      promise.fail(part.error());
    }
    if (missing.fetch_sub(1, std::memory_order_acq_rel) != 1
        || any_failed.load(std::memory_order_relaxed)) {
      return;
    }
    if constexpr (std::is_void_v<T>) {
      promise.fulfil();
    } else {
      std::vector<T> values;
      values.reserve(parts.size());
      for (auto& each : parts) {
        values.push_back(std::move(each->value()));
      }
      promise.fulfil(std::move(values));
    }
  }
};

} // namespace detail

/// One future for many: their values in the order of `futures` (nothing for `Future<void>`), or the
/// first failure among them. None at all are done at once.
template <class T>
auto when_all(std::vector<Future<T>> futures) {
  using Values = std::conditional_t<std::is_void_v<T>, void, std::vector<detail::Stored<T>>>;
  if (futures.empty()) {
    auto done = detail::ResultRef<Values>::first(new detail::ResultState<Values>(nullptr));
    done->fulfil();
    return Future<Values>(std::move(done));
  }
  auto promise = detail::make_promise<Values>(futures.front().state());
  auto gathering = std::make_shared<detail::Gathering<T>>();
  gathering->missing = futures.size();
  gathering->hold = detail::Call(promise);
  for (auto& future : futures) {
    promise->stoppable = promise->stoppable || future.state().stoppable;
    gathering->parts.push_back(future.take());
  }
  for (auto& part : gathering->parts) {
    part->observe();
    detail::arm_deadline(*part);
    part->when_done([gathering, state = part.get()] { gathering->finish_one(*state); });
  }
  return Future<Values>(std::move(promise));
}

} // namespace callboard
