// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace cartpole {
namespace {

constexpr double gravity = 9.8;
constexpr double pole_mass = 0.1;
constexpr double total_mass = 1.0 + pole_mass;
constexpr double half_length = 0.5;
constexpr double pole_moment = pole_mass * half_length;
constexpr double push = 10.0;
constexpr double time_step = 0.02;
constexpr double track_end = 2.4;
constexpr double largest_angle = 12.0 * 2.0 * std::numbers::pi / 360.0;

CartPole::State after(const CartPole::State& state, double force) {
  const auto [x, x_dot, theta, theta_dot] = state;
  const double cosine = std::cos(theta);
  const double sine = std::sin(theta);
  const double pushed = (force + pole_moment * (theta_dot * theta_dot) * sine) / total_mass;
  const double angular = (gravity * sine - cosine * pushed)
      / (half_length * (4.0 / 3.0 - pole_mass * (cosine * cosine) / total_mass));
  const double linear = pushed - pole_moment * angular * cosine / total_mass;
  return {
      x + time_step * x_dot,
      x_dot + time_step * linear,
      theta + time_step * theta_dot,
      theta_dot + time_step * angular,
  };
}

bool has_fallen(const CartPole::State& state) {
  return std::abs(state[0]) > track_end || std::abs(state[2]) > largest_angle;
}

void check(int action, bool ended) {
  if (action < 0 || action >= action_count) {
    throw std::invalid_argument(
        "CartPole: action is " + std::to_string(action) + ", must be 0 (left) or 1 (right)");
  }
  if (ended) {
    throw std::logic_error("CartPole: the episode has ended; call reset before step");
  }
}

} // namespace

Observation CartPole::reset() {
  State state;
  for (double& value : state) {
    value = random_.uniform(-0.05, 0.05);
  }
  return reset_to(state);
}

Observation CartPole::reset(std::uint64_t seed) {
  random_ = Random(seed);
  return reset();
}

Observation CartPole::reset_to(const State& state) {
  state_ = state;
  steps_ = 0;
  ended_ = false;
  return observation();
}

StepResult CartPole::step(int action) {
  check(action, ended_);
  state_ = after(state_, action == 1 ? push : -push);
  ++steps_;
  StepResult result{
      .observation = observation(),
      .terminated = has_fallen(state_),
      .truncated = steps_ >= episode_limit,
  };
  ended_ = result.terminated || result.truncated;
  return result;
}

Observation CartPole::observation() const {
  Observation rounded;
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    rounded[i] = static_cast<float>(state_[i]);
  }
  return rounded;
}

} // namespace cartpole
