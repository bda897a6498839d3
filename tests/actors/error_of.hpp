// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: the failure of what should fail.
#pragma once

#include <callboard/error.hpp>

#include <gtest/gtest.h>

namespace callboard {

/// The error of the `CallError` that `f` throws.
template <class F>
Error error_of(F f) {
  try {
    static_cast<void>(f());
  } catch (const CallError& error) {
    return error.error();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

} // namespace callboard
