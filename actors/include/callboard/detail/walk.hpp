// SPDX-License-Identifier: Apache-2.0
/// @file
/// Finds values of chosen types inside other values.
#pragma once

#include <callboard/detail/parts.hpp>

#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

namespace callboard::detail {

template <template <class> class Predicate, class T, class... Outer>
consteval bool contains();

template <template <class> class Predicate, class... Outer, class... Inner>
consteval bool any_contains(TypeList<Inner...>) {
  return (contains<Predicate, std::remove_cv_t<Inner>, Outer...>() || ...);
}

/// Whether a `T` may hold, at any depth, a value of a type of which `Predicate` is true. A type
/// with an `inspect` function always may. `Outer` are the types that hold the `T`: they end the
/// recursion through types that hold themselves.
template <template <class> class Predicate, class T, class... Outer>
consteval bool contains() {
  if constexpr (is_one_of<T, Outer...>) {
    return false;
  } else if constexpr (Predicate<T>::value || Inspected<T>) {
    return true;
  } else {
    return any_contains<Predicate, T, Outer...>(Parts<T>{});
  }
}

/// Calls `f(leaf)` for every value inside `value`, or `value` itself, of whose type `Predicate<T>`
/// is true: through containers, optionals, variants, pairs, tuples, arrays, fields, and smart
/// pointers to what is not const. A leaf is not looked into. It is const where what holds it is.
///
/// Costs nothing where the types exclude a leaf. What `f` throws passes through.
template <template <class> class Predicate, class T, class F>
void walk(T& value, F&& f) {
  using Plain = std::remove_const_t<T>;
  const auto inner = [&f](auto&... parts) { (walk<Predicate>(parts, f), ...); };
  if constexpr (!contains<Predicate, Plain>()) {
    return;
  } else if constexpr (Predicate<Plain>::value) {
    f(value);
  } else if constexpr (Inspected<Plain> || PlainAggregate<Plain>) {
    for_each_field(value, [&inner](std::string_view, auto& field) { inner(field); });
  } else if constexpr (is_variant<Plain>) {
    std::visit(inner, value);
  } else if constexpr (std::is_array_v<Plain> || Range<Plain>) {
    for (auto& element : value) {
      inner(element);
    }
  } else if constexpr (TupleLike<Plain>) {
    std::apply(inner, value);
  } else if constexpr (OptionalLike<Plain>) {
    value.has_value() ? inner(*value) : void();
  } else if constexpr (!std::is_const_v<typename Plain::element_type>) {
    value ? inner(*value) : void();
  }
}

} // namespace callboard::detail
