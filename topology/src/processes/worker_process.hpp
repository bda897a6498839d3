// SPDX-License-Identifier: Apache-2.0
/// @file
/// A worker process as its launcher sees it.
#pragma once

#include "control.hpp"

#include <callboard/backend.hpp>
#include <callboard/client.hpp>
#include <callboard/detail/network.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace callboard::detail {

/// One process, in all its lives. Guarded by the launcher's lock.
struct WorkerProcess {
  enum class State : unsigned char { down, starting, joined };

  std::string name;               ///< that of its first node
  std::vector<std::string> nodes; ///< that live there
  State state = State::down;
  std::int32_t life = 0;
  std::optional<JobId> job{};
  std::uint16_t port = 0;
  std::shared_ptr<Link> link{};
  std::shared_ptr<Front> control_front{};
  Client<WorkerControl> control{};
  std::string refusal{};         ///< why it may not take part
  std::set<std::string> asked{}; ///< nodes of which it wants to know where they are
};

} // namespace callboard::detail
