// SPDX-License-Identifier: Apache-2.0
/// @file
/// One value of a checkpoint, as bytes that never change.
#pragma once

#include <callboard/codec.hpp>
#include <callboard/tensor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard::detail {

/// Bytes in one block; of a tensor that was put, its head, and the elements where they lie.
class CheckpointValue {
public:
  template <class T>
  CheckpointValue(std::string layout, const T& value)
      : CheckpointValue(std::move(layout), encoded(value)) {}
  CheckpointValue(std::string layout, const Tensor& tensor);
  CheckpointValue(std::string layout, std::vector<std::byte> bytes);
  /// `owner` keeps the bytes.
  CheckpointValue(
      std::string layout, std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : layout_(std::move(layout)), bytes_(bytes), owner_(std::move(owner)) {}

  const std::string& layout() const noexcept { return layout_; }
  std::uint64_t byte_size() const noexcept;
  /// The bytes, in two pieces of which the second may be empty.
  std::array<std::span<const std::byte>, 2> pieces() const;

  /// @throws CallError{malformed}  the bytes don't hold a `T`
  template <class T>
  T as() const {
    if constexpr (std::is_same_v<T, Tensor>) {
      return as_tensor();
    } else {
      return tensor_ ? decoded<T>(encoded(*tensor_)) : decoded<T>(bytes_);
    }
  }

private:
  Tensor as_tensor() const;

  std::string layout_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_; // of bytes_
  std::optional<Tensor> tensor_;      // contiguous; its elements follow bytes_
};

} // namespace callboard::detail
