// SPDX-License-Identifier: Apache-2.0
/// @file
/// The CAF actor system of one runtime.
#pragma once

#include <callboard/detail/runtime.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/logger.hpp>
#include <caf/scheduler/test_coordinator.hpp>

namespace callboard::detail {

/// Lets go of CAF's logger, which a thread that makes actors holds from then on: the actor system's
/// destructor waits until no thread does.
inline void forget_logger() {
  caf::logger::set_current_actor_system(nullptr);
}

/// Adds CAF's middleman, and what links send through it.
void load_network(caf::actor_system_config& config);

struct ActorRuntime::System {
  explicit System(const RuntimeOptions& options);

  caf::actor_system& actors() const { return *system; }
  caf::scheduler::test_coordinator& test_scheduler() const {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler());
  }

  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
};

} // namespace callboard::detail
