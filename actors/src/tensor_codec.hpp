// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parts of a tensor on the wire, for those who keep head and elements apart.
#pragma once

#include <callboard/decoder.hpp>
#include <callboard/encoder.hpp>
#include <callboard/tensor.hpp>

#include <memory>

namespace callboard::detail {

/// What comes before the elements.
void encode_tensor_head(Encoder& encoder, const Tensor& tensor);

/// Reads a tensor from bytes that `owner` keeps unchanged: a view of them, where they are aligned.
/// Booleans, which are checked, and what has no owner are copied.
/// @throws CallError{malformed}  see Codec<Tensor>
Tensor decode_tensor(Decoder& decoder, const std::shared_ptr<const void>& owner);

} // namespace callboard::detail
