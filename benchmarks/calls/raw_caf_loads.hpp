// SPDX-License-Identifier: Apache-2.0
/// @file
/// The same loads on CAF's own typed actors, as its manual writes them.
#pragma once

#include "contest.hpp"

namespace callboard::bench {

/// How CAF's scheduler is set.
enum class Scheduling {
  sharing, ///< as Callboard's: one queue, a worker per core
  stealing ///< CAF's defaults: a queue per worker, at least four workers
};

/// `scoped_actor::request(…).receive` to an idle actor.
Cost raw_call_from_thread(Scheduling scheduling, int calls);
/// `request(…).then` from an event-based actor, `window` at a time.
Cost raw_pipeline(Scheduling scheduling, int calls);
/// `anon_send` from a plain thread, until the last has been received.
Cost raw_send_from_thread(Scheduling scheduling, int sends);
/// `self->send` from an actor, until the last has been received.
Cost raw_send_from_actor(Scheduling scheduling, int sends);

} // namespace callboard::bench
