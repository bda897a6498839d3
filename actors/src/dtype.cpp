// SPDX-License-Identifier: Apache-2.0
#include <callboard/dtype.hpp>

namespace callboard {

std::string_view to_string(DType dtype) noexcept {
  switch (dtype) {
  case DType::f32: return "f32";
  case DType::f64: return "f64";
  case DType::i8: return "i8";
  case DType::i16: return "i16";
  case DType::i32: return "i32";
  case DType::i64: return "i64";
  case DType::u8: return "u8";
  case DType::boolean: return "boolean";
  }
  return "unknown";
}

} // namespace callboard
