// SPDX-License-Identifier: Apache-2.0
#include "bandit.hpp"

#include <algorithm>
#include <array>
#include <iostream>

using namespace callboard;

namespace {

constexpr std::array<float, 3> mean_reward{0.2f, 0.5f, 0.8f};

int best_of(const Values& values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

} // namespace

Learner::Learner(const Config& config, Client<Replay> replay)
    : config_(config), replay_(std::move(replay)), values_(Values(mean_reward.size())) {}

void Learner::step() {
  Values values = this->values();
  for (const Pull& pull : replay_.call<&Replay::sample>(config_.batch)) {
    float& value = values[pull.arm];
    value += config_.learning_rate * (pull.reward - value);
  }
  values_.publish(std::move(values));
}

void Learner::report() const {
  std::cout << "best arm: " << best_of(values()) << '\n';
}

Actor::Actor(Context& context, const Config& config, Client<Replay> replay, Client<Learner> learner)
    : context_(context),
      config_(config),
      replay_(std::move(replay)),
      learner_(std::move(learner)),
      random_(context.seed()) {}

int Actor::choose(const Values& values) {
  if (std::bernoulli_distribution(config_.exploration)(random_)) {
    return std::uniform_int_distribution<int>(0, static_cast<int>(values.size()) - 1)(random_);
  }
  return best_of(values);
}

Pull Actor::pull(int arm) {
  return {arm, std::normal_distribution<float>(mean_reward[arm], 0.1f)(random_)};
}

void build(Program& program, const Config& config) {
  auto replay = program.add<Replay>("replay", std::size_t{100});
  auto learner = program.add<Learner>("learner", config, replay);
  program.add_group<Actor>({.label = "actor", .replicas = config.actors}, config, replay, learner);
}
