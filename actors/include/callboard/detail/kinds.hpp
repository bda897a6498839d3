// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sorts types by the way in which they travel.
#pragma once

#include <callboard/detail/parts.hpp>
#include <callboard/encoder.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace callboard::detail {

enum class Kind {
  none,        ///< doesn't travel, unless there is a `Codec`
  number,      ///
  flag,        ///< bool
  enumeration, ///
  block,       ///< contiguous numbers, of variable length
  range,       ///< a container, element by element
  array,       ///< `std::array`, `T[n]`
  tuple,       ///
  variant,     ///
  optional,    ///
  pointer,     ///< `std::shared_ptr<const T>`
  duration,    ///
  time_point,  ///
  message,     ///< Protocol Buffers
  inspected,   ///< has an `inspect` function
  fields,      ///< an aggregate
};

/// Lies in memory as it does on the wire.
template <class T>
concept Flat = (Number<T> && wire_size<T> == sizeof(T)) || std::is_enum_v<T>;

/// Can be filled, unlike a view.
template <class T>
concept Fillable = requires(T& value, const typename T::value_type& element) {
  value.insert(value.end(), element);
};

template <class T>
concept Block = Flat<typename T::value_type> && requires(T& value, typename T::value_type* data) {
  data = value.data();
  value.resize(std::size_t{});
};

template <class T>
concept SharedConst = SmartPointer<T> && requires(T& value) {
  value.use_count();
  requires std::is_const_v<typename T::element_type>;
};

template <class T>
concept DurationLike = requires(const T& value) {
  typename T::rep;
  typename T::period;
  value.count();
};

template <class T>
concept TimePointLike = requires(const T& value) {
  typename T::clock;
  typename T::duration;
  value.time_since_epoch();
};

template <class T>
concept MessageLike = requires(T& value, void* out, const void* in) {
  value.SerializeToArray(out, int{});
  value.ParseFromArray(in, int{});
  value.ByteSizeLong();
  value.GetTypeName();
};

template <class T>
consteval Kind kind_of_range() {
  if constexpr (requires { std::tuple_size<T>::value; }) {
    return Kind::array;
  } else if constexpr (Block<T>) {
    return Kind::block;
  } else {
    return Fillable<T> ? Kind::range : Kind::none;
  }
}

template <class T>
consteval Kind kind_of_class() {
  if constexpr (Inspected<T>) {
    return Kind::inspected;
  } else if constexpr (PlainAggregate<T>) {
    return Kind::fields;
  } else if constexpr (is_variant<T>) {
    return Kind::variant;
  } else if constexpr (OptionalLike<T>) {
    return Kind::optional;
  } else if constexpr (Range<T>) {
    return kind_of_range<T>();
  } else if constexpr (TupleLike<T>) {
    return Kind::tuple;
  } else if constexpr (SharedConst<T>) {
    return Kind::pointer;
  } else if constexpr (DurationLike<T>) {
    return Kind::duration;
  } else if constexpr (TimePointLike<T>) {
    return Kind::time_point;
  } else {
    return MessageLike<T> ? Kind::message : Kind::none;
  }
}

template <class T>
consteval Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return Kind::flag;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return Kind::number;
  } else if constexpr (std::is_enum_v<T>) {
    return Kind::enumeration;
  } else if constexpr (std::is_bounded_array_v<T>) {
    return Kind::array;
  } else if constexpr (std::is_class_v<T>) {
    return kind_of_class<T>();
  } else {
    return Kind::none;
  }
}

template <class T>
inline constexpr Kind kind = kind_of<T>();

} // namespace callboard::detail
