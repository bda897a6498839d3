// SPDX-License-Identifier: Apache-2.0
/// @file
/// The node that acts.
#pragma once

#include "config.hpp"
#include "counter_node.hpp"
#include "learner_node.hpp"
#include "sampler.hpp"

#include <callboard/client.hpp>
#include <callboard/context.hpp>

namespace cartpole {

/// Steps its environments with the newest parameters, sends the learner what happened, and waits
/// for the parameters that come of it.
class ActorNode {
public:
  ActorNode(
      callboard::Context& context,
      const Config& config,
      callboard::Client<CounterNode> counter,
      callboard::Client<LearnerNode> learner);

  void run();

private:
  callboard::Context& context_;
  callboard::Client<CounterNode> counter_;
  callboard::Client<LearnerNode> learner_;
  Sampler sampler_;
};

} // namespace cartpole
