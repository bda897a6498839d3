// SPDX-License-Identifier: Apache-2.0
// Actors balance poles on carts, a learner learns from them, an evaluator says how well, a counter
// counts:
//
//     counter ◄── actor × 4 ──► learner ◄── evaluator ──► counter
//
#include "actor_node.hpp"
#include "evaluator_node.hpp"

#include <callboard/callboard.hpp>

namespace cartpole {
namespace {

void build(callboard::Program& program, const Config& config) {
  check(config);
  auto counter = program.add<CounterNode>("counter");
  auto learner = program.add<LearnerNode>("learner", config);
  program.add_group<ActorNode>(
      {.label = "actor", .replicas = config.actors}, config, counter, learner);
  program.add<EvaluatorNode>("evaluator", config, counter, learner);
  program.display({
      .columns =
          {{.title = "steps/s", .metric = "env_steps", .rate = true},
           {.title = "updates/s", .metric = "updates", .rate = true},
           {.title = "return", .metric = "return"}},
      .progress = "return",
      .goal = goal,
  });
}

} // namespace
} // namespace cartpole

int main(int argc, char** argv) {
  return callboard::run<cartpole::Config>("cartpole", argc, argv, cartpole::build);
}
