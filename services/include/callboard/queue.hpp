// SPDX-License-Identifier: Apache-2.0
/// @file
/// A bounded queue between nodes.
#pragma once

#include <callboard/client.hpp>
#include <callboard/deferred.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace callboard {

/// A service: a bounded first-in, first-out queue. Each item is taken once; nothing that `put`
/// accepted is lost, also when the consumer that it was meant for has left meanwhile. Waiting
/// producers and consumers hold no thread and are served in the order in which they came.
template <class T>
class Queue {
public:
  /// @param capacity items that may wait, 1 or more
  /// @throws CallError{invalid_argument} for 0
  explicit Queue(std::uint64_t capacity) : capacity_(capacity) {
    if (capacity == 0) {
      throw CallError(Code::invalid_argument, "a queue needs a capacity of at least 1");
    }
  }

  /// Adds an item; the reply comes when it has a place.
  /// @throws CallError{failed_precondition} the queue is closed; the item was not taken
  Deferred<void> put(T item) {
    Deferred<void> reply;
    if (closed_) {
      reply.fail(closed_error());
      return reply;
    }
    producers_.push_back({reply, std::move(item)});
    settle();
    return reply;
  }

  /// Takes the oldest item; the reply comes when there is one.
  /// @throws CallError{failed_precondition} the queue is closed and empty
  Deferred<T> get() {
    Deferred<T> reply;
    consumers_.push_back(reply);
    settle();
    return reply;
  }

  /// Items that wait now.
  std::uint64_t size() const { return items_.size(); }

  /// Accepts no more items. What is in it can still be taken; then consumers get an error.
  void close() {
    closed_ = true;
    for (auto& producer : std::exchange(producers_, {})) {
      producer.reply.fail(closed_error());
    }
    settle();
  }

  using exposed = methods<&Queue::put, &Queue::get, &Queue::size, &Queue::close>;

private:
  struct Producer {
    Deferred<void> reply;
    T item;
  };

  static Error closed_error() {
    return {.code = Code::failed_precondition, .message = "the queue is closed"};
  }

  /// Moves items from producers to their places, and from there to consumers, as far as it goes.
  void settle() {
    do {
      serve_consumers();
    } while (admit_producers());
    while (closed_ && items_.empty() && !consumers_.empty()) {
      consumers_.front().fail(closed_error());
      consumers_.pop_front();
    }
  }

  void serve_consumers() {
    while (!items_.empty() && !consumers_.empty()) {
      const Deferred<T> consumer = std::move(consumers_.front());
      consumers_.pop_front();
      if (consumer.set(std::move(items_.front()))) {
        items_.pop_front();
      }
    }
  }

  /// True if an item came in that a consumer waits for.
  bool admit_producers() {
    bool admitted = false;
    while (!producers_.empty() && items_.size() < capacity_) {
      Producer producer = std::move(producers_.front());
      producers_.pop_front();
      // A producer that has left may have put its item elsewhere: it is not accepted.
      if (producer.reply.set()) {
        items_.push_back(std::move(producer.item));
        admitted = true;
      }
    }
    return admitted && !consumers_.empty();
  }

  std::uint64_t capacity_;
  bool closed_ = false;
  std::deque<T> items_;
  std::deque<Producer> producers_;
  std::deque<Deferred<T>> consumers_;
};

} // namespace callboard
