// SPDX-License-Identifier: Apache-2.0
#include "calls/raw_caf_loads.hpp"

#include "calls/callboard_loads.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace callboard::bench {
namespace {

using EchoActor = caf::typed_actor<caf::replies_to<std::int32_t>::with<std::int32_t>>;
using SinkActor = caf::
    typed_actor<caf::reacts_to<std::int32_t>, caf::replies_to<caf::get_atom>::with<std::int64_t>>;
using Start = caf::atom_constant<caf::atom("start")>;
using CallDriver = caf::typed_actor<caf::replies_to<Start, std::int32_t>::with<std::int32_t>>;

EchoActor::behavior_type echo() {
  return {[](std::int32_t value) { return value; }};
}

struct SinkState {
  std::int64_t sum = 0;
};

SinkActor::behavior_type sink(SinkActor::stateful_pointer<SinkState> self) {
  return {
      [self](std::int32_t value) { self->state.sum += value; },
      [self](caf::get_atom) { return self->state.sum; },
  };
}

struct DriverState {
  DriverState() = default; // no aggregate: CAF would initialise its first field with the actor

  EchoActor echo;
  std::int32_t unsent = 0;
  std::int32_t unanswered = 0;
  caf::typed_response_promise<std::int32_t> finished;
};

using DriverPointer = CallDriver::stateful_pointer<DriverState>;

void send_one(DriverPointer self) {
  DriverState& state = self->state;
  if (state.unsent == 0) {
    return;
  }
  --state.unsent;
  self->request(state.echo, caf::infinite, state.unsent).then([self](std::int32_t) {
    if (--self->state.unanswered == 0) {
      self->state.finished.deliver(std::int32_t{0});
    } else {
      send_one(self);
    }
  });
}

CallDriver::behavior_type call_driver(DriverPointer self, EchoActor target) {
  self->state.echo = std::move(target);
  return {[self](Start, std::int32_t calls) {
    self->state.unsent = calls;
    self->state.unanswered = calls;
    self->state.finished = self->make_response_promise<std::int32_t>();
    for (int i = 0; i < window; ++i) {
      send_one(self);
    }
    return self->state.finished;
  }};
}

CallDriver::behavior_type send_driver(CallDriver::pointer self, SinkActor target) {
  return {[self, target](Start, std::int32_t sends) {
    for (std::int32_t i = 0; i < sends; ++i) {
      self->send(target, std::int32_t{1});
    }
    return sends;
  }};
}

class Config : public caf::actor_system_config {
public:
  explicit Config(Scheduling scheduling) {
    if (scheduling == Scheduling::sharing) {
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{std::max(2U, std::thread::hardware_concurrency())});
    }
  }
};

[[noreturn]] void fail(const caf::error& error) {
  std::fprintf(stderr, "%s\n", caf::to_string(error).c_str());
  std::abort();
}

void start(const caf::scoped_actor& self, const CallDriver& driver, int operations) {
  self->request(driver, caf::infinite, Start::value, static_cast<std::int32_t>(operations))
      .receive([](std::int32_t) {}, fail);
}

void await_sink(const caf::scoped_actor& self, const SinkActor& target) {
  self->request(target, caf::infinite, caf::get_atom::value).receive([](std::int64_t) {}, fail);
}

} // namespace

Cost raw_call_from_thread(Scheduling scheduling, int calls) {
  Config config(scheduling);
  caf::actor_system system(config);
  const EchoActor target = system.spawn(echo);
  const caf::scoped_actor self(system);
  const Stopwatch stopwatch;
  for (std::int32_t i = 0; i < calls; ++i) {
    self->request(target, caf::infinite, i).receive([](std::int32_t) {}, fail);
  }
  return stopwatch.per_operation(calls);
}

Cost raw_pipeline(Scheduling scheduling, int calls) {
  Config config(scheduling);
  caf::actor_system system(config);
  const caf::scoped_actor self(system);
  const CallDriver driver = system.spawn(call_driver, system.spawn(echo));
  const Stopwatch stopwatch;
  start(self, driver, calls);
  return stopwatch.per_operation(calls);
}

Cost raw_send_from_thread(Scheduling scheduling, int sends) {
  Config config(scheduling);
  caf::actor_system system(config);
  const SinkActor target = system.spawn(sink);
  const caf::scoped_actor self(system);
  const Stopwatch stopwatch;
  for (int i = 0; i < sends; ++i) {
    caf::anon_send(target, std::int32_t{1});
  }
  await_sink(self, target);
  return stopwatch.per_operation(sends);
}

Cost raw_send_from_actor(Scheduling scheduling, int sends) {
  Config config(scheduling);
  caf::actor_system system(config);
  const SinkActor target = system.spawn(sink);
  const CallDriver driver = system.spawn(send_driver, target);
  const caf::scoped_actor self(system);
  const Stopwatch stopwatch;
  start(self, driver, sends);
  await_sink(self, target);
  return stopwatch.per_operation(sends);
}

} // namespace callboard::bench
