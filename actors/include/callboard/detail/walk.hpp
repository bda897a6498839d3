// SPDX-License-Identifier: Apache-2.0
/// @file
/// Finds values of chosen types inside other values.
#pragma once

#include <callboard/reflect.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace callboard::detail {

template <class... T>
struct TypeList {};

template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

/// Containers, recognised by what they offer, so that their headers need not be read.
template <class T>
concept Range = requires(T& value) {
  typename T::value_type;
  value.begin();
  value.end();
  value.size();
};

template <class T>
concept OptionalLike = requires(T& value) {
  typename T::value_type;
  value.has_value();
  *value;
  value.reset();
};

/// `std::unique_ptr` and `std::shared_ptr`.
template <class T>
concept SmartPointer = requires(T& value) {
  typename T::element_type;
  value.get();
  value.reset();
  *value;
};

template <class T>
concept TupleLike = !Range<T> && requires {
  std::tuple_size<T>::value;
};

template <class Tuple, std::size_t... i>
TypeList<std::tuple_element_t<i, Tuple>...> tuple_parts(std::index_sequence<i...>);

template <class... T>
TypeList<T...> variant_parts(const std::variant<T...>*);

/// The types of the fields of an aggregate. What an `inspect` function lists is known at run time
/// only.
template <class T>
consteval auto field_parts() {
  return with_fields<field_count<T>>(
      fake_object<T>.value, []<class... Fields>(Fields&...) { return TypeList<Fields...>{}; });
}

/// The types of what a `T` directly holds, as a `TypeList`.
template <class T>
consteval auto parts_of() {
  if constexpr (std::is_array_v<T>) {
    return TypeList<std::remove_extent_t<T>>{};
  } else if constexpr (is_variant<T>) {
    return decltype(variant_parts(static_cast<const T*>(nullptr))){};
  } else if constexpr (Range<T> || OptionalLike<T>) {
    return TypeList<typename T::value_type>{};
  } else if constexpr (TupleLike<T>) {
    return decltype(tuple_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>{})){};
  } else if constexpr (SmartPointer<T>) {
    return TypeList<typename T::element_type>{};
  } else if constexpr (PlainAggregate<T>) {
    return decltype(field_parts<T>()){};
  } else {
    return TypeList<>{};
  }
}

template <class T>
using Parts = decltype(parts_of<std::remove_cv_t<T>>());

template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

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
