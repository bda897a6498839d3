// SPDX-License-Identifier: Apache-2.0
#include "tensor_codec.hpp"

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

bool is_aligned(const void* address, std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(address) % size == 0;
}

Tensor view_or_copy(
    DType dtype,
    const Shape& shape,
    std::span<const std::byte> bytes,
    const std::shared_ptr<const void>& owner) {
  if (owner && !bytes.empty() && dtype != DType::boolean
      && is_aligned(bytes.data(), size_of(dtype))) {
    return Tensor::wrap(dtype, shape, bytes, owner);
  }
  return Tensor::from_bytes(dtype, shape, bytes);
}

} // namespace

namespace detail {

void encode_tensor_head(Encoder& encoder, const Tensor& tensor) {
  encoder.put(static_cast<std::uint8_t>(tensor.dtype()));
  encoder.put(static_cast<std::uint8_t>(tensor.rank()));
  for (const std::int64_t size : tensor.shape()) {
    encoder.put_size(static_cast<std::uint64_t>(size));
  }
}

Tensor decode_tensor(Decoder& decoder, const std::shared_ptr<const void>& owner) {
  const DType dtype = read_dtype(decoder);
  const Shape shape = read_shape(decoder);
  try {
    const auto count = static_cast<std::size_t>(element_count(shape, size_of(dtype)));
    return view_or_copy(dtype, shape, decoder.get_block(count * size_of(dtype)), owner);
  } catch (const CallError& error) {
    if (error.code() != Code::invalid_argument) {
      throw;
    }
    decoder.fail("a tensor, but " + error.error().message);
  }
}

} // namespace detail

void Codec<Tensor>::encode(Encoder& encoder, const Tensor& tensor) {
  detail::encode_tensor_head(encoder, tensor);
  const Tensor packed = tensor.contiguous();
  encoder.put_block(packed.bytes());
}

Tensor Codec<Tensor>::decode(Decoder& decoder) {
  return detail::decode_tensor(decoder, nullptr);
}

} // namespace callboard
