// SPDX-License-Identifier: Apache-2.0
/// @file
/// Tensors as Eigen matrices and back. Apart from tensor.hpp because Eigen takes long to compile.
///
/// The views copy nothing and live as long as `Tensor::data` and `Tensor::mutable_data` say.
#pragma once

#include <callboard/tensor.hpp>

#include <Eigen/Core>

namespace callboard {

template <Element T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <Element T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// A tensor of two dimensions, for reading.
/// @throws CallError{invalid_argument}     another rank or dtype
/// @throws CallError{failed_precondition}  not contiguous
template <Element T>
Eigen::Map<const Matrix<T>> as_matrix(const Tensor& tensor) {
  tensor.expect_rank(dtype_of<T>, 2);
  return {tensor.data<T>(), tensor.shape()[0], tensor.shape()[1]};
}

/// A tensor of one dimension, for reading. Errors as for `as_matrix`.
template <Element T>
Eigen::Map<const Vector<T>> as_vector(const Tensor& tensor) {
  tensor.expect_rank(dtype_of<T>, 1);
  return {tensor.data<T>(), tensor.shape()[0]};
}

/// For writing; the elements are copied first as `Tensor::mutable_data` says.
/// @throws CallError{invalid_argument}  another rank or dtype
template <Element T>
Eigen::Map<Matrix<T>> mutable_matrix(Tensor& tensor) {
  tensor.expect_rank(dtype_of<T>, 2);
  return {tensor.mutable_data<T>(), tensor.shape()[0], tensor.shape()[1]};
}

template <Element T>
Eigen::Map<Vector<T>> mutable_vector(Tensor& tensor) {
  tensor.expect_rank(dtype_of<T>, 1);
  return {tensor.mutable_data<T>(), tensor.shape()[0]};
}

/// The value of an expression: one dimension if its type is that of a vector, else two.
template <class Expression>
Tensor tensor_from(const Eigen::DenseBase<Expression>& expression) {
  using T = typename Expression::Scalar;
  if constexpr (Expression::IsVectorAtCompileTime) {
    Tensor tensor(dtype_of<T>, {expression.size()});
    mutable_vector<T>(tensor).array() = expression.derived().reshaped().array();
    return tensor;
  } else {
    Tensor tensor(dtype_of<T>, {expression.rows(), expression.cols()});
    mutable_matrix<T>(tensor).array() = expression.derived().array();
    return tensor;
  }
}

} // namespace callboard
