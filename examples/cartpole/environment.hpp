// SPDX-License-Identifier: Apache-2.0
/// @file
/// A pole on a cart, to be kept upright by pushing the cart: Gymnasium's CartPole-v1.
#pragma once

#include "random.hpp"

#include <array>
#include <cstdint>

namespace cartpole {

inline constexpr int observation_size = 4; ///< position, velocity, angle, angular velocity
inline constexpr int action_count = 2;     ///< 0 pushes left, 1 pushes right
inline constexpr int episode_limit = 500;  ///< steps after which an episode is cut off

/// What an agent sees: m, m/s, rad, rad/s; the state rounded to float.
using Observation = std::array<float, observation_size>;

/// What one step brings.
struct StepResult {
  Observation observation{};
  float reward = 1.0f;     ///< 1 for every step, also for the one that ends the episode
  bool terminated = false; ///< the pole fell (12 degrees) or the cart left the track (2.4 m)
  bool truncated = false;  ///< step `episode_limit` was reached
};

/// One pole and cart.
///
/// Not thread-safe. Source of equations, constants and terms: Gymnasium,
/// envs/classic_control/cartpole.py (Euler integrator, 0.02 s a step), after Barto, Sutton and
/// Anderson (1983), "Neuronlike adaptive elements that can solve difficult learning control
/// problems". The random numbers are our own: initial states differ from Gymnasium's.
class CartPole {
public:
  using State = std::array<double, observation_size>; ///< as `Observation`, before rounding

  /// Starts in a state drawn as by `reset(seed)`.
  explicit CartPole(std::uint64_t seed = 0) { reset(seed); }

  /// A new episode; each state variable is drawn uniformly from [-0.05, 0.05).
  Observation reset();

  /// As `reset()`, after seeding the random numbers anew: equal seeds give equal episodes.
  Observation reset(std::uint64_t seed);

  /// A new episode from a given state.
  Observation reset_to(const State& state);

  /// @param action  0 or 1
  /// @throws std::invalid_argument  any other action; the state is kept
  /// @throws std::logic_error       the episode has ended; the state is kept
  StepResult step(int action);

  const State& state() const { return state_; }

private:
  Observation observation() const;

  Random random_{0};
  State state_{};
  int steps_ = 0;
  bool ended_ = false;
};

} // namespace cartpole
