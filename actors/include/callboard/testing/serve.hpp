// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: one service, running, without a program around it.
#pragma once

#include <callboard/client.hpp>
#include <callboard/detail/front.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace callboard {
class Context;
} // namespace callboard

namespace callboard::testing {

/// How `serve` runs its service.
struct ServeOptions {
  std::string node{}; ///< its name; none: "served/0", or the first number that is free
  bool own_thread = false;
  bool recode = true;         ///< arguments and results pass through bytes, as between processes
  bool deterministic = false; ///< one thread and virtual time: waiting calls run the service
  Duration call_deadline = defaults::call_deadline;
  std::size_t mailbox_limit = defaults::mailbox_limit;
};

namespace detail {

/// What is served under that name, here or by a stub; null if nothing is.
std::shared_ptr<callboard::detail::Front> find_served(const std::string& node);

template <class S, class... A>
constexpr bool check_served() {
  constexpr bool can_make = std::is_constructible_v<S, A...>;
  static_assert(
      can_make || !std::is_constructible_v<S, Context&, A...>,
      "callboard: the service wants a Context&, which only a program gives: add it to a Program, "
      "and run that as a ProgramTest");
  static_assert(
      can_make || std::is_constructible_v<S, Context&, A...>,
      "callboard: the service can't be constructed from the arguments given to serve: compare them "
      "with its constructor");
  return can_make;
}

/// A front with a service behind it, ended with the scope. Clients among the arguments of calls are
/// found by name, in all that is served in the process.
class ServedNode {
public:
  /// @param label of the node, where `options` don't name it
  ServedNode(
      std::string_view label, callboard::detail::Servant servant, const ServeOptions& options);
  ServedNode(ServedNode&&) noexcept = default;
  ServedNode& operator=(ServedNode&&) = delete;
  ServedNode(const ServedNode&) = delete;
  ServedNode& operator=(const ServedNode&) = delete;
  ~ServedNode();

  const std::shared_ptr<callboard::detail::Front>& front() const noexcept { return front_; }
  void close();
  void advance(Duration duration);

private:
  std::shared_ptr<callboard::detail::ActorRuntime> runtime_;
  std::shared_ptr<callboard::detail::Front> front_;
};

} // namespace detail

/// A service that runs until the end of the scope, for tests of one service.
template <class S>
class Served {
public:
  Served(std::shared_ptr<S> service, const ServeOptions& options)
      : service_(service.get()),
        node_(
            "served",
            {.interface = &callboard::detail::interface_of<S>(),
             .service = service.get(),
             .owner = std::move(service),
             .own_thread = options.own_thread},
            options) {}

  Client<S> client() const { return Client<S>(node_.front()); }
  /// The object itself, to look into while no call runs.
  S& service() const noexcept { return *service_; }
  /// Ends the service; calls made later fail as `unavailable`.
  void close() { node_.close(); }
  /// Deterministic only: lets virtual time pass.
  void advance(Duration duration) { node_.advance(duration); }

private:
  S* service_;
  detail::ServedNode node_;
};

/// Runs one service made from `arguments`, in a way of your choice.
template <class S, class... A>
Served<S> serve_with(const ServeOptions& options, A&&... arguments) {
  if constexpr (detail::check_served<S, A...>()) {
    return Served<S>(std::make_shared<S>(std::forward<A>(arguments)...), options);
  }
}

/// Runs one service made from `arguments`. One that wants a `Context&` needs a `ProgramTest`.
template <class S, class... A>
Served<S> serve(A&&... arguments) {
  return serve_with<S>({}, std::forward<A>(arguments)...);
}

} // namespace callboard::testing
