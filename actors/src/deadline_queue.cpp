// SPDX-License-Identifier: Apache-2.0
#include "deadline_queue.hpp"

#include "futex.hpp"

#include <pthread.h>

#include <algorithm>

namespace callboard::detail {

DeadlineQueue::DeadlineQueue(bool threaded) {
  if (threaded) {
    next_tick_ = tick_of(std::chrono::steady_clock::now());
    watcher_ = std::thread([this] { watch(); });
    pthread_setname_np(watcher_.native_handle(), "cb-deadlines");
  }
}

DeadlineQueue::~DeadlineQueue() {
  close();
}

namespace {

void end_with_program(CallState& call) {
  call.fail({.code = Code::cancelled, .message = "the program has ended"});
}

} // namespace

void DeadlineQueue::close() {
  mood_ = ended;
  futex_wake_all(mood_);
  if (watcher_.joinable()) {
    watcher_.join();
  }
  end_all();
}

void DeadlineQueue::end_all() {
  for (const CallRef& call : take_all()) {
    end_with_program(*call);
  }
}

std::vector<CallRef> DeadlineQueue::take_all() {
  std::vector<CallRef> all;
  const std::lock_guard lock(mutex_);
  settle(all);
  for (CallState*& first : wheel_) {
    while (first != nullptr) {
      all.push_back(CallRef::adopt(first));
      unlink(*first);
    }
  }
  return all;
}

void DeadlineQueue::add(CallState& call) {
  call.acquire();
  call.timer_next = newcomers_;
  while (!newcomers_.compare_exchange_weak(call.timer_next, &call)) {}
  unsigned mood = mood_;
  if (mood == asleep && mood_.compare_exchange_strong(mood, ticking)) {
    futex_wake_all(mood_);
  }
  if (mood == ended) {
    end_all();
  }
}

void DeadlineQueue::remove(CallState& call) {
  if (!call.in_timer_wheel) {
    return; // if it is a newcomer, `settle` will see that it is done
  }
  {
    const std::lock_guard lock(mutex_);
    if (!call.in_timer_wheel) {
      return;
    }
    unlink(call);
  }
  call.release();
}

/// Takes the newcomers into the wheel, but for those that are done.
void DeadlineQueue::settle(std::vector<CallRef>& done) {
  CallState* next = newcomers_.exchange(nullptr);
  while (next != nullptr) {
    CallState& call = *next;
    next = call.timer_next;
    link(call);
    // Either we see here that the call is done, or who ends it sees that it is in the wheel.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (call.done()) {
      unlink(call);
      done.push_back(CallRef::adopt(&call));
    }
  }
}

void DeadlineQueue::link(CallState& call) {
  CallState*& slot = slot_of(std::max(tick_of(call.deadline) + 1, next_tick_));
  call.timer_next = slot;
  call.timer_place = &slot;
  if (slot != nullptr) {
    slot->timer_place = &call.timer_next;
  }
  slot = &call;
  call.in_timer_wheel = true;
  ++size_;
}

void DeadlineQueue::unlink(CallState& call) {
  *call.timer_place = call.timer_next;
  if (call.timer_next != nullptr) {
    call.timer_next->timer_place = call.timer_place;
  }
  call.in_timer_wheel = false;
  --size_;
}

void DeadlineQueue::collect(CallState* first, TimePoint now, std::vector<CallRef>& over) {
  while (first != nullptr) {
    CallState* next = first->timer_next;
    if (first->deadline <= now) {
      unlink(*first);
      over.push_back(CallRef::adopt(first));
    }
    first = next;
  }
}

void DeadlineQueue::expire(TimePoint now) {
  std::vector<CallRef> done;
  std::vector<CallRef> over;
  {
    const std::lock_guard lock(mutex_);
    settle(done);
    const std::int64_t last = tick_of(now) + 1; // holds the deadlines of the present tick
    const std::int64_t round = std::min<std::int64_t>(last - next_tick_ + 1, slots);
    for (std::int64_t i = 0; i < round; ++i) {
      collect(slot_of(last - i), now, over);
    }
    next_tick_ = last;
  }
  for (const CallRef& call : over) {
    call->fail({.code = Code::deadline_exceeded, .message = {}});
  }
}

TimePoint DeadlineQueue::earliest() {
  std::vector<CallRef> done;
  const std::lock_guard lock(mutex_);
  settle(done);
  TimePoint earliest = TimePoint::max();
  for (const CallState* call : wheel_) {
    for (; call != nullptr; call = call->timer_next) {
      earliest = std::min(earliest, call->deadline);
    }
  }
  return earliest;
}

bool DeadlineQueue::empty() {
  const std::lock_guard lock(mutex_);
  return size_ == 0 && newcomers_ == nullptr;
}

/// Sleeps until a call comes or the queue is closed.
void DeadlineQueue::doze() {
  unsigned mood = ticking;
  mood_.compare_exchange_strong(mood, asleep);
  while (mood_ == asleep && newcomers_ == nullptr) {
    futex_wait(mood_, asleep, TimePoint::max());
  }
  mood = asleep;
  mood_.compare_exchange_strong(mood, ticking);
}

void DeadlineQueue::watch() {
  while (mood_ != ended) {
    if (empty()) {
      doze();
    } else {
      futex_wait(mood_, ticking, TimePoint(tick * (tick_of(std::chrono::steady_clock::now()) + 1)));
      expire(std::chrono::steady_clock::now());
    }
  }
}

} // namespace callboard::detail
