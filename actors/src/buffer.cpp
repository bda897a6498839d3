// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/buffer.hpp>
#include <callboard/error.hpp>

#include <fmt/format.h>

#include <new>

namespace callboard::detail {
namespace {

constexpr std::align_val_t alignment{64};

class HeapBuffer final : public Buffer {
public:
  explicit HeapBuffer(std::size_t size)
      : Buffer(static_cast<std::byte*>(::operator new(size, alignment)), true) {}
  HeapBuffer(const HeapBuffer&) = delete;
  HeapBuffer& operator=(const HeapBuffer&) = delete;
  ~HeapBuffer() override { ::operator delete(data(), alignment); }
};

} // namespace

BufferPointer allocate_buffer(std::size_t size) try {
  return size == 0 ? nullptr : new HeapBuffer(size);
} catch (const std::bad_alloc&) {
  throw CallError(
      Code::resource_exhausted, fmt::format("no memory for a tensor of {} bytes", size));
}

} // namespace callboard::detail
