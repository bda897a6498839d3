// SPDX-License-Identifier: Apache-2.0
#include "cartpole/network.hpp"
#include "cartpole/random.hpp"
#include "reference_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace cartpole {
namespace {

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> numbers(count);
  std::ranges::generate(numbers, [&] { return static_cast<float>(random.uniform(-0.8, 0.8)); });
  return numbers;
}

/// The network written out in double precision: weights [inputs, outputs], then bias, by layer.
std::vector<double> written_out(
    const std::vector<int>& sizes, const std::vector<double>& parameters, std::vector<double> x) {
  auto next = parameters.begin();
  for (std::size_t layer = 0; layer + 1 < sizes.size(); ++layer) {
    const auto outputs = static_cast<std::size_t>(sizes[layer + 1]);
    std::vector<double> y(outputs);
    for (double input : x) {
      for (double& output : y) {
        output += input * *next++;
      }
    }
    for (double& output : y) {
      output += *next++;
      output = layer + 2 < sizes.size() ? std::tanh(output) : output;
    }
    x = y;
  }
  return x;
}

/// Some network, inputs and a loss: the sum of outputs times fixed weights.
struct Problem {
  std::vector<int> sizes{3, 7, 5, 2};
  std::size_t batch = 6;
  std::vector<float> parameters = random_numbers(Mlp(sizes).parameter_count(), 1);
  std::vector<float> inputs = random_numbers(batch * 3, 2);
  std::vector<float> loss_weights = random_numbers(batch * 2, 3);

  std::vector<double> outputs(const std::vector<double>& with) const {
    std::vector<double> all;
    for (auto row = inputs.begin(); row != inputs.end(); row += 3) {
      const auto y = written_out(sizes, with, {row, row + 3});
      all.insert(all.end(), y.begin(), y.end());
    }
    return all;
  }

  double loss(const std::vector<double>& with) const {
    const std::vector<double> y = outputs(with);
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum += y[i] * static_cast<double>(loss_weights[i]);
    }
    return sum;
  }
};

class KernelsTest : public testing::TestWithParam<const Kernels*> {};

TEST_P(KernelsTest, CarryForwardWhatTheFormulaSays) {
  const Problem problem;
  Mlp network(problem.sizes, *GetParam());
  const auto outputs = network.forward(problem.parameters, problem.inputs);
  const auto expected = problem.outputs({problem.parameters.begin(), problem.parameters.end()});
  ASSERT_EQ(outputs.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(outputs[i], expected[i], 1e-5);
  }
}

TEST_P(KernelsTest, CarryBackTheSlopeOfTheLoss) {
  const Problem problem;
  Mlp network(problem.sizes, *GetParam());
  network.forward(problem.parameters, problem.inputs);
  std::vector<float> gradient(problem.parameters.size());
  network.backward(problem.parameters, problem.inputs, problem.loss_weights, gradient);
  std::vector<double> moved(problem.parameters.begin(), problem.parameters.end());
  constexpr double distance = 1e-5;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double here = moved[i];
    moved[i] = here + distance;
    const double above = problem.loss(moved);
    moved[i] = here - distance;
    const double below = problem.loss(moved);
    moved[i] = here;
    EXPECT_NEAR(gradient[i], (above - below) / (2.0 * distance), 1e-5) << "parameter " << i;
  }
}

TEST_P(KernelsTest, StepAsAdamDoes) {
  const auto reference = reference_data("optimizers.json");
  for (const std::string name : {"adam", "adam_eps_1e5"}) {
    const auto& expected = reference[name];
    auto parameters = reference["initial"].get<std::vector<float>>();
    Adam adam(parameters.size(), expected["eps"].get<float>(), *GetParam());
    for (std::size_t t = 0; t < reference["gradients"].size(); ++t) {
      const auto gradient = reference["gradients"][t].get<std::vector<float>>();
      adam.step(parameters, gradient, expected["lr"].get<float>());
      EXPECT_THAT(
          parameters,
          testing::Pointwise(
              testing::FloatNear(1e-6f), expected["params"][t].get<std::vector<float>>()));
    }
  }
}

TEST_P(KernelsTest, AgreeWithTheBaselineOnTheAgentsNetworks) {
  const std::vector<float> parameters = random_numbers(parameter_count(), 4);
  const std::vector<float> inputs = random_numbers(257 * 4, 5);
  Mlp baseline = policy_network(*usable_kernels().front());
  Mlp tested = policy_network(*GetParam());
  const auto policy = policy_parameters(parameters);
  const auto expected = baseline.forward(policy, inputs);
  EXPECT_THAT(
      tested.forward(policy, inputs), testing::Pointwise(testing::FloatNear(2e-4f), expected));
}

/// Outputs, gradient and parameters after an Adam step, of a network stored `offset` floats on.
std::vector<float> trained_at(std::size_t offset, const Kernels& kernels) {
  const auto moved = [offset](std::vector<float> numbers) {
    numbers.insert(numbers.begin(), offset, 0.0f);
    return numbers;
  };
  Mlp network = value_network(kernels);
  const std::vector<float> inputs = moved(random_numbers(37 * 4, 1));
  const std::vector<float> output_gradient = moved(random_numbers(37, 2));
  std::vector<float> parameters = moved(random_numbers(network.parameter_count(), 3));
  std::vector<float> gradient = parameters;
  const auto tail = [offset](auto& numbers) { return std::span(numbers).subspan(offset); };
  const auto outputs = network.forward(tail(parameters), tail(inputs));
  std::vector<float> result(outputs.begin(), outputs.end());
  network.backward(tail(parameters), tail(inputs), tail(output_gradient), tail(gradient));
  Adam adam(network.parameter_count(), 1e-8f, kernels);
  adam.step(tail(parameters), tail(gradient), 0.01f);
  result.insert(
      result.end(), gradient.begin() + static_cast<std::ptrdiff_t>(offset), gradient.end());
  result.insert(
      result.end(), parameters.begin() + static_cast<std::ptrdiff_t>(offset), parameters.end());
  return result;
}

TEST_P(KernelsTest, GiveTheSameWhereverTheirArraysLie) {
  const std::vector<float> expected = trained_at(0, *GetParam());
  for (std::size_t offset = 1; offset < 9; ++offset) {
    EXPECT_EQ(trained_at(offset, *GetParam()), expected) << "at offset " << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each,
    KernelsTest,
    testing::ValuesIn(usable_kernels().begin(), usable_kernels().end()),
    [](const auto& tested) { return std::string(tested.param->name); });

TEST(AdamTest, GoesOnFromASavedState) {
  const std::vector<float> gradient = random_numbers(10, 1);
  std::vector<float> straight(10, 1.0f);
  Adam adam(10);
  adam.step(straight, gradient, 0.1f);
  std::vector<float> resumed = straight;
  Adam fresh(10);
  fresh.restore(adam.state());
  adam.step(straight, gradient, 0.1f);
  fresh.step(resumed, gradient, 0.1f);
  EXPECT_EQ(resumed, straight);
  EXPECT_THROW(Adam(11).restore(adam.state()), std::invalid_argument);
}

TEST(ClipNormTest, ShortensLongGradientsOnly) {
  const auto reference = reference_data("optimizers.json");
  for (std::size_t t = 0; t < reference["gradients"].size(); ++t) {
    auto gradient = reference["gradients"][t].get<std::vector<float>>();
    EXPECT_NEAR(clip_norm(gradient, 0.5f), reference["global_norms"][t].get<float>(), 1e-6f);
    const auto expected = reference["clip_global_norm_0_5"][t].get<std::vector<float>>();
    EXPECT_THAT(gradient, testing::Pointwise(testing::FloatNear(1e-6f), expected));
  }
  std::vector<float> gradient{0.3f, 0.4f};
  clip_norm(gradient, 0.51f);
  EXPECT_THAT(gradient, testing::ElementsAre(0.3f, 0.4f));
}

TEST(NetworkTest, StartsCloseToEvenOdds) {
  const std::vector<float> parameters = initial_parameters(1);
  Mlp policy = policy_network();
  const std::vector<float> inputs = random_numbers(100, 2);
  const auto logits = policy.forward(policy_parameters(parameters), inputs);
  EXPECT_THAT(logits, testing::Each(testing::FloatNear(0.0f, 0.05f)));
  EXPECT_NE(parameters, initial_parameters(2));
}

TEST(NetworkTest, SplitsTheParametersBetweenPolicyAndValue) {
  // 4-64-64-2 has 320 + 4160 + 130, 4-64-64-1 has 320 + 4160 + 65.
  const std::vector<float> parameters(parameter_count());
  EXPECT_EQ(policy_parameters(parameters).size(), 4610u);
  EXPECT_EQ(value_parameters(parameters).size(), 4545u);
  EXPECT_EQ(value_parameters(parameters).data(), &parameters[4610]);
}

TEST(NetworkTest, RefusesSpansOfTheWrongSize) {
  Mlp policy = policy_network();
  const std::vector<float> parameters(policy.parameter_count());
  EXPECT_THROW(policy.forward(std::span(parameters).first(9), {}), std::invalid_argument);
  EXPECT_THROW(policy.forward(parameters, std::vector<float>(5)), std::invalid_argument);
  EXPECT_THROW(policy_parameters(parameters), std::invalid_argument);
  EXPECT_THROW(Mlp({4}), std::invalid_argument);
  EXPECT_THROW(Mlp({4, 0, 2}), std::invalid_argument);
}

} // namespace
} // namespace cartpole
