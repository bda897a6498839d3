// SPDX-License-Identifier: Apache-2.0
/// @file
/// What kinds of types hold values, and the types of those values.
#pragma once

#include <callboard/reflect.hpp>

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

} // namespace callboard::detail
