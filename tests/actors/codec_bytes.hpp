// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests of the codec: raw bytes, and what is wrong with them.
#pragma once

#include <callboard/codec.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace callboard::test {

using Bytes = std::vector<std::byte>;

template <class... Byte>
Bytes bytes(Byte... values) {
  return {static_cast<std::byte>(values)...};
}

/// The message of the `malformed` error; empty if `raw` decodes.
template <class T>
std::string malformed_text(std::span<const std::byte> raw) {
  try {
    decoded<T>(raw);
    return "";
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), Code::malformed) << error.what();
    return error.error().message;
  }
}

} // namespace callboard::test
