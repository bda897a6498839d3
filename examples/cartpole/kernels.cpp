// SPDX-License-Identifier: Apache-2.0
// Compiled once for each build of the kernels, under the name CARTPOLE_KERNELS.
//
// Code for AVX2 must never run on a processor without it. A function that the linker finds in two
// object files, as it does with templates, is kept once, from either; so a build with flags of its
// own (CARTPOLE_KERNELS_PRIVATE_EIGEN) has Eigen under a name of its own, and shares no template.
#ifdef CARTPOLE_KERNELS_PRIVATE_EIGEN
#define Eigen cartpole_private_eigen
#endif
#define EIGEN_DONT_PARALLELIZE

#include "kernels.hpp"

#include <Eigen/Core>

namespace cartpole {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Matrix<float, 1, Eigen::Dynamic>;
using Input = Eigen::Map<const Matrix>;
using Output = Eigen::Map<Matrix>;

// Eigen's tanh rounds otherwise for elements before the first aligned address of an array. Blocks
// of our own are always aligned, so that results do not depend on where the array lies.
void apply_tanh(float* values, Eigen::Index count) {
  constexpr Eigen::Index length = 64;
  for (Eigen::Index first = 0; first < count; first += length) {
    const Eigen::Index size = first + length < count ? length : count - first;
    Eigen::Map<Eigen::ArrayXf> part(values + first, size);
    Eigen::Array<float, length, 1> block = Eigen::Array<float, length, 1>::Zero();
    block.head(size) = part;
    block = block.tanh().eval();
    part = block.head(size);
  }
}

void dense(const DenseShape& shape, int batch, const DenseArrays& arrays) {
  Output result(arrays.output, batch, shape.outputs);
  result.noalias() =
      Input(arrays.input, batch, shape.inputs) * Input(arrays.weights, shape.inputs, shape.outputs);
  result.rowwise() += Eigen::Map<const Row>(arrays.bias, shape.outputs);
  if (shape.tanh) {
    apply_tanh(arrays.output, result.size());
  }
}

void dense_gradient(const DenseShape& shape, int batch, const DenseGradientArrays& arrays) {
  Output delta(arrays.output_gradient, batch, shape.outputs);
  if (shape.tanh) {
    delta.array() *= 1.0f - Input(arrays.output, batch, shape.outputs).array().square();
  }
  Output(arrays.weight_gradient, shape.inputs, shape.outputs).noalias() =
      Input(arrays.input, batch, shape.inputs).transpose() * delta;
  Eigen::Map<Row> bias(arrays.bias_gradient, shape.outputs);
  bias.setZero();
  for (Eigen::Index row = 0; row < batch; ++row) { // colwise().sum() depends on alignment
    bias += delta.row(row);
  }
  if (arrays.input_gradient != nullptr) {
    Output(arrays.input_gradient, batch, shape.inputs).noalias() =
        delta * Input(arrays.weights, shape.inputs, shape.outputs).transpose();
  }
}

void adam(const AdamStep& step, std::size_t count, const AdamArrays& arrays) {
  // A plain loop: Eigen's vectorized square root is rounded otherwise than that of the elements
  // left over, so that results would depend on where the arrays lie in memory.
  const auto [gradient, parameters, mean, square] = arrays;
  const float rate = step.learning_rate * step.correction1;
  for (std::size_t i = 0; i < count; ++i) {
    mean[i] = step.beta1 * mean[i] + (1.0f - step.beta1) * gradient[i];
    square[i] = step.beta2 * square[i] + (1.0f - step.beta2) * (gradient[i] * gradient[i]);
    parameters[i] -=
        rate * mean[i] / (__builtin_sqrtf(step.correction2 * square[i]) + step.epsilon);
  }
}

} // namespace

#define CARTPOLE_TEXT_(name) #name
#define CARTPOLE_TEXT(name) CARTPOLE_TEXT_(name)
namespace kernels {
extern const Kernels CARTPOLE_KERNELS;
constinit const Kernels CARTPOLE_KERNELS{
    CARTPOLE_TEXT(CARTPOLE_KERNELS), dense, dense_gradient, adam};
} // namespace kernels
} // namespace cartpole
