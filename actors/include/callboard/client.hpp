// SPDX-License-Identifier: Apache-2.0
/// @file
/// How one node calls another.
#pragma once

#include <callboard/future.hpp>
#include <callboard/service.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace callboard {

/// How a client's calls are made.
struct CallOptions {
  /// Longest wait for a reply. None: the program's default (10 s); without end for a `Deferred`
  /// reply.
  std::optional<Duration> deadline{};
};

namespace detail {

const std::string& node_of(const Front& front);
/// A name at set-up time, in the program with number `origin`.
std::shared_ptr<Front> unbound_front(std::string node, std::uint64_t origin);
/// The node of that name as the present thread's program knows it; unbound outside a program.
std::shared_ptr<Front> find_front(std::string node);

/// Sends a call off. Never waits, but for room in a full mailbox.
void post_call(const std::shared_ptr<Front>& front, CallRef state, const CallOptions& options);
/// Sends a call off, on this thread if it can be, and waits for its end.
void complete_call(
    const std::shared_ptr<Front>& front, CallState& state, const CallOptions& options);

/// Whether a call with arguments of types `A` would be one of the method itself: no explicit
/// constructors (a vector from a number), no missing arguments.
template <class Parameters, class... A>
constexpr bool arguments_fit = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
constexpr bool arguments_fit<std::tuple<P...>, A...> = (std::is_convertible_v<A, P> && ...);

template <class S, auto m, class... A>
constexpr bool check_call() {
  static_assert(
      Signature<decltype(m)>::is_method,
      "callboard: a call is named by a method of the service: client.call<&Service::method>(…)");
  static_assert(
      Exposed<S>::template contains<m>,
      "callboard: this method is not exposed by the service: list it in its `using exposed = "
      "methods<…>`");
  constexpr bool fits = arguments_fit<typename Method<m>::Arguments, A...>;
  static_assert(fits, "callboard: these arguments do not fit the parameters of the method called");
  return fits && Exposed<S>::template contains<m>;
}

} // namespace detail

/// Calls the exposed methods of a node whose service is an `S`. Light, copyable, thread-safe, and
/// good for as long as the program runs, whatever becomes of the node meanwhile. A
/// `Client<Derived>` is a `Client<Base>` if the derived service exposes all that the base does.
///
/// Every call ends: with the reply, with an error, or with its deadline. Calls and tells of one
/// client run in the order in which they were made.
template <class S>
class Client {
public:
  using Service = S;

  /// A client of nobody; calls through it fail with `failed_precondition`.
  Client() = default;
  explicit Client(std::shared_ptr<detail::Front> front) : front_(std::move(front)) {}
  template <class Derived>
    requires(!std::is_same_v<Derived, S> && detail::ServesAs<Derived, S>)
  // NOLINTNEXTLINE(google-explicit-constructor): as pointers do
  Client(const Client<Derived>& other) : front_(other.front()), options_(other.options()) {}

  /// Calls `m` and waits for its result. A short method of an idle service runs on this thread.
  /// @throws CallError what the method threw (`application`), or why there is no reply;
  ///         `failed_precondition` inside a method of a node without own thread
  template <auto m, class... A>
  typename detail::Method<m>::Result call(A&&... arguments) const {
    return try_call<m>(std::forward<A>(arguments)...).value();
  }

  /// As `call`, with the failure as a value.
  template <auto m, class... A>
  Result<typename detail::Method<m>::Result> try_call(A&&... arguments) const {
    auto call = make<m>(std::forward<A>(arguments)...);
    detail::complete_call(front_, *call, options_);
    return detail::take_result(*call);
  }

  /// Calls `m` without waiting. A failure is in the future, never thrown here.
  template <auto m, class... A>
  Future<typename detail::Method<m>::Result> async(A&&... arguments) const {
    auto call = make<m>(std::forward<A>(arguments)...);
    detail::post_call(front_, call, options_);
    return Future<typename detail::Method<m>::Result>(std::move(call));
  }

  /// Calls `m` and forgets it: no result, and a failure of the method is only logged. Waits for
  /// room in a full mailbox, up to the deadline.
  /// @throws CallError  nothing was sent: {resource_exhausted} the mailbox stayed full, or the
  ///         arguments are too large for a message to another process; {failed_precondition} the
  ///         program does not run; what encoding an argument threw
  template <auto m, class... A>
  void tell(A&&... arguments) const {
    auto call = make<m>(std::forward<A>(arguments)...);
    call->one_way = true;
    detail::post_call(front_, std::move(call), options_);
  }

  /// The same client with other options.
  Client with(CallOptions options) const {
    Client copy = *this;
    copy.options_ = options;
    return copy;
  }

  /// The node's name, such as "replay/0"; empty for a client of nobody.
  std::string node() const { return front_ ? detail::node_of(*front_) : std::string(); }
  explicit operator bool() const noexcept { return front_ != nullptr; }

  /// Same node, whatever the options.
  friend bool operator==(const Client& a, const Client& b) { return a.front_ == b.front_; }

  /// The CAF typed actor of the node. Needs `<callboard/caf.hpp>`.
  template <class T = S>
  auto actor() const {
    return typed_actor_of(static_cast<const Client<T>&>(*this));
  }

  // For Callboard's own use.
  const std::shared_ptr<detail::Front>& front() const noexcept { return front_; }
  const CallOptions& options() const noexcept { return options_; }
  void bind(std::shared_ptr<detail::Front> front) { front_ = std::move(front); }

private:
  template <auto m, class... A>
  static auto make(A&&... arguments) {
    if constexpr (detail::check_call<S, m, A...>()) {
      return detail::Ref<detail::MethodCall<m>>::first(
          new detail::MethodCall<m>(std::in_place, std::forward<A>(arguments)...));
    } else {
      return detail::Ref<detail::MethodCall<m>>();
    }
  }

  std::shared_ptr<detail::Front> front_;
  CallOptions options_;
};

/// A client travels as the name of its node.
template <class S>
struct Codec<Client<S>> {
  static void encode(Encoder& encoder, const Client<S>& client) {
    callboard::encode(encoder, client.node());
  }
  static Client<S> decode(Decoder& decoder) {
    auto node = callboard::decode<std::string>(decoder);
    return node.empty() ? Client<S>() : Client<S>(detail::find_front(std::move(node)));
  }
  static std::string layout() { return "Client<" + type_name<S>() + ">"; }
};

} // namespace callboard
