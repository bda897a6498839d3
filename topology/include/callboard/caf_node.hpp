// SPDX-License-Identifier: Apache-2.0
/// @file
/// Plain CAF actors as nodes of a program.
///
///     caf::behavior printer(caf::event_based_actor* self, Client<Replay> replay) {
///       return {[=](const std::string& text) { aout(self) << text; }};
///     }
///     auto node = program.add_actor<&printer>("printer", replay);
///     ...
///     caf::actor actor = client.actor();          // of a Client<CafNode<&printer>>
#pragma once

#include <callboard/caf.hpp>
#include <callboard/program.hpp>

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <type_traits>

namespace callboard {

namespace detail {

/// The life of a plain CAF actor between its node's start and end.
class CafLife {
public:
  using Spawn = std::function<caf::actor(caf::actor_system& system)>;

  /// @throws CallError{failed_precondition} the program has ended
  CafLife(Context& context, const Spawn& spawn);
  CafLife(const CafLife&) = delete;
  CafLife& operator=(const CafLife&) = delete;
  /// Asks the actor to end.
  ~CafLife();

  /// Waits for the actor's end, which it asks for when the node is asked to end.
  /// @throws CallError{application} the actor ended for a reason that is none of its own
  void run();

private:
  struct End;

  Context& context_;
  const std::shared_ptr<End> end_;
  caf::actor actor_;
};

/// The actor of a node. @throws CallError{unavailable} it has not started, or has ended
caf::actor find_caf_actor(const std::shared_ptr<Front>& front);

} // namespace detail

/// The service of a node that is a plain CAF actor: it exposes no methods, its actor gets messages.
/// As a loop does, the actor keeps its program going until it quits; when the node is asked to end,
/// it gets an exit message. An end for any other reason than `normal` and these is a failure.
///
/// @tparam behavior  a function `caf::behavior(caf::event_based_actor*, A…)`
template <auto behavior>
class CafNode {
public:
  template <class... A>
    requires std::is_invocable_r_v<caf::behavior, decltype(behavior), caf::event_based_actor*, A...>
  explicit CafNode(Context& context, A... arguments)
      : life_(context, [&](caf::actor_system& system) {
          return caf::actor(system.spawn(behavior, std::move(arguments)...));
        }) {}

  void run() { life_.run(); }

private:
  detail::CafLife life_;
};

/// The plain actor behind a client, which may also ask for it: `client.actor()`.
/// @throws CallError{unavailable} the node has not started, or has ended
template <auto behavior>
caf::actor typed_actor_of(const Client<CafNode<behavior>>& client) {
  return detail::find_caf_actor(client.front());
}

} // namespace callboard
