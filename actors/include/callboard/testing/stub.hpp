// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: a client whose methods are lambdas.
#pragma once

#include <callboard/testing/serve.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace callboard::testing {

/// A stand-in for a service `S`: `stub<Replay>().on<&Replay::sample>([](int n) { … })`. It is a
/// `Client<S>`, also among the arguments of a program's node, and lives as long as this object.
/// Methods without a lambda fail as `not_found`.
template <class S>
class Stub {
public:
  Stub() : Stub(ServeOptions{}) {}
  explicit Stub(const ServeOptions& options)
      : options_(options), methods_(std::make_shared<Methods>()) {}

  /// Answers calls of `m` with `f(arguments…)`. Before the first use of the client.
  template <auto m, class F>
  Stub& on(F f) & {
    using Facts = callboard::detail::Method<m>;
    static_assert(
        callboard::detail::Exposed<S>::template contains<m>,
        "callboard: the service does not expose this method");
    methods_->entries.push_back(
        {&Facts::info,
         &invoke,
         &callboard::detail::make_empty_call<m>,
         &callboard::detail::method_layout<m>});
    methods_->functions.push_back([f = std::move(f)](callboard::detail::CallState& call) mutable {
      auto& state = static_cast<callboard::detail::MethodCall<m>&>(call);
      if (state.encoded) {
        state.decode_arguments(*std::exchange(state.encoded, {}));
      }
      if constexpr (std::is_void_v<typename Facts::Result>) {
        std::apply(f, state.arguments());
        state.fulfil();
      } else {
        state.fulfil(std::apply(f, state.arguments()));
      }
    });
    return *this;
  }

  template <auto m, class F>
  Stub on(F f) && {
    return std::move(on<m>(std::move(f)));
  }

  Client<S> client() {
    if (!node_) {
      methods_->interface = {callboard::type_name<S>(), methods_->entries};
      node_.emplace(
          "stub",
          callboard::detail::Servant{
              .interface = &methods_->interface, .service = methods_.get(), .owner = methods_},
          options_);
    }
    return Client<S>(node_->front());
  }
  // NOLINTNEXTLINE(google-explicit-constructor): passed where a client is asked for
  operator Client<S>() { return client(); }

private:
  struct Methods {
    callboard::detail::Interface interface;
    std::vector<callboard::detail::MethodEntry> entries;
    std::vector<std::function<void(callboard::detail::CallState&)>> functions;
  };

  static void invoke(void* service, const callboard::detail::Call& call) {
    auto& methods = *static_cast<Methods*>(service);
    for (std::size_t i = 0; i < methods.entries.size(); ++i) {
      if (methods.entries[i].info->tag == call->method->tag) {
        methods.functions[i](*call);
      }
    }
  }

  ServeOptions options_;
  std::shared_ptr<Methods> methods_;
  std::optional<detail::ServedNode> node_;
};

/// A stand-in for a service `S`.
template <class S>
Stub<S> stub(const ServeOptions& options = {}) {
  return Stub<S>(options);
}

} // namespace callboard::testing
