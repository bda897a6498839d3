// SPDX-License-Identifier: Apache-2.0
/// @file
/// Arguments and results as bytes of no more than the limit.
#pragma once

#include <callboard/detail/call_state.hpp>
#include <callboard/detail/runtime.hpp>

#include <optional>
#include <vector>

namespace callboard::detail {

/// Why so many bytes can't be sent, if they are too many.
std::optional<Error> check_size(std::string_view what, std::size_t size, std::size_t limit);

/// Takes the arguments as bytes, and keeps them for a call that may have to be repeated.
std::optional<Error> encode_call(CallState& call, std::size_t limit, std::vector<std::byte>& bytes);

std::optional<Error> encode_result(
    const CallState& call, std::size_t limit, std::vector<std::byte>& bytes);

/// Fails the call on the scheduler: for those who hold a lock, since a call's end may run anything.
void fail_later(ActorRuntime& runtime, const Call& call, Error error);

} // namespace callboard::detail
