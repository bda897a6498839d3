// SPDX-License-Identifier: Apache-2.0
#include "deadline_queue.hpp"

#include <algorithm>

#include <pthread.h>

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

}  // namespace

void DeadlineQueue::close() {
  const std::vector<CallRef> left = take_all();
  changed_.notify_all();
  if (watcher_.joinable()) {
    watcher_.join();
  }
  for (const CallRef& call : left) {
    end_with_program(*call);
  }
}

std::vector<CallRef> DeadlineQueue::take_all() {
  std::vector<CallRef> all;
  const std::lock_guard lock(mutex_);
  ending_ = true;
  for (CallState*& first : wheel_) {
    while (first != nullptr) {
      CallState& call = *first;
      all.emplace_back(&call);
      unlink(call);
      call.release();
    }
  }
  return all;
}

void DeadlineQueue::add(CallState& call) {
  std::unique_lock lock(mutex_);
  if (call.timer_place != nullptr || call.done()) {
    return;
  }
  if (ending_) {
    lock.unlock();
    end_with_program(call);
    return;
  }
  CallState*& slot = slot_of(std::max(tick_of(call.deadline) + 1, next_tick_));
  call.acquire();
  call.timer_next = slot;
  call.timer_place = &slot;
  if (slot != nullptr) {
    slot->timer_place = &call.timer_next;
  }
  slot = &call;
  if (++size_ == 1) {
    changed_.notify_one();
  }
}

void DeadlineQueue::remove(CallState& call) {
  {
    const std::lock_guard lock(mutex_);
    if (call.timer_place == nullptr) {
      return;
    }
    unlink(call);
  }
  call.release();
}

void DeadlineQueue::unlink(CallState& call) {
  *call.timer_place = call.timer_next;
  if (call.timer_next != nullptr) {
    call.timer_next->timer_place = call.timer_place;
  }
  call.timer_place = nullptr;
  call.timer_next = nullptr;
  --size_;
}

void DeadlineQueue::collect(CallState* first, TimePoint now, std::vector<CallRef>& over) {
  while (first != nullptr) {
    CallState* next = first->timer_next;
    if (first->deadline <= now) {
      over.emplace_back(first);
      unlink(*first);
      first->release();
    }
    first = next;
  }
}

void DeadlineQueue::expire(TimePoint now) {
  std::vector<CallRef> over;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t last = tick_of(now) + 1;  // holds the deadlines of the present tick
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

TimePoint DeadlineQueue::earliest() const {
  const std::lock_guard lock(mutex_);
  TimePoint earliest = TimePoint::max();
  for (const CallState* call : wheel_) {
    for (; call != nullptr; call = call->timer_next) {
      earliest = std::min(earliest, call->deadline);
    }
  }
  return earliest;
}

void DeadlineQueue::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (size_ == 0) {
      changed_.wait(lock, [this] { return ending_ || size_ != 0; });
      continue;
    }
    changed_.wait_until(lock, TimePoint(tick * next_tick_), [this] { return ending_; });
    lock.unlock();
    expire(std::chrono::steady_clock::now());
    lock.lock();
  }
}

}  // namespace callboard::detail
