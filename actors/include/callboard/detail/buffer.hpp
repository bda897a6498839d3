// SPDX-License-Identifier: Apache-2.0
/// @file
/// The bytes that tensors share, counted from within.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace callboard::detail {

/// A block of bytes and the number of tensors that look at it.
///
/// The count is our own because a `shared_ptr` offers no `use_count` that synchronises: who finds
/// itself the only holder must also see everything that earlier holders did before they let go.
class Buffer {
public:
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const noexcept { return data_; }

  /// Whether the one who asks, a holder, is the only one and may write.
  bool exclusive() const noexcept {
    return writable_ && holders_.load(std::memory_order_acquire) == 1;
  }

  friend void intrusive_ptr_add_ref(Buffer* buffer) noexcept {
    buffer->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(Buffer* buffer) noexcept {
    if (buffer->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete buffer;
    }
  }

protected:
  Buffer(std::byte* data, bool writable) noexcept : data_(data), writable_(writable) {}

private:
  std::byte* data_;
  std::atomic<std::size_t> holders_{0};
  bool writable_;
};

using BufferPointer = boost::intrusive_ptr<Buffer>;

/// New bytes, uninitialised, aligned for vector instructions (64). Null for `size` 0.
/// @throws CallError{resource_exhausted}  there is no memory for them
BufferPointer allocate_buffer(std::size_t size);

/// The bytes of a vector, which moves in.
template <class T>
class VectorBuffer final : public Buffer {
public:
  explicit VectorBuffer(std::vector<T> values)
      : Buffer(reinterpret_cast<std::byte*>(values.data()), true), values_(std::move(values)) {}

private:
  std::vector<T> values_;
};

/// Bytes that somebody else owns: never written, and alive as long as `owner` is held.
class ForeignBuffer final : public Buffer {
public:
  ForeignBuffer(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : Buffer(const_cast<std::byte*>(bytes.data()), false), owner_(std::move(owner)) {}

private:
  std::shared_ptr<const void> owner_;
};

} // namespace callboard::detail
