// SPDX-License-Identifier: Apache-2.0
/// @file
/// For those who want the actors underneath: each service is a CAF typed actor.
#pragma once

#include <callboard/client.hpp>

#include <caf/actor_cast.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/typed_actor.hpp>

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::detail::Call)

namespace callboard {

/// A call as the message that a service's actor gets: the method's arguments and who waits for it.
using Call = detail::Call;

/// The answer to a `Call`: its result, or its failure.
class Reply {
public:
  Reply() = default;
  explicit Reply(detail::CallRef call) : call_(std::move(call)) {}

  /// The result of method `m`. @throws CallError the call's failure;
  ///         `invalid_argument` another method was called
  template <auto m>
  typename detail::Method<m>::Result get() const {
    if (!call_ || call_->method->tag != detail::Method<m>::info.tag) {
      throw CallError(Code::invalid_argument, "this is not the reply of that method");
    }
    auto& state = static_cast<detail::ResultState<typename detail::Method<m>::Result>&>(*call_);
    return detail::take_result(state).value();
  }

private:
  detail::CallRef call_;
};

} // namespace callboard

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(callboard::Reply)

namespace callboard {

/// The message that names a method: `request(actor, deadline, method_tag<&S::f>{},
/// make_call<&S::f>(…))`.
template <auto m>
// NOLINTNEXTLINE(readability-identifier-naming): spelled as CAF spells its own
using method_tag = caf::atom_constant<static_cast<caf::atom_value>(detail::Method<m>::info.tag)>;

/// The arguments of a call as a message.
template <auto m, class... A>
Call make_call(A&&... arguments) {
  return Call(detail::CallRef::first(
      new detail::MethodCall<m>(std::in_place, std::forward<A>(arguments)...)));
}

namespace detail {

template <class List>
struct TypedActorOf;
template <auto... ms>
struct TypedActorOf<MethodList<ms...>> {
  using Type =
      caf::typed_actor<typename caf::replies_to<method_tag<ms>, Call>::template with<Reply>...>;
};

/// The node's address for CAF actors. Valid while its program runs.
caf::strong_actor_ptr actor_address(const std::shared_ptr<Front>& front);

} // namespace detail

/// The CAF actor type of service `S`: one `replies_to<method_tag<m>, Call>::with<Reply>` per
/// method.
template <class S>
// NOLINTNEXTLINE(readability-identifier-naming): spelled as CAF spells its own
using service_actor = typename detail::TypedActorOf<detail::Exposed<S>>::Type;

/// The typed actor behind a client, which may also ask for it: `client.actor()`.
/// @throws CallError{failed_precondition} outside a running program
template <class S>
service_actor<S> typed_actor_of(const Client<S>& client) {
  return caf::actor_cast<service_actor<S>>(detail::actor_address(client.front()));
}

} // namespace callboard
