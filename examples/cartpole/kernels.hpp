// SPDX-License-Identifier: Apache-2.0
/// @file
/// The arithmetic in which learning spends its time, once for every x86-64 (or other) processor and
/// once for those with AVX2 and FMA. All matrices are row-major and contiguous.
#pragma once

#include <cstddef>
#include <span>

namespace cartpole {

/// A fully connected layer: output = input * weights + bias, then tanh if asked.
struct DenseShape {
  int inputs = 0;
  int outputs = 0;
  bool tanh = false;
};

/// What one Adam step does to each parameter; the corrections are 1 / (1 - beta^step).
struct AdamStep {
  float learning_rate = 1e-3f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  float correction1 = 1.0f;
  float correction2 = 1.0f;
};

/// One build of the kernels. Arrays must not overlap. The functions keep no state and may run at
/// the same time on different memory; results are the same wherever arrays lie in memory.
struct Kernels {
  const char* name;

  /// input [batch, inputs], weights [inputs, outputs], bias [outputs] -> output [batch, outputs]
  void (*dense)(
      const DenseShape& shape,
      int batch,
      const float* input,
      const float* weights,
      const float* bias,
      float* output);

  /// Gradients of a loss with respect to weights, bias and (unless null) input, written over what
  /// was there, from `output_gradient`, which is spent: it becomes that before the tanh.
  void (*dense_gradient)(
      const DenseShape& shape,
      int batch,
      const float* input,
      const float* weights,
      const float* output,
      float* output_gradient,
      float* weight_gradient,
      float* bias_gradient,
      float* input_gradient);

  /// Moves `parameters`, and the moments `mean` and `square`, along `gradient`; all [count].
  /// Source: Kingma and Ba (2015), "Adam: a method for stochastic optimization", algorithm 1.
  void (*adam)(
      const AdamStep& step,
      std::size_t count,
      const float* gradient,
      float* parameters,
      float* mean,
      float* square);
};

/// The builds that this processor can run, slowest first; never empty.
std::span<const Kernels* const> usable_kernels();

/// The last of `usable_kernels()`.
const Kernels& best_kernels();

} // namespace cartpole
