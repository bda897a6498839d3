// SPDX-License-Identifier: Apache-2.0
/// @file
/// The node that says how good the policy is, and when that is enough.
#pragma once

#include "config.hpp"
#include "counter_node.hpp"
#include "learner_node.hpp"
#include "learning_curve.hpp"
#include "sampler.hpp"

#include <callboard/client.hpp>
#include <callboard/context.hpp>

#include <chrono>

namespace cartpole {

/// Plays whole episodes with each k-th version of the parameters, or with the newest if the learner
/// is faster. Stops the program when the goal is reached, with status 0, or when there were too
/// many steps, with status 1.
class EvaluatorNode {
public:
  EvaluatorNode(
      callboard::Context& context,
      const Config& config,
      callboard::Client<CounterNode> counter,
      callboard::Client<LearnerNode> learner);

  void run();

private:
  CurvePoint play(const Parameters& parameters);
  bool judge(const CurvePoint& point);

  callboard::Context& context_;
  Config config_;
  callboard::Client<CounterNode> counter_;
  callboard::Client<LearnerNode> learner_;
  LearningCurve curve_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace cartpole
