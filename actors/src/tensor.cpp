// SPDX-License-Identifier: Apache-2.0
#include "visit_dtype.hpp"

#include <callboard/error.hpp>
#include <callboard/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace callboard {
namespace {

using Numbers = std::span<const std::int64_t>;

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw CallError(Code::invalid_argument, fmt::format(text, std::forward<Parts>(parts)...));
}

std::string describe(DType dtype, const Shape& shape) {
  return fmt::format("{} of {}", to_string(shape), to_string(dtype));
}

std::int64_t checked_count(DType dtype, const Shape& shape) {
  if (!is_known(dtype)) {
    refuse("there is no dtype of number {}", static_cast<int>(dtype));
  }
  return element_count(shape, size_of(dtype));
}

std::size_t checked_bytes(DType dtype, const Shape& shape) {
  return static_cast<std::size_t>(checked_count(dtype, shape)) * size_of(dtype);
}

void check_byte_count(DType dtype, const Shape& shape, std::size_t given) {
  const std::size_t needed = checked_bytes(dtype, shape);
  if (given != needed) {
    refuse("{} bytes for a tensor {}, which has {}", given, describe(dtype, shape), needed);
  }
}

void check_booleans(std::span<const std::byte> bytes) {
  const auto wrong =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (wrong != bytes.end()) {
    refuse("a boolean has the value {}; expected 0 or 1", static_cast<int>(*wrong));
  }
}

/// Writes the elements of a strided tensor one after another; returns the end of what it wrote.
template <class T>
T* pack(T* to, const T* from, Numbers sizes, Numbers strides) {
  if (sizes.empty()) {
    *to = *from;
    return to + 1;
  }
  if (sizes.size() == 1 && strides[0] == 1) {
    return std::copy_n(from, sizes[0], to);
  }
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    to = pack(to, from + i * strides[0], sizes.subspan(1), strides.subspan(1));
  }
  return to;
}

} // namespace

Tensor::Tensor(DType dtype, const Shape& shape, detail::BufferPointer buffer)
    : dtype_(dtype),
      shape_(shape),
      count_(element_count(shape, size_of(dtype))),
      first_(buffer ? buffer->data() : nullptr),
      buffer_(std::move(buffer)) {
  std::int64_t stride = 1;
  for (std::size_t dim = rank(); dim-- > 0;) {
    strides_[dim] = stride;
    stride *= std::max<std::int64_t>(shape_[dim], 1);
  }
}

Tensor::Tensor(DType dtype, const Shape& shape)
    : Tensor(dtype, shape, detail::allocate_buffer(checked_bytes(dtype, shape))) {
  std::fill_n(first_, byte_size(), std::byte{});
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  Tensor(std::move(other)).swap(*this);
  return *this;
}

void Tensor::swap(Tensor& other) noexcept {
  std::swap(dtype_, other.dtype_);
  std::swap(shape_, other.shape_);
  std::swap(strides_, other.strides_);
  std::swap(count_, other.count_);
  std::swap(first_, other.first_);
  buffer_.swap(other.buffer_);
}

Tensor Tensor::from_bytes(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  check_byte_count(dtype, shape, bytes.size());
  if (dtype == DType::boolean) {
    check_booleans(bytes);
  }
  Tensor tensor(dtype, shape, detail::allocate_buffer(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), tensor.first_);
  return tensor;
}

Tensor Tensor::wrap(
    DType dtype,
    const Shape& shape,
    std::span<const std::byte> bytes,
    std::shared_ptr<const void> owner) {
  check_byte_count(dtype, shape, bytes.size());
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(dtype) != 0) {
    refuse("memory for {} is not aligned to {} bytes", describe(dtype, shape), size_of(dtype));
  }
  return {dtype, shape, new detail::ForeignBuffer(bytes, std::move(owner))};
}

bool Tensor::is_contiguous() const noexcept {
  std::int64_t stride = 1;
  for (std::size_t dim = rank(); dim-- > 0;) {
    if (shape_[dim] != 1 && strides_[dim] != stride) {
      return count_ == 0;
    }
    stride *= shape_[dim];
  }
  return true;
}

bool Tensor::shares_memory_with(const Tensor& other) const noexcept {
  return buffer_ != nullptr && buffer_ == other.buffer_;
}

Tensor Tensor::operator[](std::int64_t index) const {
  if (rank() == 0 || index < 0 || index >= shape_[0]) {
    refuse("index {} into a tensor of shape {}", index, to_string(shape_));
  }
  Tensor part = slice(0, index, index + 1);
  part.shape_ = shape_.without(0);
  std::copy(strides_.begin() + 1, strides_.end(), part.strides_.begin());
  return part;
}

Tensor Tensor::slice(std::int64_t dim, std::int64_t begin, std::int64_t end) const {
  const auto d = static_cast<std::size_t>(dim);
  if (d >= rank() || begin < 0 || begin > end || end > shape_[d]) {
    refuse("slice {} to {} of dimension {} of shape {}", begin, end, dim, to_string(shape_));
  }
  Tensor part = *this;
  part.shape_[d] = end - begin;
  part.count_ = element_count(part.shape_, size_of(dtype_));
  if (part.count_ > 0) {
    part.first_ += begin * strides_[d] * static_cast<std::int64_t>(size_of(dtype_));
  }
  return part;
}

Tensor Tensor::reshape(const Shape& shape) const {
  Shape wanted = shape;
  const auto* open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {
    const auto dim = static_cast<std::size_t>(open - shape.begin());
    const std::int64_t rest = element_count(shape.without(dim));
    wanted[dim] = rest == 0 ? 0 : count_ / rest;
  }
  if (checked_count(dtype_, wanted) != count_) {
    refuse(
        "shape {} can't become {}: it has {} elements",
        to_string(shape_),
        to_string(shape),
        count_);
  }
  const Tensor packed = contiguous();
  Tensor view(dtype_, wanted, packed.buffer_);
  view.first_ = packed.first_;
  return view;
}

Tensor Tensor::transpose(std::int64_t a, std::int64_t b) const {
  const auto dims = static_cast<std::int64_t>(rank());
  if (a < 0 || b < 0 || a >= dims || b >= dims) {
    refuse("transpose of dimensions {} and {} of shape {}", a, b, to_string(shape_));
  }
  Tensor view = *this;
  std::swap(view.shape_[static_cast<std::size_t>(a)], view.shape_[static_cast<std::size_t>(b)]);
  std::swap(view.strides_[static_cast<std::size_t>(a)], view.strides_[static_cast<std::size_t>(b)]);
  return view;
}

Tensor Tensor::contiguous() const {
  return is_contiguous() ? *this : copy();
}

Tensor Tensor::copy() const {
  Tensor copied(dtype_, shape_, detail::allocate_buffer(byte_size()));
  if (count_ > 0) {
    visit_dtype(dtype_, [&]<class T>(T) {
      const Numbers sizes(shape_.begin(), rank());
      pack(
          reinterpret_cast<T*>(copied.first_),
          reinterpret_cast<const T*>(first_),
          sizes,
          strides());
    });
  }
  return copied;
}

std::span<const std::byte> Tensor::bytes() const {
  check_contiguous();
  return {first_, byte_size()};
}

std::span<std::byte> Tensor::mutable_bytes() {
  make_exclusive();
  return {first_, byte_size()};
}

void Tensor::expect(DType dtype, const Shape& shape) const {
  if (dtype != dtype_ || shape != shape_) {
    refuse("tensor has shape {}, expected {}", describe(dtype_, shape_), describe(dtype, shape));
  }
}

void Tensor::expect(DType dtype) const {
  if (dtype != dtype_) {
    refuse("tensor has shape {}, expected {}", describe(dtype_, shape_), to_string(dtype));
  }
}

void Tensor::expect_rank(DType dtype, std::size_t dimensions) const {
  if (dtype != dtype_ || dimensions != rank()) {
    const std::string given = describe(dtype_, shape_);
    refuse("tensor has shape {}, expected rank {} of {}", given, dimensions, to_string(dtype));
  }
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_) {
    return false;
  }
  return visit_dtype(a.dtype_, [&]<class T>(T) {
    const Tensor left = a.contiguous();
    const Tensor right = b.contiguous();
    return std::ranges::equal(left.span<T>(), right.span<T>());
  });
}

void Tensor::check_values(std::size_t values, DType dtype, const Shape& shape) {
  const std::int64_t needed = checked_count(dtype, shape);
  if (values != static_cast<std::size_t>(needed)) {
    refuse("{} values for a tensor {}, which has {}", values, describe(dtype, shape), needed);
  }
}

void Tensor::check_contiguous() const {
  if (!is_contiguous()) {
    throw CallError(
        Code::failed_precondition,
        fmt::format(
            "tensor {} is a strided view; call contiguous() first", describe(dtype_, shape_)));
  }
}

const std::byte* Tensor::element(const Shape& index) const {
  bool inside = index.rank() == rank();
  std::int64_t offset = 0;
  for (std::size_t dim = 0; inside && dim < rank(); ++dim) {
    inside = index[dim] >= 0 && index[dim] < shape_[dim];
    offset += inside ? index[dim] * strides_[dim] : 0;
  }
  if (!inside) {
    refuse("index {} into a tensor of shape {}", to_string(index), to_string(shape_));
  }
  return first_ + offset * static_cast<std::int64_t>(size_of(dtype_));
}

void Tensor::make_exclusive() {
  if (count_ > 0 && !(buffer_->exclusive() && is_contiguous())) {
    *this = copy();
  }
}

} // namespace callboard
