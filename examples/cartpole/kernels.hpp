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

/// What a layer makes its outputs of, and where it puts them.
struct DenseArrays {
  const float* input;   ///< [batch, inputs]
  const float* weights; ///< [inputs, outputs]
  const float* bias;    ///< [outputs]
  float* output;        ///< [batch, outputs]
};

/// The same on the way back: what the gradients of a loss are made of, and where they go.
struct DenseGradientArrays {
  const float* input;
  const float* weights;
  const float* output;
  float* output_gradient; ///< spent: it becomes that before the tanh
  float* weight_gradient; ///< written over what was there, as the next two
  float* bias_gradient;
  float* input_gradient; ///< null if nobody wants it
};

/// All of the same length.
struct AdamArrays {
  const float* gradient;
  float* parameters;
  float* mean;   ///< of the gradients so far, and
  float* square; ///< of their squares: moved like the parameters
};

/// One build of the kernels. Arrays must not overlap. The functions keep no state and may run at
/// the same time on different memory; results are the same wherever arrays lie in memory.
struct Kernels {
  const char* name;

  void (*dense)(const DenseShape& shape, int batch, const DenseArrays& arrays);
  void (*dense_gradient)(const DenseShape& shape, int batch, const DenseGradientArrays& arrays);
  /// Source: Kingma and Ba (2015), "Adam: a method for stochastic optimization", algorithm 1.
  void (*adam)(const AdamStep& step, std::size_t count, const AdamArrays& arrays);
};

/// The builds that this processor can run, slowest first; never empty.
std::span<const Kernels* const> usable_kernels();

/// The last of `usable_kernels()`.
const Kernels& best_kernels();

} // namespace cartpole
