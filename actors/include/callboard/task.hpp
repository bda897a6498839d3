// SPDX-License-Identifier: Apache-2.0
/// @file
/// Methods that wait without holding a thread: coroutines.
#pragma once

#include <callboard/future.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace callboard {

template <class R>
class Task;

namespace detail {

/// An unfinished task of a node, in the list of all of them.
class TaskNode {
public:
  TaskNode() = default;
  TaskNode(const TaskNode&) = delete;
  TaskNode& operator=(const TaskNode&) = delete;
  virtual ~TaskNode() { unlink(); }
  virtual std::coroutine_handle<> frame() = 0;

protected:
  void unlink() noexcept {
    if (place_ != nullptr) {
      *place_ = next_;
      if (next_ != nullptr) {
        next_->place_ = place_;
      }
      place_ = nullptr;
    }
  }

private:
  friend class TaskList;
  TaskNode* next_ = nullptr;
  TaskNode** place_ = nullptr;
};

/// The unfinished tasks of one node. Their frames die with it, before the service does.
class TaskList {
public:
  TaskList() = default;
  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;
  ~TaskList() { clear(); }

  void add(TaskNode& node) noexcept {
    node.next_ = first_;
    node.place_ = &first_;
    if (first_ != nullptr) {
      first_->place_ = &node.next_;
    }
    first_ = &node;
  }

  void clear() noexcept {
    while (first_ != nullptr) {
      first_->frame().destroy(); // unlinks itself
    }
  }

private:
  TaskNode* first_ = nullptr;
};

/// What every coroutine of ours has, whatever it returns.
class TaskPromiseBase : public TaskNode {
public:
  static std::suspend_always initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }

protected:
  template <class R>
  friend class callboard::Task;

  std::exception_ptr failure_;
  std::coroutine_handle<> parent_; ///< the task that awaits this one
  Call call_;                      ///< the call that this one answers; its frame owns the arguments
};

/// `return_value` or `return_void`: a promise may have only one of them.
template <class R>
class TaskResult : public TaskPromiseBase {
public:
  template <class V>
  void return_value(V&& value) {
    value_.emplace(std::forward<V>(value));
  }

protected:
  void answer(const Call& call) { static_cast<ResultState<R>&>(*call).fulfil(std::move(*value_)); }
  R take() { return std::move(*value_); }
  std::optional<R> value_;
};
template <>
class TaskResult<void> : public TaskPromiseBase {
public:
  void return_void() const noexcept {}

protected:
  static void answer(const Call& call) { static_cast<ResultState<void>&>(*call).fulfil(); }
  void take() const noexcept {}
};

} // namespace detail

/// A method that waits without holding a thread: `Task<R> m(…) { auto x = co_await
/// client.async<…>(…); co_return …; }`. Between two waits it runs in its node's mailbox like any
/// method; while it waits, others run. Its arguments live as long as it does. Tasks can await
/// tasks.
///
/// GCC 12 evaluates both sides of `co_return condition ? a : co_await b`: write it as an `if`.
template <class R>
class [[nodiscard]] Task {
public:
  // NOLINTNEXTLINE(readability-identifier-naming): the standard's name
  class promise_type final : public detail::TaskResult<R> {
  public:
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::coroutine_handle<> frame() override { return Handle::from_promise(*this); }
    auto final_suspend() const noexcept { return Finish{}; }

  private:
    friend class Task;
    struct Finish {
      bool await_ready() const noexcept { return false; }
      void await_resume() const noexcept {}
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> ended) const noexcept {
        promise_type& promise = ended.promise();
        if (promise.parent_) {
          return promise.parent_;
        }
        promise.reply();
        ended.destroy();
        return std::noop_coroutine();
      }
    };

    void reply() noexcept {
      const detail::Call call = std::move(this->call_);
      try {
        if (this->failure_) {
          std::rethrow_exception(this->failure_);
        }
        this->answer(call);
      } catch (...) {
        detail::count_failed_method();
        call->fail(current_error());
      }
    }
  };

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (frame_) {
      frame_.destroy();
    }
  }

  /// Runs another task as a part of this one.
  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle frame;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) const noexcept {
        frame.promise().parent_ = parent;
        return frame;
      }
      R await_resume() const {
        if (frame.promise().failure_) {
          std::rethrow_exception(frame.promise().failure_);
        }
        return frame.promise().take();
      }
    };
    return Awaiter{frame_};
  }

  /// For Callboard's own use: runs it as the answer to `call`. The frame then belongs to the node.
  void start(detail::Call call) && {
    Handle frame = std::exchange(frame_, {});
    frame.promise().call_ = std::move(call);
    detail::this_execution().tasks->add(frame.promise());
    frame.resume();
  }

private:
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle frame) : frame_(frame) {}

  Handle frame_;
};

} // namespace callboard
