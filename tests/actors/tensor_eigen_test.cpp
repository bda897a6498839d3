// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>
#include <callboard/tensor_eigen.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace callboard {
namespace {

Tensor two_by_three() {
  return Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
}

TEST(TensorEigenTest, ViewsAMatrixWithoutCopying) {
  const Tensor tensor = two_by_three();
  const auto matrix = as_matrix<float>(tensor);
  EXPECT_EQ(matrix.data(), tensor.data<float>());
  EXPECT_EQ(matrix(1, 0), 4);
  EXPECT_EQ(as_vector<float>(tensor[1]).sum(), 15);
}

TEST(TensorEigenTest, WritesThroughAMutableView) {
  Tensor tensor = two_by_three();
  const Tensor before = tensor;
  mutable_matrix<float>(tensor) *= 2;
  EXPECT_EQ(tensor, Tensor::from<float>({2, 4, 6, 8, 10, 12}, {2, 3}));
  EXPECT_EQ(before, two_by_three());
  Tensor row = tensor[0];
  mutable_vector<float>(row).setConstant(1);
  EXPECT_EQ(row, Tensor::from<float>({1, 1, 1}));
}

TEST(TensorEigenTest, StoresAnExpressionRowByRow) {
  const Tensor tensor = two_by_three();
  const auto matrix = as_matrix<float>(tensor);
  EXPECT_EQ(tensor_from(matrix), tensor);
  EXPECT_EQ(
      tensor_from(matrix * matrix.transpose()), Tensor::from<float>({14, 32, 32, 77}, {2, 2}));
  const Eigen::MatrixXf by_columns = matrix;
  EXPECT_EQ(tensor_from(by_columns), tensor);
}

TEST(TensorEigenTest, StoresVectorsInOneDimension) {
  EXPECT_EQ(tensor_from(Eigen::Vector3d(1, 2, 3) * 2), Tensor::from<double>({2, 4, 6}));
  EXPECT_EQ(tensor_from(Eigen::RowVector2i(1, 2)), Tensor::from<std::int32_t>({1, 2}));
  EXPECT_EQ(tensor_from(Eigen::ArrayXf::Constant(2, 3)), Tensor::from<float>({3, 3}));
}

TEST(TensorEigenTest, RefusesAnotherRankOrDtype) {
  const Tensor tensor = two_by_three();
  EXPECT_THROW(as_vector<float>(tensor), CallError);
  EXPECT_THROW(as_matrix<float>(tensor.transpose()), CallError);
  try {
    as_matrix<double>(tensor[0]);
    FAIL() << "a vector of f32 is no matrix of f64";
  } catch (const CallError& error) {
    EXPECT_EQ(error.error().message, "tensor has shape [3] of f32, expected rank 2 of f64");
  }
}

} // namespace
} // namespace callboard
