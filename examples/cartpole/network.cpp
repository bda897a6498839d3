// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include "environment.hpp"
#include "random.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace cartpole {
namespace {

constexpr int hidden = 64;

void check_size(const char* what, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw std::invalid_argument(
        std::string(what) + " has " + std::to_string(size) + " numbers, expected "
        + std::to_string(expected));
  }
}

std::size_t layer_weights(const DenseShape& shape) {
  return static_cast<std::size_t>(shape.inputs) * static_cast<std::size_t>(shape.outputs);
}

} // namespace

std::size_t Mlp::Layer::bias() const {
  return weights + layer_weights(shape);
}

Mlp::Mlp(const std::vector<int>& sizes, const Kernels& kernels) : kernels_(&kernels) {
  if (sizes.size() < 2) {
    throw std::invalid_argument("Mlp: needs at least the numbers of inputs and of outputs");
  }
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i + 1] < 1) {
      throw std::invalid_argument("Mlp: a layer without units; sizes must be positive");
    }
    const DenseShape shape{sizes[i], sizes[i + 1], i + 2 < sizes.size()};
    layers_.push_back({.shape = shape, .weights = parameter_count_});
    parameter_count_ += layer_weights(shape) + static_cast<std::size_t>(shape.outputs);
  }
}

void Mlp::initialize(std::span<float> parameters, float last_gain, std::uint64_t seed) const {
  check_parameters(parameters.size());
  Random random(seed);
  for (const Layer& layer : layers_) {
    const double gain = layer.shape.tanh ? 1.0 : last_gain;
    const double bound = gain * std::sqrt(3.0 / layer.shape.inputs);
    for (std::size_t i = layer.weights; i < layer.bias(); ++i) {
      parameters[i] = static_cast<float>(random.uniform(-bound, bound));
    }
    for (int i = 0; i < layer.shape.outputs; ++i) {
      parameters[layer.bias() + static_cast<std::size_t>(i)] = 0.0f;
    }
  }
}

std::span<const float> Mlp::forward(
    std::span<const float> parameters, std::span<const float> inputs) {
  check_parameters(parameters.size());
  const std::size_t batch = inputs.size() / static_cast<std::size_t>(this->inputs());
  check_size("Mlp: the input", inputs.size(), batch * static_cast<std::size_t>(this->inputs()));
  const float* input = inputs.data();
  for (Layer& layer : layers_) {
    layer.output.resize(batch * static_cast<std::size_t>(layer.shape.outputs));
    kernels_->dense(
        layer.shape,
        static_cast<int>(batch),
        {.input = input,
         .weights = &parameters[layer.weights],
         .bias = &parameters[layer.bias()],
         .output = layer.output.data()});
    input = layer.output.data();
  }
  return layers_.back().output;
}

void Mlp::backward(
    std::span<const float> parameters,
    std::span<const float> inputs,
    std::span<const float> output_gradient,
    std::span<float> gradient) {
  check_parameters(parameters.size());
  check_parameters(gradient.size());
  check_size("Mlp: the output's gradient", output_gradient.size(), layers_.back().output.size());
  const std::size_t batch = output_gradient.size() / static_cast<std::size_t>(outputs());
  check_size("Mlp: the input", inputs.size(), batch * static_cast<std::size_t>(this->inputs()));
  layers_.back().delta.assign(output_gradient.begin(), output_gradient.end());
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer& layer = layers_[i];
    Layer* below = i > 0 ? &layers_[i - 1] : nullptr;
    if (below != nullptr) {
      below->delta.resize(below->output.size());
    }
    kernels_->dense_gradient(
        layer.shape,
        static_cast<int>(batch),
        {.input = below != nullptr ? below->output.data() : inputs.data(),
         .weights = &parameters[layer.weights],
         .output = layer.output.data(),
         .output_gradient = layer.delta.data(),
         .weight_gradient = &gradient[layer.weights],
         .bias_gradient = &gradient[layer.bias()],
         .input_gradient = below != nullptr ? below->delta.data() : nullptr});
  }
}

void Mlp::check_parameters(std::size_t size) const {
  check_size("Mlp: the vector of parameters", size, parameter_count_);
}

Mlp policy_network(const Kernels& kernels) {
  return Mlp({observation_size, hidden, hidden, action_count}, kernels);
}

Mlp value_network(const Kernels& kernels) {
  return Mlp({observation_size, hidden, hidden, 1}, kernels);
}

namespace {

std::size_t policy_size() {
  static const std::size_t size = policy_network().parameter_count();
  return size;
}

std::size_t value_size() {
  static const std::size_t size = value_network().parameter_count();
  return size;
}

} // namespace

std::size_t parameter_count() {
  return policy_size() + value_size();
}

std::span<const float> policy_parameters(std::span<const float> parameters) {
  check_size("the vector of parameters", parameters.size(), parameter_count());
  return parameters.first(policy_size());
}

std::span<const float> value_parameters(std::span<const float> parameters) {
  check_size("the vector of parameters", parameters.size(), parameter_count());
  return parameters.last(value_size());
}

std::vector<float> initial_parameters(std::uint64_t seed) {
  std::vector<float> parameters(parameter_count());
  const std::span<float> all(parameters);
  policy_network().initialize(all.first(policy_size()), 0.01f, stream_seed(seed, 0));
  value_network().initialize(all.last(value_size()), 0.1f, stream_seed(seed, 1));
  return parameters;
}

Adam::Adam(std::size_t count, float epsilon, const Kernels& kernels)
    : kernels_(&kernels),
      epsilon_(epsilon),
      state_{.mean = std::vector<float>(count), .square = std::vector<float>(count)} {}

void Adam::restore(AdamState state) {
  check_size("Adam: the state's mean", state.mean.size(), state_.mean.size());
  check_size("Adam: the state's square", state.square.size(), state_.square.size());
  state_ = std::move(state);
}

void Adam::step(std::span<float> parameters, std::span<const float> gradient, float learning_rate) {
  check_size("Adam: the vector of parameters", parameters.size(), state_.mean.size());
  check_size("Adam: the gradient", gradient.size(), state_.mean.size());
  ++state_.steps;
  AdamStep step{.learning_rate = learning_rate, .epsilon = epsilon_};
  const auto count = static_cast<double>(state_.steps);
  step.correction1 = static_cast<float>(1.0 / (1.0 - std::pow(0.9, count)));
  step.correction2 = static_cast<float>(1.0 / (1.0 - std::pow(0.999, count)));
  kernels_->adam(
      step,
      state_.mean.size(),
      {.gradient = gradient.data(),
       .parameters = parameters.data(),
       .mean = state_.mean.data(),
       .square = state_.square.data()});
}

float clip_norm(std::span<float> gradient, float limit) {
  double sum = 0.0;
  for (float value : gradient) {
    sum += static_cast<double>(value) * value;
  }
  const auto norm = static_cast<float>(std::sqrt(sum));
  if (norm > limit) {
    for (float& value : gradient) {
      value *= limit / norm;
    }
  }
  return norm;
}

} // namespace cartpole
