// SPDX-License-Identifier: Apache-2.0
/// @file
/// The agent's two networks, in one flat vector of parameters, and the optimizer that moves it.
#pragma once

#include "kernels.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace cartpole {

/// A multilayer perceptron: tanh after every layer but the last.
///
/// Holds the shape and what a forward pass leaves for the backward pass, never the parameters:
/// those are [parameter_count()] floats, layer by layer, weights [inputs, outputs] row-major, then
/// bias [outputs]. Not thread-safe; make one for each thread.
class Mlp {
public:
  /// @param sizes  inputs, hidden layers, outputs; all positive, at least two
  /// @throws std::invalid_argument  other sizes
  explicit Mlp(const std::vector<int>& sizes, const Kernels& kernels = best_kernels());

  std::size_t parameter_count() const { return parameter_count_; }
  int inputs() const { return layers_.front().shape.inputs; }
  int outputs() const { return layers_.back().shape.outputs; }

  /// Weights uniform with variance gain^2 / inputs, after LeCun et al. (1998), "Efficient
  /// backprop"; gain 1, in the last layer `last_gain`; no bias.
  void initialize(std::span<float> parameters, float last_gain, std::uint64_t seed) const;

  /// Outputs [batch, outputs()] of inputs [batch, inputs()], valid until the next call.
  /// @throws std::invalid_argument  a span has the wrong size
  std::span<const float> forward(std::span<const float> parameters, std::span<const float> inputs);

  /// Gradient of a loss with respect to the parameters, written over `gradient`, given that with
  /// respect to the outputs of the last `forward`, whose arguments must be passed again.
  /// @throws std::invalid_argument  a span has the wrong size
  void backward(
      std::span<const float> parameters,
      std::span<const float> inputs,
      std::span<const float> output_gradient,
      std::span<float> gradient);

private:
  struct Layer {
    DenseShape shape;
    std::size_t weights = 0;     // where they begin among the parameters
    std::vector<float> output{}; // [batch, outputs]
    std::vector<float> delta{};  // gradient with respect to `output`

    std::size_t bias() const;
  };

  void check_parameters(std::size_t size) const;

  const Kernels* kernels_;
  std::vector<Layer> layers_;
  std::size_t parameter_count_ = 0;
};

/// Logits of the actions: observations [batch, 4] -> [batch, 2].
Mlp policy_network(const Kernels& kernels = best_kernels());

/// Expected return: observations [batch, 4] -> [batch, 1].
Mlp value_network(const Kernels& kernels = best_kernels());

/// Parameters of both networks: first the policy's, then the value's.
std::size_t parameter_count();

/// The policy's part of all parameters.
/// @throws std::invalid_argument  not `parameter_count()` of them
std::span<const float> policy_parameters(std::span<const float> parameters);

/// The value's part of all parameters.
/// @throws std::invalid_argument  not `parameter_count()` of them
std::span<const float> value_parameters(std::span<const float> parameters);

/// Parameters to start from: a policy close to even odds, a value close to 0.
std::vector<float> initial_parameters(std::uint64_t seed);

/// What Adam remembers from step to step; a plain value, to be saved and restored.
struct AdamState {
  std::uint64_t steps = 0;
  std::vector<float> mean{};   ///< of the gradient
  std::vector<float> square{}; ///< of the squared gradient
};

/// Adam (betas 0.9 and 0.999) over a flat vector of parameters.
class Adam {
public:
  explicit Adam(std::size_t count, float epsilon = 1e-8f, const Kernels& kernels = best_kernels());

  /// @throws std::invalid_argument  a span has another size than `count`
  void step(std::span<float> parameters, std::span<const float> gradient, float learning_rate);

  const AdamState& state() const { return state_; }

  /// @throws std::invalid_argument  the state is of another number of parameters
  void restore(AdamState state);

private:
  const Kernels* kernels_;
  float epsilon_;
  AdamState state_;
};

/// Scales `gradient` down to Euclidean length `limit` if it is longer; returns the length before.
float clip_norm(std::span<float> gradient, float limit);

} // namespace cartpole
