// SPDX-License-Identifier: Apache-2.0
/// @file
/// Methods as compile-time names of calls: `methods<&S::a, &S::b>` lists what a service exposes.
#pragma once

#include <callboard/reflect.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace callboard {

template <class R>
class Deferred;
template <class R>
class Task;

/// Picks one of several overloads: `method<int(int) const>(&S::f)`.
template <class Signature, class S>
constexpr auto method(Signature S::*pointer) {
  return pointer;
}

namespace detail {

/// What the type of a method pointer says. Everything that is not one looks like `void f()`, so
/// that the sentence which refuses it is all that the compiler says.
template <class Pointer>
struct Signature {
  static constexpr bool is_method = false;
  static constexpr bool is_const = false;
  using Return = void;
  using Parameters = std::tuple<>;
  using Arguments = std::tuple<>;
};

template <class S, bool constant, class R, class... A>
struct SignatureOf {
  static constexpr bool is_method = true;
  static constexpr bool is_const = constant;
  using Service = S;
  using Return = R;
  using Parameters = std::tuple<A...>;
  using Arguments = std::tuple<std::decay_t<A>...>;
};

// clang-format off
template <class S, class R, class... A> struct Signature<R (S::*)(A...)> : SignatureOf<S, false, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) const> : SignatureOf<S, true, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) &> : SignatureOf<S, false, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) const&> : SignatureOf<S, true, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) noexcept> : SignatureOf<S, false, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) const noexcept> : SignatureOf<S, true, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) & noexcept> : SignatureOf<S, false, R, A...> {};
template <class S, class R, class... A> struct Signature<R (S::*)(A...) const& noexcept> : SignatureOf<S, true, R, A...> {};
// clang-format on

/// What a caller gets: `R` for a method that returns `R`, `Deferred<R>` or `Task<R>`.
template <class R>
struct Unwrapped {
  using Type = R;
  static constexpr bool deferred = false;
};
template <class R>
struct Unwrapped<Deferred<R>> {
  using Type = R;
  static constexpr bool deferred = true;
};
template <class R>
struct Unwrapped<Task<R>> {
  using Type = R;
  static constexpr bool deferred = false;
};

template <auto m>
constexpr std::string_view pretty_method() {
  return __PRETTY_FUNCTION__;
}

/// "callboard::ParameterServer::pull" for `&ParameterServer::pull`, as the compiler writes it.
template <auto m>
constexpr std::string_view method_in() {
  std::string_view text = pretty_method<m>();
  // "constexpr … pretty_method() [with auto m = &Namespace::S::f; …]", for some as "(… (& S::f))"
  text.remove_prefix(text.find("m = ") + 4);
  text = text.substr(0, text.find("; std::string_view"));
  const std::size_t address = text.rfind('&');
  text.remove_prefix(address == std::string_view::npos ? 0 : address + 1);
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(')')) {
    text.remove_suffix(1);
  }
  return text;
}

/// The same as `type_name` spells it: "ParameterServer::pull".
template <auto m, class Type = decltype(m)>
struct MethodName {
  static constexpr std::size_t length = respell(method_in<m>(), nullptr);
  static constexpr auto text = [] {
    std::array<char, length + 1> name{};
    respell(method_in<m>(), name.data());
    return name;
  }();
  static constexpr std::string_view view{text.data(), length};
};

/// FNV-1a of the method's full name and type, as a valid CAF atom: 10 characters of 6 bits.
constexpr std::uint64_t atom_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  // Each 6-bit digit is 1 or more, since 0 ends an atom; 0xF in front is how CAF marks its start.
  std::uint64_t atom = 0xF;
  for (int i = 0; i < 10; ++i) {
    atom = (atom << 6) | (1 + hash % 63);
    hash /= 63;
  }
  return atom;
}

template <auto m, class Type = decltype(m)>
constexpr std::string_view tagged_method() {
  return __PRETTY_FUNCTION__;
}

/// What is known of a method without knowing who serves it.
struct MethodInfo {
  std::uint64_t tag;     ///< hash of class, method and type: names the call in messages
  std::string_view name; ///< "Replay::sample"
  bool repeatable;       ///< const: may be asked again when the peer dies in the middle
  bool deferred;         ///< replies when it can; waits until stop unless given patience
};

/// What is known of method `m`. Here and elsewhere `Type` has but one use: g++ 12 gives a template
/// of a pointer to member alone external linkage, though its class be in an unnamed namespace; two
/// files that both have a class of that name would then share one instance.
template <auto m, class Type = decltype(m)>
struct Method : Signature<decltype(m)> {
  using Base = Signature<decltype(m)>;
  using Result = typename Unwrapped<typename Base::Return>::Type;

  static constexpr MethodInfo info{
      .tag = atom_of(tagged_method<m>()),
      .name = MethodName<m>::view,
      .repeatable = Base::is_const,
      .deferred = Unwrapped<typename Base::Return>::deferred,
  };
};

template <auto... ms>
struct MethodList {
  static constexpr std::size_t size = sizeof...(ms);

  template <auto m>
  static constexpr bool contains = ((Method<ms>::info.tag == Method<m>::info.tag) || ...);
};

template <class... Lists>
struct Joined;
template <auto... a>
struct Joined<MethodList<a...>> {
  using Type = MethodList<a...>;
};
template <auto... a, auto... b, class... More>
struct Joined<MethodList<a...>, MethodList<b...>, More...>
    : Joined<MethodList<a..., b...>, More...> {};

template <auto entry>
constexpr auto list_of() {
  using Entry = std::remove_cvref_t<decltype(entry)>;
  if constexpr (requires { typename Entry::List; }) {
    return typename Entry::List{};
  } else {
    return MethodList<entry>{};
  }
}

} // namespace detail

/// The methods that a service exposes to other nodes: `using exposed = methods<&S::a, &S::b>;`,
/// last in the class. A derived service adds to its base's: `methods<Base::exposed{},
/// &Derived::c>`.
template <auto... entries>
// NOLINTNEXTLINE(readability-identifier-naming): reads as the word it is in `using exposed =`
struct methods {
  using List =
      typename detail::Joined<detail::MethodList<>, decltype(detail::list_of<entries>())...>::Type;
};

namespace detail {

template <class S>
concept HasExposed = requires {
  typename S::exposed::List;
};

template <class S>
struct ExposedOf {
  using Type = MethodList<>;
};
template <HasExposed S>
struct ExposedOf<S> {
  using Type = typename S::exposed::List;
};

/// The methods of service `S`; none if it exposes nothing.
template <class S>
using Exposed = typename ExposedOf<S>::Type;

template <class Derived, auto... ms>
constexpr bool contains_all(MethodList<ms...>) {
  return (Exposed<Derived>::template contains<ms> && ...);
}

/// Whether a `Client<Derived>` can serve as a `Client<Base>`.
template <class Derived, class Base>
concept ServesAs = std::derived_from<Derived, Base> && contains_all<Derived>(Exposed<Base>{});

} // namespace detail
} // namespace callboard
