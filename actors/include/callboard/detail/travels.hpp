// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which types travel between nodes, and the sentence for those that don't.
#pragma once

#include <callboard/decoder.hpp>
#include <callboard/detail/kinds.hpp>
#include <callboard/encoder.hpp>

#include <string>
#include <type_traits>

namespace callboard {

/// How a `T` travels. Specialise it for a type that is neither known nor `Reflected`, or to travel
/// otherwise; before the first use, that is, next to the type:
///
///     template <>
///     struct callboard::Codec<Matrix> {
///       static void encode(Encoder& encoder, const Matrix& matrix);
///       static Matrix decode(Decoder& decoder);
///       static std::string layout() { return "Matrix v1"; }  // another text for another format
///     };
///
/// What `decode` finds wrong it reports by `decoder.fail`, before it allocates. Values inside are
/// handed to `callboard::encode` and `callboard::decode`.
template <class T, class = void>
struct Codec;

namespace detail {

/// The base of our own codecs.
struct BuiltIn {};

template <class T>
inline constexpr bool has_codec = requires {
  sizeof(Codec<T>);
};

template <class T>
consteval bool is_custom() {
  if constexpr (std::is_arithmetic_v<T> || !has_codec<T>) {
    return false;
  } else {
    return !std::is_base_of_v<BuiltIn, Codec<T>>;
  }
}

/// The user has specialised `Codec` for it.
template <class T>
inline constexpr bool has_custom_codec = is_custom<T>();

/// What an `inspect` function fills when a value arrives.
template <class T>
inline constexpr bool can_be_made = requires {
  T{};
};

template <class T, class... Outer>
consteval bool travels();

template <class... Outer, class... Inner>
consteval bool all_travel(TypeList<Inner...>) {
  return (travels<std::remove_cv_t<Inner>, Outer...>() && ...);
}

/// `Outer` are the types that hold the `T`, the innermost first: they end the recursion through
/// types that hold themselves.
template <class T, class... Outer>
consteval bool travels() {
  if constexpr (std::is_arithmetic_v<T> || is_one_of<T, Outer...> || has_custom_codec<T>) {
    return true;
  } else if constexpr (kind<T> == Kind::inspected) {
    return can_be_made<T>;
  } else if constexpr (kind<T> == Kind::none) {
    return false;
  } else {
    return all_travel<T, Outer...>(Parts<T>{});
  }
}

/// `std::function` and its like.
template <class T>
concept HoldsCode = requires(const T& function) {
  function.target_type();
};

template <class T>
concept Lambda = requires {
  &T::operator();
};

/// Why a type doesn't travel.
enum class Obstacle { pointer, reference, owner, view, code, cannot_be_made, unknown };

template <class T>
consteval Obstacle find_obstacle() {
  if constexpr (std::is_function_v<std::remove_pointer_t<T>> || HoldsCode<T> || Lambda<T>) {
    return Obstacle::code;
  } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T>) {
    return Obstacle::pointer;
  } else if constexpr (std::is_reference_v<T>) {
    return Obstacle::reference;
  } else if constexpr (SmartPointer<T>) {
    return Obstacle::owner;
  } else if constexpr (Range<T>) {
    return Obstacle::view;
  } else {
    return kind<T> == Kind::inspected ? Obstacle::cannot_be_made : Obstacle::unknown;
  }
}

template <class T>
inline constexpr Obstacle obstacle = find_obstacle<T>();

/// Where a type was found: the types around it, the innermost first.
template <class... Outer>
struct In;

/// Its instantiation is the compiler's message; the names of the type and of its owner are in it.
template <class T, class Where>
struct CantTravel {
  static_assert(
      obstacle<T> != Obstacle::pointer,
      "callboard: this type can't travel between nodes: a pointer means nothing elsewhere; "
      "hold the value, or a std::shared_ptr<const T>");
  static_assert(
      obstacle<T> != Obstacle::reference,
      "callboard: this type can't travel between nodes: it is a reference; hold the value");
  static_assert(
      obstacle<T> != Obstacle::owner,
      "callboard: this type can't travel between nodes: it owns something that may change; "
      "hold the value, or a std::shared_ptr<const T>");
  static_assert(
      obstacle<T> != Obstacle::view,
      "callboard: this type can't travel between nodes: a view doesn't own what it shows; "
      "hold a std::string or a std::vector");
  static_assert(
      obstacle<T> != Obstacle::code,
      "callboard: this type can't travel between nodes: it is code; "
      "send the data that the code would work on");
  static_assert(
      obstacle<T> != Obstacle::cannot_be_made,
      "callboard: this type can't travel between nodes: it has an inspect function but no "
      "default constructor, which makes what inspect then fills");
  static_assert(
      obstacle<T> != Obstacle::unknown,
      "callboard: this type can't travel between nodes: it is no aggregate without bases and "
      "references, nor of a known kind; give it an inspect function or specialise "
      "callboard::Codec");
  static constexpr bool reported = true;
};

template <class T, class... Outer>
consteval bool require_transferable();

template <class... Outer, class... Inner>
consteval bool require_all(TypeList<Inner...>) {
  return (require_transferable<std::remove_cv_t<Inner>, Outer...>() & ... & true);
}

/// Compiles if a `T` travels. If not, the error is a sentence, and names the type at fault and the
/// types around it. `Outer` may say what the `T` is part of, such as a method.
template <class T, class... Outer>
consteval bool require_transferable() {
  if constexpr (travels<T, Outer...>()) {
    return true;
  } else if constexpr (kind<T> == Kind::none || kind<T> == Kind::inspected) {
    return CantTravel<T, In<Outer...>>::reported;
  } else {
    return require_all<T, Outer...>(Parts<T>{});
  }
}

} // namespace detail
} // namespace callboard
