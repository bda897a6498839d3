// SPDX-License-Identifier: Apache-2.0
/// @file
/// Memory for what one thread makes and another lets go of.
#pragma once

#include <cstddef>
#include <new>

namespace callboard::detail {

/// At least `size` bytes, aligned as by `new`. Thread-safe.
void* take_block(std::size_t size);
/// Gives back a block that was taken with this size, on any thread.
void give_block(void* block, std::size_t size) noexcept;

/// Objects of classes derived from this are made in recycled blocks: glibc's allocator pays with a
/// lock for each object that another thread frees, as it is with tells. Measured on two cores: a
/// tell takes 0.25 us, without this 1.6 to 2.1 us. (Calls that come back to the thread that made
/// them gain nothing.)
class Pooled {
public:
  static void* operator new(std::size_t size) { return take_block(size); }
  static void operator delete(void* object, std::size_t size) noexcept { give_block(object, size); }
  static void* operator new(std::size_t /*size*/, void* place) noexcept { return place; }
  static void operator delete(void* /*object*/, void* /*place*/) noexcept {}
  static void* operator new(std::size_t size, std::align_val_t alignment) {
    return ::operator new(size, alignment);
  }
  static void operator delete(void* object, std::size_t size, std::align_val_t alignment) noexcept {
    ::operator delete(object, size, alignment);
  }

protected:
  ~Pooled() = default;
};

} // namespace callboard::detail
