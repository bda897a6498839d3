// SPDX-License-Identifier: Apache-2.0
/// @file
/// For clang-tidy 14 alone, which `./dev lint` has include it first: clang 14 lacks the builtin of
/// which libstdc++ 12 makes `std::source_location`.
#pragma once

#include <version>

#ifndef __cpp_lib_source_location
#include <cstdint>

namespace std {
struct source_location {
  static constexpr source_location current() noexcept { return {}; }
  constexpr uint_least32_t line() const noexcept { return 0; }
  constexpr uint_least32_t column() const noexcept { return 0; }
  constexpr const char* file_name() const noexcept { return ""; }
  constexpr const char* function_name() const noexcept { return ""; }
};
} // namespace std
#endif
