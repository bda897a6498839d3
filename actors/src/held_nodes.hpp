// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which nodes of this process are held up by a method that waits for another node. The header of a
/// call says it for the nodes of all processes, but not where a method first sends the call and
/// then waits for its future.
#pragma once

#include <callboard/detail/call_state.hpp>

namespace callboard::detail {

/// While it lives, the present node is held up by `call`, if it is: if a method that may block
/// waits for another method. If the wait would close a cycle, the call is failed instead.
/// Thread-safe.
class HeldNodeScope {
public:
  explicit HeldNodeScope(CallState& call);
  HeldNodeScope(const HeldNodeScope&) = delete;
  HeldNodeScope& operator=(const HeldNodeScope&) = delete;
  ~HeldNodeScope();

private:
  const Front* held_ = nullptr;
};

/// What a caller in a cycle is told: "a/0 → b/0 → a/0", beginning with the one called.
Error cycle_error(const std::vector<const Front*>& waiting);

} // namespace callboard::detail
