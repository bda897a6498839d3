// SPDX-License-Identifier: Apache-2.0
/// @file
/// What is in the mailbox of a service's actor. These messages are the actor's alone, so they do
/// without CAF's matching of types: each knows what is to be done.
#pragma once

#include <callboard/detail/call_state.hpp>
#include <callboard/detail/pooled.hpp>

#include <caf/mailbox_element.hpp>
#include <caf/type_erased_tuple.hpp>

#include <memory>

namespace callboard::detail {

/// A message without content for CAF to look at.
class Message : public caf::mailbox_element {
public:
  caf::type_erased_tuple& content() final { return nothing(); }
  const caf::type_erased_tuple& content() const final { return nothing(); }
  caf::message move_content_to_message() final { return {}; }
  caf::message copy_content_to_message() const final { return {}; }

private:
  static caf::type_erased_tuple& nothing() {
    static caf::empty_type_erased_tuple tuple;
    return tuple;
  }
};

/// A call in a mailbox. It lies inside the call itself, which it keeps alive.
class CallMessage final : public Message {
public:
  static caf::mailbox_element_ptr make(Call call) {
    static_assert(
        sizeof(CallMessage) <= CallState::message_size && alignof(CallMessage) <= alignof(void*));
    void* const place = call->message_place();
    return caf::mailbox_element_ptr(new (place) CallMessage(std::move(call)));
  }

  const Call& call() const noexcept { return call_; }

  void request_deletion(bool /*decremented_count*/) const noexcept override {
    const Call call = std::move(call_); // the last to go, since all lies in it
    this->~CallMessage();
  }

private:
  explicit CallMessage(Call call) noexcept : call_(std::move(call)) {}

  mutable Call call_;
};

/// Go on with something. It lies inside the continuation, which it owns.
class ContinuationMessage final : public Message {
public:
  static caf::mailbox_element_ptr make(std::unique_ptr<Continuation> continuation) {
    static_assert(
        sizeof(ContinuationMessage) <= Continuation::message_size
        && alignof(ContinuationMessage) <= alignof(void*));
    void* const place = continuation->message_place();
    return caf::mailbox_element_ptr(new (place) ContinuationMessage(std::move(continuation)));
  }

  void run() noexcept { continuation_->run(); }

  void request_deletion(bool /*decremented_count*/) const noexcept override {
    const auto continuation = std::move(continuation_); // the last to go, since all lies in it
    this->~ContinuationMessage();
  }

private:
  explicit ContinuationMessage(std::unique_ptr<Continuation> continuation) noexcept
      : continuation_(std::move(continuation)) {}

  mutable std::unique_ptr<Continuation> continuation_;
};

} // namespace callboard::detail
