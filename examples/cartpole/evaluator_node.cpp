// SPDX-License-Identifier: Apache-2.0
#include "evaluator_node.hpp"

#include "random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cartpole {

using callboard::Client;

EvaluatorNode::EvaluatorNode(
    callboard::Context& context,
    const Config& config,
    Client<CounterNode> counter,
    Client<LearnerNode> learner)
    : context_(context),
      config_(config),
      counter_(std::move(counter)),
      learner_(std::move(learner)),
      curve_(config.output) {}

void EvaluatorNode::run() {
  const auto every = static_cast<std::uint64_t>(config_.evaluate_every);
  for (std::uint64_t version = 0; !context_.stopping(); version += every - 1) {
    const Parameters parameters = learner_.call<&LearnerNode::newer_than>(version);
    version = parameters->version;
    const CurvePoint point = play(parameters);
    context_.metrics().gauge("return").set(point.mean_return);
    curve_.add(point);
    if (judge(point)) {
      return;
    }
  }
}

CurvePoint EvaluatorNode::play(const Parameters& parameters) {
  CurvePoint point{
      .env_steps = counter_.call<&CounterNode::total>(), .version = parameters->version};
  const Evaluation evaluation = evaluate(
      parameters->value.span<float>(),
      episodes_per_evaluation,
      stream_seed(context_.seed(), parameters->version));
  const auto [min, max] = std::ranges::minmax(evaluation.returns);
  point.mean_return = evaluation.mean;
  point.min = min;
  point.max = max;
  point.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return point;
}

/// Whether that was the last one.
bool EvaluatorNode::judge(const CurvePoint& point) {
  const bool solved = point.mean_return >= goal;
  if (!solved && point.env_steps < config_.max_steps) {
    return false;
  }
  context_.stop(
      fmt::format(
          "{}: a mean return of {:.1f} over {} episodes\n"
          "  seed {}, {} environment steps, {:.1f} s\n"
          "  learning curve: {}, {}",
          solved ? "solved" : "not solved",
          point.mean_return,
          episodes_per_evaluation,
          context_.program_seed(),
          point.env_steps,
          point.seconds,
          curve_.csv().string(),
          curve_.svg().string()),
      solved ? 0 : 1);
  return true;
}

} // namespace cartpole
