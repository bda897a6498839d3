// SPDX-License-Identifier: Apache-2.0
#include "learner_node.hpp"

#include <algorithm>
#include <utility>

namespace cartpole {

using callboard::Deferred;
using callboard::Tensor;

namespace {

/// One step down the gradient for each round: a plain advantage actor-critic.
LearnerConfig learner_config(const Config& config) {
  return {
      .final_share = 1.0f, // no fall
      .learning_rate = config.learning_rate,
      .lambda = 0.98f,
      .passes = 1,
      .minibatch = config.actors * config.environments * config.steps,
  };
}

} // namespace

LearnerNode::LearnerNode(callboard::Context& context, const Config& config)
    : context_(context),
      learner_(context.seed(), learner_config(config)),
      round_(static_cast<std::size_t>(config.actors)) {
  publish();
}

void LearnerNode::run() {
  while (const auto round = next_round()) {
    learner_.update(*round);
    context_.metrics().counter("updates").increment();
    publish();
  }
}

void LearnerNode::learn(int actor, Trajectory trajectory) {
  const std::lock_guard lock(mutex_);
  round_.at(static_cast<std::size_t>(actor)) = std::move(trajectory);
  arrived_.notify_one();
}

std::optional<std::vector<Trajectory>> LearnerNode::next_round() {
  std::unique_lock lock(mutex_);
  const auto complete = [this] {
    return std::ranges::all_of(round_, [](const auto& place) { return place.has_value(); });
  };
  if (!arrived_.wait(lock, context_.stop_token(), complete)) {
    return std::nullopt;
  }
  std::vector<Trajectory> round;
  for (auto& place : round_) {
    round.push_back(std::move(*std::exchange(place, {})));
  }
  return round;
}

Deferred<Parameters> LearnerNode::newer_than(std::uint64_t version) {
  Deferred<Parameters> reply;
  const std::lock_guard lock(mutex_);
  if (const Parameters newest = parameters_.newer_than(version)) {
    reply.set(newest);
  } else {
    requests_.push_back({version, reply});
  }
  return reply;
}

void LearnerNode::publish() {
  parameters_.publish(Tensor::from(learner_.parameters()));
  const std::lock_guard lock(mutex_);
  std::erase_if(requests_, [this](const Request& request) {
    const Parameters newest = parameters_.newer_than(request.version);
    return newest ? request.reply.set(newest), true : !request.reply.waiting();
  });
}

} // namespace cartpole
