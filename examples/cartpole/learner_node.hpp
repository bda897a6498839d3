// SPDX-License-Identifier: Apache-2.0
/// @file
/// The node that learns.
#pragma once

#include "config.hpp"
#include "learner.hpp"

#include <callboard/context.hpp>
#include <callboard/deferred.hpp>
#include <callboard/published.hpp>
#include <callboard/service.hpp>
#include <callboard/tensor.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace cartpole {

/// Policy and value, as a pointer within a process. Version 1 has not learned anything yet.
using Parameters = std::shared_ptr<const callboard::Snapshot<callboard::Tensor>>;

/// Updates the parameters once from every round of trajectories, one by each actor, and serves them
/// all the while.
class LearnerNode {
public:
  LearnerNode(callboard::Context& context, const Config& config);

  void run();

  /// What an actor lived through with the newest parameters. One that has not been learned from yet
  /// is replaced, so that an actor can't run ahead.
  void learn(int actor, Trajectory trajectory);

  /// The newest parameters, as soon as their version is above `version`.
  callboard::Deferred<Parameters> newer_than(std::uint64_t version);

  using exposed = callboard::methods<&LearnerNode::learn, &LearnerNode::newer_than>;

private:
  struct Request {
    std::uint64_t version;
    callboard::Deferred<Parameters> reply;
  };

  std::optional<std::vector<Trajectory>> next_round(); // none when the program stops
  void publish();

  callboard::Context& context_;
  Learner learner_; // of `run` alone
  callboard::Published<callboard::Tensor> parameters_;

  std::mutex mutex_; // guards what follows
  std::condition_variable_any arrived_;
  std::vector<std::optional<Trajectory>> round_; // by actor
  std::vector<Request> requests_;                // for parameters that don't exist yet
};

} // namespace cartpole
