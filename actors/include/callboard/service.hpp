// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a plain class becomes a service: its table of methods, made from `exposed`.
#pragma once

#include <callboard/deferred.hpp>
#include <callboard/task.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace callboard::detail {

/// One exposed method and how it is run.
struct MethodEntry {
  const MethodInfo* info;
  void (*invoke)(void* service, const Call& call);
  CallRef (*make_call)();  ///< an empty call, to be decoded into
  std::string (*layout)(); ///< of arguments and result, for the fingerprint
};

/// What a service class exposes.
struct Interface {
  std::string service;
  std::span<const MethodEntry> methods;
};

template <class P>
constexpr bool is_out_parameter =
    std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;

template <class Parameters>
struct ParameterChecks;
template <class... P>
struct ParameterChecks<std::tuple<P...>> {
  static constexpr bool no_out = (!is_out_parameter<P> && ...);
  static constexpr bool copyable = (std::is_copy_constructible_v<std::decay_t<P>> && ...);
  static constexpr void require_transferable() {
    (static_cast<void>(callboard::detail::require_transferable<std::decay_t<P>>()), ...);
  }
};

/// The kinds of method that can't be called from another node are refused, each with its sentence.
template <auto m>
constexpr bool require_exposable() {
  using Facts = Signature<decltype(m)>;
  static_assert(
      Facts::is_method,
      "callboard: only non-static methods can be exposed; a static method or a free function has "
      "no "
      "node to run on: make it a method");
  if constexpr (Facts::is_method) {
    using Checks = ParameterChecks<typename Facts::Parameters>;
    using R = typename Method<m>::Result;
    static_assert(
        !std::is_reference_v<typename Facts::Return> && !std::is_pointer_v<typename Facts::Return>,
        "callboard: an exposed method can't return a reference or a pointer, its target stays on "
        "the "
        "node: return a value, or std::shared_ptr<const T>");
    static_assert(
        Checks::no_out,
        "callboard: an exposed method can't take T&, the caller would never see the change: take a "
        "value or const T&, and return the result");
    static_assert(
        Checks::copyable,
        "callboard: an exposed method can't take a move-only argument, a call may have to be "
        "repeated: "
        "take std::shared_ptr<const T> or a value");
    if constexpr (!std::is_void_v<R> && !std::is_reference_v<R> && !std::is_pointer_v<R>) {
      static_cast<void>(require_transferable<R>());
    }
    if constexpr (Checks::no_out && Checks::copyable) {
      Checks::require_transferable();
    }
  }
  return true;
}

/// By-value and `T&&` parameters take the argument over; others look at it.
template <class P, class A>
decltype(auto) pass(A& argument) {
  if constexpr (std::is_lvalue_reference_v<P>) {
    return static_cast<const A&>(argument);
  } else {
    return std::move(argument);
  }
}

template <class S, auto m, std::size_t... i>
decltype(auto) apply_method(
    S& service, typename Method<m>::Arguments& arguments, std::index_sequence<i...> /*of*/) {
  using Parameters = typename Method<m>::Parameters;
  return (service.*m)(pass<std::tuple_element_t<i, Parameters>>(std::get<i>(arguments))...);
}

template <class R>
constexpr bool is_deferred = false;
template <class R>
constexpr bool is_deferred<Deferred<R>> = true;
template <class R>
constexpr bool is_task = false;
template <class R>
constexpr bool is_task<Task<R>> = true;

/// Runs `m` and sees to the reply. What the method throws goes through.
template <class S, auto m>
void invoke_method(void* service, const Call& call) {
  using Facts = Method<m>;
  auto& state = static_cast<MethodCall<m>&>(*call);
  if (state.encoded) {
    state.decode_arguments(*std::exchange(state.encoded, {}));
  }
  auto run = [&]() -> decltype(auto) {
    constexpr auto all = std::make_index_sequence<std::tuple_size_v<typename Facts::Arguments>>();
    return apply_method<S, m>(*static_cast<S*>(service), state.arguments(), all);
  };
  if constexpr (is_deferred<typename Facts::Return>) {
    run().attach(call);
  } else if constexpr (is_task<typename Facts::Return>) {
    run().start(call);
  } else if constexpr (std::is_void_v<typename Facts::Return>) {
    run();
    state.fulfil();
  } else {
    state.fulfil(run());
  }
}

template <auto m, class Type = decltype(m)>
std::string method_layout() {
  std::string text = callboard::layout<typename Method<m>::Arguments>() + " -> ";
  if constexpr (std::is_void_v<typename Method<m>::Result>) {
    return text + "void";
  } else {
    return text + callboard::layout<typename Method<m>::Result>();
  }
}

template <auto m, class Type = decltype(m)>
CallRef make_empty_call() {
  return CallRef::first(new MethodCall<m>());
}

template <class S, auto m>
constexpr MethodEntry entry_of() {
  if constexpr (require_exposable<m>()) {
    return {&Method<m>::info, &invoke_method<S, m>, &make_empty_call<m>, &method_layout<m>};
  }
}

template <class S, auto... ms>
constexpr auto entries_of(MethodList<ms...> /*list*/) {
  return std::array<MethodEntry, sizeof...(ms)>{entry_of<S, ms>()...};
}

/// The interface of service class `S`.
template <class S>
const Interface& interface_of() {
  static constexpr auto entries = entries_of<S>(Exposed<S>{});
  static const Interface interface { .service = callboard::type_name<S>(), .methods = entries };
  return interface;
}

} // namespace callboard::detail
