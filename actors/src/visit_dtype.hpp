// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a dtype, known at run time, to a C++ type.
#pragma once

#include <callboard/dtype.hpp>
#include <callboard/error.hpp>

namespace callboard {

/// `visitor` called with a value of the C++ type of `dtype`; only the value's type matters.
template <class Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
  case DType::f32: return visitor(float{});
  case DType::f64: return visitor(double{});
  case DType::i8: return visitor(std::int8_t{});
  case DType::i16: return visitor(std::int16_t{});
  case DType::i32: return visitor(std::int32_t{});
  case DType::i64: return visitor(std::int64_t{});
  case DType::u8: return visitor(std::uint8_t{});
  case DType::boolean: return visitor(bool{});
  }
  throw CallError(Code::internal, "a tensor has an unknown dtype");
}

} // namespace callboard
