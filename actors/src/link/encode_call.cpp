// SPDX-License-Identifier: Apache-2.0
#include "encode_call.hpp"

#include <fmt/format.h>

namespace callboard::detail {

std::optional<Error> check_size(std::string_view what, std::size_t size, std::size_t limit) {
  if (size <= limit) {
    return std::nullopt;
  }
  return Error{
      .code = Code::resource_exhausted,
      .message = fmt::format(
          "the {} take {} bytes, and a message to another process has no more than {} "
          "(message_limit): send less at a time, or raise the limit",
          what,
          size,
          limit),
  };
}

std::optional<Error> encode_call(
    CallState& call, std::size_t limit, std::vector<std::byte>& bytes) {
  try {
    if (!call.encoded) {
      bytes = call.encode_arguments();
    } else if (call.method->repeatable) {
      bytes = *call.encoded;
    } else {
      bytes = *std::exchange(call.encoded, nullptr);
    }
  } catch (...) {
    return current_error();
  }
  return check_size("arguments", bytes.size(), limit);
}

std::optional<Error> encode_result(
    const CallState& call, std::size_t limit, std::vector<std::byte>& bytes) {
  try {
    bytes = call.encode_result();
  } catch (...) {
    return current_error();
  }
  return check_size("results", bytes.size(), limit);
}

void fail_later(ActorRuntime& runtime, const Call& call, Error error) {
  auto fail = [call, error = std::move(error)] { call->fail(error); };
  runtime.post(std::make_unique<ContinuationOf<decltype(fail)>>(std::move(fail), nullptr));
}

} // namespace callboard::detail
