// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the present thread is: in which node, in a method or in `run`, and what it may do there.
#pragma once

#include <callboard/detail/call_state.hpp>

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace callboard::detail {

class Front;
class RecentCalls;
class TaskList;

/// Runs continuations in order, somewhere. Thread-safe.
class Executor {
public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;
  /// A continuation that can't be run any more is destroyed.
  virtual void post(std::unique_ptr<Continuation> continuation) = 0;
};

/// The waits of a node's `run` that only the end of the program can bound. Thread-safe.
class WaitSet {
public:
  /// Fails `call` at once if the node is being stopped already.
  void add(const CallRef& call);
  void remove(const CallRef& call);
  void cancel_all();

private:
  std::mutex mutex_;
  bool cancelled_ = false;
  std::vector<CallRef> calls_;
};

/// Is told whom the constructor of a node waits for.
class StartWatch {
public:
  StartWatch() = default;
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;
  virtual ~StartWatch() = default;
  /// Why that wait can't end, if it can't.
  virtual std::optional<Error> begin_wait(const Front& target) = 0;
  virtual void end_wait() = 0;
};

/// What the present thread is doing. Cheap to make and to copy: it owns nothing.
struct Execution {
  const Front* node = nullptr;
  const std::shared_ptr<Executor>* executor =
      nullptr; ///< of the actor whose method runs; null outside methods
  bool may_block = true;
  TimePoint deadline = TimePoint::max();                     ///< of the call being served
  const std::shared_ptr<const CallChain>* callers = nullptr; ///< held up by the call being served
  WaitSet* waits = nullptr;                                  ///< of the node whose `run` this is
  StartWatch* start = nullptr;         ///< of the node whose constructor this is
  TaskList* tasks = nullptr;           ///< the unfinished tasks of the actor whose method runs
  RecentCalls* recent_calls = nullptr; ///< of that actor
};

Execution& this_execution() noexcept;

/// Who is held up by the call being served; null if there is none.
std::shared_ptr<const CallChain> callers_here();

/// Makes `execution` the thread's own for as long as the scope lives.
class ExecutionScope {
public:
  explicit ExecutionScope(const Execution& execution) noexcept;
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;
  ~ExecutionScope();

private:
  Execution previous_;
};

/// @throws CallError{failed_precondition} inside a method of a node without own thread
void refuse_to_block(std::string_view what);

/// Where a continuation of `call` made here is to run: the actor whose method makes it, else the
/// scheduler of the call's program, else (null) the thread that ends the call.
std::shared_ptr<Executor> executor_for(const CallState& call);

/// A method of the present node ended with an exception.
void count_failed_method() noexcept;

/// Sees to it that `call` ends at its deadline although no thread waits for it. `then` is where it
/// is gone on with, and there only; null if that is anywhere.
void arm_deadline(CallState& call, const Executor* then = nullptr);

} // namespace callboard::detail
