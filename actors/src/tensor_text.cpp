// SPDX-License-Identifier: Apache-2.0
#include "visit_dtype.hpp"

#include <callboard/tensor.hpp>

#include <fmt/format.h>

#include <ostream>

namespace callboard {
namespace {

constexpr std::int64_t most_in_full = 1000;
constexpr std::int64_t shown_at_each_end = 3;

std::string element_text(const Tensor& number) {
  return visit_dtype(
      number.dtype(), [&]<class T>(T) { return fmt::format("{}", number.item<T>()); });
}

std::string elements_text(const Tensor& tensor, bool in_full) {
  if (tensor.rank() == 0) {
    return element_text(tensor);
  }
  const std::int64_t size = tensor.shape()[0];
  const bool cut = !in_full && size > 2 * shown_at_each_end;
  std::string text = "{";
  for (std::int64_t i = 0; i < size; ++i) {
    if (cut && i == shown_at_each_end) {
      text += ", …";
      i = size - shown_at_each_end;
    }
    text += i == 0 ? "" : ", ";
    text += elements_text(tensor[i], in_full);
  }
  return text + "}";
}

} // namespace

std::string to_string(const Tensor& tensor) {
  return fmt::format(
      "{} {} {}",
      to_string(tensor.dtype()),
      to_string(tensor.shape()),
      tensor.count() == 0 ? "{}" : elements_text(tensor, tensor.count() <= most_in_full));
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

} // namespace callboard
