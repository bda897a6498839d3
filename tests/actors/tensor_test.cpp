// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>
#include <callboard/tensor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

namespace callboard {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

/// The numbers 0, 1, 2, … in row-major order.
template <class T = float>
Tensor counting(const Shape& shape) {
  std::vector<T> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), T{});
  return Tensor::from(std::move(values), shape);
}

template <class T = float>
std::vector<T> values_of(const Tensor& tensor) {
  const Tensor packed = tensor.contiguous();
  return {packed.span<T>().begin(), packed.span<T>().end()};
}

template <class Function>
Error error_of(Function function) {
  try {
    function();
  } catch (const CallError& error) {
    return error.error();
  }
  return {Code::internal, "nothing was thrown"};
}

TEST(TensorTest, StartsAsZerosOfTheShapeAskedFor) {
  const Tensor tensor(DType::i16, {2, 3});
  EXPECT_EQ(tensor.shape(), Shape(2, 3));
  EXPECT_EQ(tensor.count(), 6);
  EXPECT_EQ(tensor.byte_size(), 12U);
  EXPECT_THAT(tensor.span<std::int16_t>(), Each(0));
}

TEST(TensorTest, IsEmptyByDefaultAndAfterAMove) {
  Tensor tensor = counting({2, 2});
  const Tensor taken = std::move(tensor);
  EXPECT_EQ(tensor, Tensor()); // NOLINT(bugprone-use-after-move): promised to be as default
  EXPECT_EQ(tensor.count(), 0);
  EXPECT_TRUE(tensor.bytes().empty());
  EXPECT_EQ(taken, counting({2, 2}));
}

TEST(TensorTest, HoldsOneNumberWhenItHasNoDimensions) {
  const Tensor tensor = Tensor::from<double>({2.5}, {});
  EXPECT_EQ(tensor.count(), 1);
  EXPECT_EQ(tensor.item<double>(), 2.5);
}

TEST(TensorTest, TakesOverTheMemoryOfAVector) {
  std::vector<float> values{1, 2, 3, 4};
  const float* memory = values.data();
  Tensor tensor = Tensor::from(std::move(values), {2, 2});
  EXPECT_EQ(tensor.data<float>(), memory);
  EXPECT_EQ(tensor.mutable_data<float>(), memory) << "nobody shares it, so nothing is copied";
}

TEST(TensorTest, PacksAVectorOfBitsIntoBytes) {
  const Tensor tensor = Tensor::from(std::vector<bool>{true, false, true});
  EXPECT_THAT(tensor.span<bool>(), ElementsAre(true, false, true));
}

TEST(TensorTest, CopiesElementsOnlyWhenAShareIsWritten) {
  Tensor original = counting({4});
  Tensor copied = original;
  EXPECT_TRUE(copied.shares_memory_with(original));
  copied.mutable_span<float>()[0] = 9;
  EXPECT_FALSE(copied.shares_memory_with(original));
  EXPECT_THAT(values_of(original), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values_of(copied), ElementsAre(9, 1, 2, 3));
}

TEST(TensorTest, WritesInPlaceOnceTheOtherHolderIsGone) {
  Tensor tensor = counting({4});
  const float* memory = tensor.data<float>();
  { const Tensor other = tensor; }
  EXPECT_EQ(tensor.mutable_data<float>(), memory);
}

TEST(TensorTest, WritingASliceLeavesItsTensorAlone) {
  const Tensor tensor = counting({2, 2});
  Tensor row = tensor[1];
  row.mutable_span<float>()[0] = 7;
  EXPECT_THAT(values_of(row), ElementsAre(7, 3));
  EXPECT_THAT(values_of(tensor), ElementsAre(0, 1, 2, 3));
}

TEST(TensorTest, CutsSlicesWithoutCopying) {
  const Tensor tensor = counting({3, 4});
  EXPECT_EQ(tensor[2].data<float>(), tensor.data<float>() + 8);
  EXPECT_EQ(tensor[2].shape(), Shape(4));
  EXPECT_EQ(tensor[2][1].item<float>(), 9);
  const Tensor columns = tensor.slice(1, 1, 3);
  EXPECT_TRUE(columns.shares_memory_with(tensor));
  EXPECT_FALSE(columns.is_contiguous());
  EXPECT_THAT(values_of(columns), ElementsAre(1, 2, 5, 6, 9, 10));
  EXPECT_EQ(tensor.slice(0, 1, 1).count(), 0);
  EXPECT_TRUE(tensor.slice(0, 1, 3).is_contiguous());
}

TEST(TensorTest, TransposesAsAStridedView) {
  const Tensor tensor = counting({2, 3});
  const Tensor turned = tensor.transpose();
  EXPECT_TRUE(turned.shares_memory_with(tensor));
  EXPECT_EQ(turned.shape(), Shape(3, 2));
  EXPECT_THAT(turned.strides(), ElementsAre(1, 3));
  EXPECT_THAT(values_of(turned), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(turned.at<float>({2, 1}), 5);
  EXPECT_EQ(counting({2, 3, 4}).transpose(0, 2).at<float>({3, 1, 0}), 7);
}

TEST(TensorTest, ReshapesAViewWhenContiguousAndACopyWhenNot) {
  const Tensor tensor = counting({2, 3});
  EXPECT_TRUE(tensor.reshape({3, 2}).shares_memory_with(tensor));
  EXPECT_EQ(tensor[1].reshape({3, 1}).at<float>({2, 0}), 5);
  const Tensor flat = tensor.transpose().reshape({6});
  EXPECT_FALSE(flat.shares_memory_with(tensor));
  EXPECT_THAT(values_of(flat), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(TensorTest, FindsTheSizeThatReshapeLeavesOpen) {
  EXPECT_EQ(counting({2, 6}).reshape({-1, 4}).shape(), Shape(3, 4));
  EXPECT_EQ(counting({0, 6}).reshape({-1, 4}).shape(), Shape(0, 4));
  EXPECT_THROW(counting({2, 6}).reshape({-1, 5}), CallError);
  EXPECT_THROW(counting({2, 6}).reshape({-1, -1}), CallError);
  EXPECT_THROW(counting({2, 6}).reshape({-1, 0}), CallError);
}

TEST(TensorTest, ReadsAndNeverWritesForeignMemory) {
  const auto owner = std::make_shared<std::vector<std::int32_t>>(std::vector<std::int32_t>{1, 2});
  Tensor tensor = Tensor::wrap(DType::i32, {2}, std::as_bytes(std::span(*owner)), owner);
  EXPECT_EQ(tensor.data<std::int32_t>(), owner->data());
  EXPECT_EQ(owner.use_count(), 2);
  tensor.mutable_data<std::int32_t>()[0] = 5;
  EXPECT_EQ((*owner)[0], 1);
  EXPECT_EQ(owner.use_count(), 1) << "who has elements of its own lets go of the owner";
}

TEST(TensorTest, RefusesForeignMemoryThatIsNotAligned) {
  alignas(8) const std::array<std::byte, 12> memory{};
  const auto bytes = std::span(memory).subspan(1, 8);
  EXPECT_THROW(Tensor::wrap(DType::f64, {1}, bytes, nullptr), CallError);
}

TEST(TensorTest, ComesBackFromItsBytes) {
  const Tensor tensor = counting<std::int64_t>({2, 2});
  EXPECT_EQ(Tensor::from_bytes(DType::i64, {2, 2}, tensor.bytes()), tensor);
}

TEST(TensorTest, RefusesBytesThatAreNoTensor) {
  const std::array<std::byte, 4> bytes{std::byte{1}, std::byte{0}, std::byte{2}, std::byte{0}};
  EXPECT_EQ(
      error_of([&] { Tensor::from_bytes(DType::f32, {2}, bytes); }).message,
      "4 bytes for a tensor [2] of f32, which has 8");
  EXPECT_THAT(
      error_of([&] { Tensor::from_bytes(DType::boolean, {4}, bytes); }).message,
      HasSubstr("value 2; expected 0 or 1"));
  EXPECT_THAT(
      error_of([&] { Tensor::from_bytes(static_cast<DType>(99), {4}, bytes); }).message,
      HasSubstr("no dtype of number 99"));
}

TEST(TensorTest, SaysWhatItHasAndWhatWasExpected) {
  const Tensor tensor(DType::f32, {2, 3});
  const Error error = error_of([&] { tensor.expect(DType::f64, {3}); });
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.message, "tensor has shape [2, 3] of f32, expected [3] of f64");
  EXPECT_EQ(
      error_of([&] { tensor.data<double>(); }).message,
      "tensor has shape [2, 3] of f32, expected f64");
  EXPECT_EQ(
      error_of([&] { tensor.item<float>(); }).message,
      "tensor has shape [2, 3] of f32, expected [] of f32");
  EXPECT_EQ(
      error_of([&] {
        Tensor::from<float>({1, 2, 3}, {2, 2});
      }).message,
      "3 values for a tensor [2, 2] of f32, which has 4");
}

TEST(TensorTest, RefusesIndicesBeyondItsBounds) {
  const Tensor tensor = counting({2, 3});
  EXPECT_EQ(error_of([&] { tensor[2]; }).message, "index 2 into a tensor of shape [2, 3]");
  EXPECT_THROW(tensor[-1], CallError);
  EXPECT_THROW(tensor[0][0][0], CallError);
  EXPECT_THROW(tensor.at<float>({0, 3}), CallError);
  EXPECT_THROW(tensor.at<float>({0}), CallError);
  EXPECT_THROW(tensor.slice(0, 1, 3), CallError);
  EXPECT_THROW(tensor.slice(0, 2, 1), CallError);
  EXPECT_THROW(tensor.slice(2, 0, 0), CallError);
  EXPECT_THROW(tensor.slice(-1, 0, 0), CallError);
  EXPECT_THROW(tensor.transpose(0, 2), CallError);
}

TEST(TensorTest, RefusesSizesThatOverflow) {
  EXPECT_THROW(Tensor(DType::f32, {huge, huge}), CallError);
  EXPECT_THROW(Tensor(DType::f64, {huge / 4}), CallError) << "elements can be counted, bytes not";
  EXPECT_THROW(Tensor(DType::u8, {0, huge, huge}), CallError);
  EXPECT_THROW(Tensor(DType::u8, {-1}), CallError);
  EXPECT_THROW(Shape(std::vector<std::int64_t>(9, 1)), CallError);
}

TEST(TensorTest, ReportsThatThereIsNoMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends the program where operator new would throw";
#endif
  EXPECT_EQ(error_of([] { Tensor(DType::u8, {huge / 2}); }).code, Code::resource_exhausted);
}

TEST(TensorTest, RefusesToHandOutAStridedViewAsOneBlock) {
  const Error error = error_of([] { counting({2, 3}).transpose().bytes(); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(error.message, HasSubstr("call contiguous() first"));
}

TEST(TensorTest, CountsAsContiguousWhereASizeOfOneHasAnyStride) {
  EXPECT_TRUE(counting({4, 1}).transpose().is_contiguous());
  EXPECT_TRUE(counting({1, 4}).slice(0, 0, 1).is_contiguous());
  EXPECT_TRUE(Tensor(DType::f32, {0, 3}).transpose().is_contiguous());
}

TEST(TensorTest, ComparesAsNumbers) {
  EXPECT_EQ(counting({2, 3}).transpose().transpose(), counting({2, 3}));
  EXPECT_NE(counting({2, 3}), counting({3, 2}));
  EXPECT_NE(counting({3}), counting<double>({3}));
  EXPECT_EQ(Tensor::from<float>({0.0F}), Tensor::from<float>({-0.0F}));
  const Tensor nan = Tensor::from<float>({std::numeric_limits<float>::quiet_NaN()});
  EXPECT_NE(nan, nan);
}

TEST(TensorTest, PrintsSmallOnesInFullAndLargeOnesInPart) {
  EXPECT_EQ(to_string(counting({2, 2})), "f32 [2, 2] {{0, 1}, {2, 3}}");
  EXPECT_EQ(to_string(counting({2, 2}).transpose()), "f32 [2, 2] {{0, 2}, {1, 3}}");
  EXPECT_EQ(to_string(Tensor::from<std::int8_t>({65}, {})), "i8 [] 65");
  EXPECT_EQ(to_string(Tensor::from(std::vector<bool>{true})), "boolean [1] {true}");
  EXPECT_EQ(to_string(Tensor()), "f32 [0] {}");
  EXPECT_EQ(to_string(counting<std::int32_t>({2000})), "i32 [2000] {0, 1, 2, …, 1997, 1998, 1999}");
}

TEST(TensorTest, LetsThreadsShareAndWriteAtOnce) {
  const Tensor shared = counting({256});
  std::vector<std::thread> threads;
  std::array<float, 4> sums{};
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        Tensor own = shared;
        own.mutable_span<float>()[0] = static_cast<float>(t);
        sums[t] = own.at<float>({0}) + shared.at<float>({255});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(sums, ElementsAre(255, 256, 257, 258));
  EXPECT_EQ(shared, counting({256}));
}

TEST(TensorTest, WritesSafelyWhatAnotherThreadReadBeforeItLetGo) {
  for (int round = 0; round < 200; ++round) {
    Tensor tensor = counting({16});
    float sum = 0;
    std::thread reader([&sum, held = tensor]() mutable {
      const Tensor mine = std::move(held);
      sum = mine.at<float>({15});
    });
    tensor.mutable_span<float>()[15] = 1; // in place or in a copy, as it happens
    reader.join();
    EXPECT_EQ(sum, 15);
  }
}

} // namespace
} // namespace callboard
