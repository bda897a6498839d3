// SPDX-License-Identifier: Apache-2.0
/// @file
/// The sizes of a tensor's dimensions, outermost first.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace callboard {

/// Up to eight sizes, stored in place. `{}` is the shape of a single number.
///
/// A plain list: sizes are checked where a tensor is made from them, so that `{-1, 4}` can ask
/// `Tensor::reshape` to find the first one.
class Shape {
public:
  static constexpr std::size_t max_rank = 8;

  Shape() = default;

  template <std::integral... Sizes>
    requires(sizeof...(Sizes) > 0)
  // NOLINTNEXTLINE(google-explicit-constructor): shapes are written {2, 3}
  Shape(Sizes... sizes) : rank_(sizeof...(Sizes)), sizes_{static_cast<std::int64_t>(sizes)...} {
    static_assert(sizeof...(Sizes) <= max_rank, "a tensor has at most 8 dimensions");
  }

  /// @throws CallError{invalid_argument}  more than `max_rank` sizes
  explicit Shape(std::span<const std::int64_t> sizes);

  std::size_t rank() const noexcept { return rank_; }
  std::int64_t operator[](std::size_t dim) const noexcept { return sizes_[dim]; }
  std::int64_t& operator[](std::size_t dim) noexcept { return sizes_[dim]; }
  const std::int64_t* begin() const noexcept { return sizes_.data(); }
  const std::int64_t* end() const noexcept { return sizes_.data() + rank_; }

  /// The shape without dimension `dim`, which exists.
  Shape without(std::size_t dim) const;

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  std::size_t rank_ = 0;
  std::array<std::int64_t, max_rank> sizes_{};
};

/// As in "[2, 3]"; "[]" for a single number.
std::string to_string(const Shape& shape);

/// The number of elements of a tensor of this shape, whose bytes fit into memory's address range.
///
/// @param element_size  bytes of one element, 1 to 8
/// @throws CallError{invalid_argument}  a size is negative, or the bytes exceed 2^63 - 1
std::int64_t element_count(const Shape& shape, std::size_t element_size = 8);

} // namespace callboard
