// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kinds of number that a tensor holds, as a value (`DType`) and as a C++ type (`Element`).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace callboard {

/// The type of a tensor's elements. The numbers are what travels: never change one.
enum class DType : std::uint8_t {
  f32 = 1,     ///< float
  f64 = 2,     ///< double
  i8 = 3,      ///< std::int8_t
  i16 = 4,     ///< std::int16_t
  i32 = 5,     ///< std::int32_t
  i64 = 6,     ///< std::int64_t
  u8 = 7,      ///< std::uint8_t
  boolean = 8, ///< bool: one byte, 0 or 1
};

/// Whether `dtype` is one of the names above; a number from outside may be any.
constexpr bool is_known(DType dtype) noexcept {
  return dtype >= DType::f32 && dtype <= DType::boolean;
}

/// The name written above, such as "f32"; "unknown" for a number that is none of them.
std::string_view to_string(DType dtype) noexcept;

/// Bytes of one element: 1 to 8; 0 for a number that is none of the dtypes.
constexpr std::size_t size_of(DType dtype) noexcept {
  switch (dtype) {
  case DType::i8:
  case DType::u8:
  case DType::boolean: return 1;
  case DType::i16: return 2;
  case DType::f32:
  case DType::i32: return 4;
  case DType::f64:
  case DType::i64: return 8;
  }
  return 0;
}

namespace detail {

template <class T>
inline constexpr DType dtype_of{};
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::i16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;

} // namespace detail

/// A C++ type that a tensor can hold.
template <class T>
concept Element = is_known(detail::dtype_of<T>);

/// The dtype of a C++ type: `dtype_of<float>` is `DType::f32`.
template <Element T>
inline constexpr DType dtype_of = detail::dtype_of<T>;

} // namespace callboard
