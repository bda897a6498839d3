// SPDX-License-Identifier: Apache-2.0
#include "actor_node.hpp"

#include <utility>

namespace cartpole {

using callboard::Client;

ActorNode::ActorNode(
    callboard::Context& context,
    const Config& config,
    Client<CounterNode> counter,
    Client<LearnerNode> learner)
    : context_(context),
      counter_(std::move(counter)),
      learner_(std::move(learner)),
      sampler_(context.seed(), {.environments = config.environments, .steps = config.steps}) {}

void ActorNode::run() {
  for (std::uint64_t version = 0; !context_.stopping();) {
    const Parameters parameters = learner_.call<&LearnerNode::newer_than>(version);
    version = parameters->version;
    const std::uint64_t updates = version - 1;
    Trajectory trajectory = sampler_.collect(parameters->value.span<float>(), updates);
    const std::uint64_t steps = trajectory.actions.size();
    context_.metrics().counter("env_steps").increment(steps);
    counter_.tell<&CounterNode::add>(steps);
    learner_.tell<&LearnerNode::learn>(context_.rank().index, std::move(trajectory));
  }
}

} // namespace cartpole
