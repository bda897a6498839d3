// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>
#include <callboard/tensor.hpp>

#include <fmt/format.h>

namespace callboard {
namespace {

DType read_dtype(Decoder& decoder) {
  const auto dtype = static_cast<DType>(decoder.get<std::uint8_t>());
  if (!is_known(dtype)) {
    decoder.fail(fmt::format("a tensor's dtype before this, found {}", static_cast<int>(dtype)));
  }
  return dtype;
}

Shape read_shape(Decoder& decoder) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  const std::size_t rank = decoder.get<std::uint8_t>();
  if (rank > sizes.size()) {
    decoder.fail(fmt::format("at most {} dimensions, found {}", sizes.size(), rank));
  }
  for (std::size_t dim = 0; dim < rank; ++dim) {
    sizes[dim] = static_cast<std::int64_t>(decoder.get_size()); // negative if beyond 2^63
  }
  return Shape(std::span<const std::int64_t>(sizes.data(), rank));
}

} // namespace

void Codec<Tensor>::encode(Encoder& encoder, const Tensor& tensor) {
  encoder.put(static_cast<std::uint8_t>(tensor.dtype()));
  encoder.put(static_cast<std::uint8_t>(tensor.rank()));
  for (const std::int64_t size : tensor.shape()) {
    encoder.put_size(static_cast<std::uint64_t>(size));
  }
  const Tensor packed = tensor.contiguous();
  encoder.put_block(packed.bytes());
}

Tensor Codec<Tensor>::decode(Decoder& decoder) {
  const DType dtype = read_dtype(decoder);
  const Shape shape = read_shape(decoder);
  try {
    const auto count = static_cast<std::size_t>(element_count(shape, size_of(dtype)));
    return Tensor::from_bytes(dtype, shape, decoder.get_block(count * size_of(dtype)));
  } catch (const CallError& error) {
    if (error.code() != Code::invalid_argument) {
      throw;
    }
    decoder.fail("a tensor, but " + error.error().message);
  }
}

} // namespace callboard
