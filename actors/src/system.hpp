// SPDX-License-Identifier: Apache-2.0
/// @file
/// The CAF actor system of one runtime.
#pragma once

#include <callboard/detail/runtime.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

namespace callboard::detail {

struct ActorRuntime::System {
  explicit System(const RuntimeOptions& options);

  caf::actor_system& actors() { return *system; }
  caf::scheduler::test_coordinator& test_scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler());
  }

  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
};

}  // namespace callboard::detail
