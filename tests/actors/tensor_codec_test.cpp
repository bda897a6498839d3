// SPDX-License-Identifier: Apache-2.0
#include <callboard/codec.hpp>
#include <callboard/tensor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace callboard {
namespace {

using testing::HasSubstr;

struct Step {
  Tensor observation;
  float reward = 0;
  std::vector<Tensor> layers;
  bool operator==(const Step&) const = default;
};

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
  std::vector<std::byte> result;
  for (const int number : numbers) {
    result.push_back(static_cast<std::byte>(number));
  }
  return result;
}

/// The text of the failure to decode, which must be `malformed`.
std::string malformed(std::initializer_list<int> numbers) {
  try {
    decoded<Tensor>(bytes(numbers));
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), Code::malformed);
    return error.error().message;
  }
  return "decoded";
}

TEST(TensorCodecTest, WritesAHeaderAndOneBlock) {
  const Tensor tensor = Tensor::from<std::int16_t>({1, 2, 256, -1}, {1, 4});
  EXPECT_EQ(encoded(tensor), bytes({4, 2, 1, 4, 1, 0, 2, 0, 0, 1, 255, 255}));
}

TEST(TensorCodecTest, BringsBackEveryDtypeAndRank) {
  for (const DType dtype : {
           DType::f32,
           DType::f64,
           DType::i8,
           DType::i16,
           DType::i32,
           DType::i64,
           DType::u8,
           DType::boolean,
       }) {
    for (const Shape& shape :
         {Shape(), Shape(0), Shape(300), Shape(0, 5), Shape(1, 2, 1, 2, 1, 2, 1, 2)}) {
      Tensor tensor(dtype, shape);
      const auto memory = tensor.mutable_bytes();
      std::fill(memory.begin(), memory.end(), std::byte{1});
      EXPECT_EQ(decoded<Tensor>(encoded(tensor)), tensor);
    }
  }
}

TEST(TensorCodecTest, PacksViews) {
  const Tensor tensor = Tensor::from<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_EQ(
      decoded<Tensor>(encoded(tensor.transpose())),
      Tensor::from<float>({0, 3, 1, 4, 2, 5}, {3, 2}));
  EXPECT_EQ(encoded(tensor[1]).size(), 1U + 1U + 1U + 12U) << "only what the view shows travels";
}

TEST(TensorCodecTest, TravelsInsideOtherValues) {
  const Step step{
      .observation = Tensor::from<std::uint8_t>({1, 2, 3}),
      .reward = 0.5F,
      .layers = {Tensor(DType::f64, {2, 2}), Tensor()},
  };
  EXPECT_EQ(decoded<Step>(encoded(step)), step);
  EXPECT_THAT(layout<Step>(), HasSubstr("Tensor v1"));
}

TEST(TensorCodecTest, RefusesBytesThatAreNoTensor) {
  EXPECT_THAT(malformed({0, 0}), HasSubstr("a tensor's dtype before this, found 0"));
  EXPECT_THAT(malformed({99, 0}), HasSubstr("found 99"));
  EXPECT_THAT(malformed({7, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}), HasSubstr("at most 8 dimensions"));
  EXPECT_THAT(malformed({1, 1, 2, 0, 0, 0, 0}), HasSubstr("expected 8 bytes, 4 are left"));
  EXPECT_THAT(malformed({8, 1, 2, 0, 2}), HasSubstr("a boolean has the value 2"));
  EXPECT_THAT(malformed({}), HasSubstr("malformed bytes"));
}

TEST(TensorCodecTest, RefusesSizesThatOverflowBeforeItAllocates) {
  EXPECT_THAT(
      malformed({1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}),
      HasSubstr("has a negative size"));
  EXPECT_THAT(
      malformed({2, 2, 128, 128, 128, 128, 8, 128, 128, 128, 128, 8}),
      HasSubstr("more elements than can be addressed"));
  EXPECT_THAT(malformed({1, 1, 128, 128, 128, 128, 128, 1}), HasSubstr("bytes, 0 are left"));
}

TEST(TensorCodecTest, RefusesEveryCutOfATensor) {
  const std::vector<std::byte> whole = encoded(Tensor::from<double>({1, 2}, {2, 1}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(decoded<Tensor>(std::span(whole).first(length)), CallError) << length;
  }
}

} // namespace
} // namespace callboard
