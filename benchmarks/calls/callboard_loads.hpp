// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls between the nodes of one process, as programs make them.
#pragma once

#include "contest.hpp"

#include <cstddef>

namespace callboard::bench {

/// Calls in flight where they are pipelined.
inline constexpr int window = 64;

/// Blocking calls to an idle service from a plain thread.
Cost call_from_thread(int calls);
/// `async` from a plain thread, `window` futures at a time.
Cost pipeline_from_thread(int calls);
/// `async` and `then` in a service, `window` calls at a time.
Cost pipeline_from_service(int calls);
/// `window` coroutines in a service, each awaiting one call after another.
Cost pipeline_from_tasks(int calls);
/// `tell` from a plain thread, until the last has been taken up.
Cost tell_from_thread(int tells);
/// `tell` from a method of a service, until the last has been taken up.
Cost tell_from_service(int tells);
/// Blocking calls that pass a value of that size there and back.
Cost pass_value(int calls, std::size_t bytes);

} // namespace callboard::bench
