// SPDX-License-Identifier: Apache-2.0
/// @file
/// An array of numbers of any dimension: what observations, gradients and weights travel as.
#pragma once

#include <callboard/detail/buffer.hpp>
#include <callboard/detail/travels.hpp>
#include <callboard/dtype.hpp>
#include <callboard/shape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard {

/// A value: copies and views are made without copying elements, and share them until one is
/// written; the written one then gets elements of its own. So writing to a slice never changes
/// the tensor that it was cut from. A small view keeps the whole block of its tensor in memory;
/// `copy()` lets go of it.
///
/// Does no arithmetic: see <callboard/tensor_eigen.hpp> for views as Eigen matrices.
///
/// Thread-safety: that of an `int`. Any number of threads may read one tensor, and copy it; a
/// tensor that one thread writes or assigns is touched by no other meanwhile. Tensors that share
/// elements are independent: each may be written by its own thread.
///
/// Lifetime: what `data`, `span` and `bytes` point to is there while a tensor that shares these
/// elements lives and isn't written. What the `mutable_` ones return may be written until the
/// tensor is next copied, viewed, written or destroyed.
class Tensor {
public:
  /// Shape [0] of f32: no elements.
  Tensor() = default;

  /// Zeros (false).
  /// @throws CallError{invalid_argument}    a negative size, too many elements, unknown dtype
  /// @throws CallError{resource_exhausted}  no memory for them
  Tensor(DType dtype, const Shape& shape);

  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  /// Leaves `other` as a default one.
  Tensor(Tensor&& other) noexcept : Tensor() { swap(other); }
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;
  void swap(Tensor& other) noexcept;

  /// The vector's elements, in row-major order; its memory is taken over (not `vector<bool>`'s).
  /// @throws CallError{invalid_argument}  the shape holds another number of elements
  template <Element T>
  static Tensor from(std::vector<T> values, const Shape& shape);
  /// One dimension, as long as the vector.
  template <Element T>
  static Tensor from(std::vector<T> values);

  /// A copy of `bytes`, row-major, in the byte order of this machine.
  /// @throws CallError{invalid_argument}  wrong number of bytes; unknown dtype; a boolean that is
  ///                                      neither 0 nor 1
  static Tensor from_bytes(DType dtype, const Shape& shape, std::span<const std::byte> bytes);

  /// A view of memory that others own, such as a mapped segment: never written through this
  /// tensor, and not to be changed by others while `owner` is held. Booleans are 0 or 1.
  /// @throws CallError{invalid_argument}  wrong number of bytes; unknown dtype; not aligned
  static Tensor wrap(
      DType dtype,
      const Shape& shape,
      std::span<const std::byte> bytes,
      std::shared_ptr<const void> owner);

  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  std::size_t rank() const noexcept { return shape_.rank(); }
  /// Number of elements.
  std::int64_t count() const noexcept { return count_; }
  std::size_t byte_size() const noexcept {
    return static_cast<std::size_t>(count_) * size_of(dtype_);
  }
  /// Elements, not bytes, from one index to the next of each dimension.
  std::span<const std::int64_t> strides() const noexcept { return {strides_.data(), rank()}; }
  /// Whether the elements lie in row-major order without gaps.
  bool is_contiguous() const noexcept;
  /// Whether both look at the same block of memory.
  bool shares_memory_with(const Tensor& other) const noexcept;

  /// Part `index` of the first dimension: a view of one dimension less.
  /// @throws CallError{invalid_argument}  no first dimension, or `index` beyond it
  Tensor operator[](std::int64_t index) const;

  /// The parts `begin` to `end` - 1 of dimension `dim`, as a view.
  /// @throws CallError{invalid_argument}  unless 0 <= begin <= end <= size of `dim`
  Tensor slice(std::int64_t dim, std::int64_t begin, std::int64_t end) const;

  /// The same elements in row-major order under another shape, in which one size may be -1: what
  /// the others leave. A view if this is contiguous, else a copy.
  /// @throws CallError{invalid_argument}  the shape holds another number of elements
  Tensor reshape(const Shape& shape) const;

  /// Dimensions `a` and `b` exchanged: a view, in general not contiguous.
  Tensor transpose(std::int64_t a = 0, std::int64_t b = 1) const;

  /// This if it is contiguous, else a copy that is.
  Tensor contiguous() const;
  /// A contiguous tensor with memory of its own.
  Tensor copy() const;

  /// The elements, for reading, in row-major order.
  /// @throws CallError{invalid_argument}     `T` isn't the dtype
  /// @throws CallError{failed_precondition}  not contiguous
  template <Element T>
  const T* data() const;
  template <Element T>
  std::span<const T> span() const {
    return {data<T>(), static_cast<std::size_t>(count_)};
  }
  /// @throws CallError{failed_precondition}  not contiguous
  std::span<const std::byte> bytes() const;

  /// The elements, for writing: copied first if they are shared, foreign or not contiguous.
  /// @throws CallError{invalid_argument}  `T` isn't the dtype; nothing is copied
  template <Element T>
  T* mutable_data();
  template <Element T>
  std::span<T> mutable_span() {
    return {mutable_data<T>(), static_cast<std::size_t>(count_)};
  }
  std::span<std::byte> mutable_bytes();

  /// The element at `index`, one number for each dimension.
  /// @throws CallError{invalid_argument}  out of bounds, or `T` isn't the dtype
  template <Element T>
  T at(const Shape& index) const;

  /// The only element, whatever the rank.
  /// @throws CallError{invalid_argument}  not exactly one element, or `T` isn't the dtype
  template <Element T>
  T item() const;

  /// What a service does first with a tensor that it is given.
  /// @throws CallError{invalid_argument}  "tensor has shape [2, 3] of f32, expected [3] of f64"
  void expect(DType dtype, const Shape& shape) const;
  void expect(DType dtype) const;
  void expect_rank(DType dtype, std::size_t dimensions) const;

  /// Same dtype, shape and elements, which are compared as numbers: a NaN differs from itself.
  friend bool operator==(const Tensor& a, const Tensor& b);

private:
  Tensor(DType dtype, const Shape& shape, detail::BufferPointer buffer);

  static void check_values(std::size_t values, DType dtype, const Shape& shape);
  void check_contiguous() const;
  const std::byte* element(const Shape& index) const;
  void make_exclusive();

  DType dtype_ = DType::f32;
  Shape shape_{0};
  std::array<std::int64_t, Shape::max_rank> strides_{1};
  std::int64_t count_ = 0;
  std::byte* first_ = nullptr; // the first element, within the buffer; null if there is none
  detail::BufferPointer buffer_;
};

/// As in "f32 [2, 2] {{1, 2}, {3, 4}}". Of more than a thousand elements, the first and the last
/// three of each dimension.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

/// On the wire: the dtype and the rank, a byte each; the sizes, as sizes; the elements, row-major,
/// in one block. Views leave packed.
template <>
struct Codec<Tensor> {
  static void encode(Encoder& encoder, const Tensor& tensor);
  /// @throws CallError{malformed}  unknown dtype, too many dimensions, fewer bytes than the shape
  ///                               says, or a boolean that is neither 0 nor 1; nothing is allocated
  static Tensor decode(Decoder& decoder);
  static std::string layout() { return "Tensor v1"; }
};

template <Element T>
Tensor Tensor::from(std::vector<T> values, const Shape& shape) {
  check_values(values.size(), dtype_of<T>, shape);
  if constexpr (std::is_same_v<T, bool>) { // a vector of bits
    Tensor tensor(DType::boolean, shape);
    std::copy(values.begin(), values.end(), tensor.template mutable_data<bool>());
    return tensor;
  } else {
    return {dtype_of<T>, shape, new detail::VectorBuffer<T>(std::move(values))};
  }
}

template <Element T>
Tensor Tensor::from(std::vector<T> values) {
  const Shape shape{values.size()};
  return from(std::move(values), shape);
}

template <Element T>
const T* Tensor::data() const {
  expect(dtype_of<T>);
  check_contiguous();
  return reinterpret_cast<const T*>(first_);
}

template <Element T>
T* Tensor::mutable_data() {
  expect(dtype_of<T>);
  make_exclusive();
  return reinterpret_cast<T*>(first_);
}

template <Element T>
T Tensor::at(const Shape& index) const {
  expect(dtype_of<T>);
  return *reinterpret_cast<const T*>(element(index));
}

template <Element T>
T Tensor::item() const {
  if (count_ != 1) {
    expect(dtype_of<T>, {}); // which can't be: throws
  }
  expect(dtype_of<T>);
  return *reinterpret_cast<const T*>(first_);
}

} // namespace callboard
