// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>
#include <callboard/shape.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace callboard {

Shape::Shape(std::span<const std::int64_t> sizes) : rank_(sizes.size()) {
  if (rank_ > max_rank) {
    throw CallError(
        Code::invalid_argument,
        fmt::format("a shape of {} dimensions; a tensor has at most {}", rank_, max_rank));
  }
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

Shape Shape::without(std::size_t dim) const {
  Shape rest = *this;
  std::copy(begin() + dim + 1, end(), rest.sizes_.begin() + static_cast<std::ptrdiff_t>(dim));
  rest.sizes_[--rest.rank_] = 0;
  return rest;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

std::int64_t element_count(const Shape& shape, std::size_t element_size) {
  const auto most =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_size);
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) {
      throw CallError(
          Code::invalid_argument, fmt::format("shape {} has a negative size", to_string(shape)));
    }
    empty = empty || size == 0;
    // A size of 0 counts as 1, so that the strides of an empty tensor can't overflow either.
    if (__builtin_mul_overflow(count, size == 0 ? 1 : size, &count) || count > most) {
      throw CallError(
          Code::invalid_argument,
          fmt::format("shape {} has more elements than can be addressed", to_string(shape)));
    }
  }
  return empty ? 0 : count;
}

} // namespace callboard
