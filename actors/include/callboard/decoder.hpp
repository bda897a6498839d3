// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reads values from bytes that may be anything.
#pragma once

#include <callboard/detail/type_name.hpp>
#include <callboard/encoder.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace callboard {

/// Reads from front to back and checks everything it reads. Every failure is a
/// `CallError{malformed}` that says at which offset, inside which types, and what was expected
/// there. Refers to the bytes, which must outlive it. Not thread-safe.
class Decoder {
public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <Number T>
  T get() {
    T number{};
    constexpr std::size_t size = detail::wire_size<T>;
    if (remaining() < size) {
      fail_short(size, detail::type_signature<T>());
    }
    std::memcpy(&number, bytes_.data() + offset_, size);
    offset_ += size;
    return number;
  }

  /// A bool: 0 or 1, nothing else.
  bool get_flag();

  /// What `Encoder::put_size` wrote. To be used only for what is not going to be allocated or
  /// counted to; else `get_count`.
  std::uint64_t get_size();

  /// The number of elements that follow, of `each` bytes or more (at least 1): no more than the
  /// bytes that are left can hold.
  std::size_t get_count(std::size_t each = 1);

  /// The next `size` bytes.
  std::span<const std::byte> get_block(std::size_t size);

  std::size_t offset() const noexcept { return offset_; }
  std::size_t remaining() const noexcept { return bytes_.size() - offset_; }

  /// To be called behind the last value: bytes that nobody asked for are malformed, too.
  void finish() const;

  /// Throws. `expected` completes the sentence "expected …", such as "a colour, found 7".
  [[noreturn]] void fail(std::string_view expected) const;

  /// Lives while a value is read that may hold others, and names its type in errors.
  class Level {
  public:
    Level(Decoder& decoder, std::string_view signature)
        : decoder_(decoder), outer_(decoder.level_), signature_(signature) {
      if (decoder.levels_ == max_levels) {
        decoder.fail("values at most 200 levels deep");
      }
      ++decoder.levels_;
      decoder.level_ = this;
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() {
      --decoder_.levels_;
      decoder_.level_ = outer_;
    }

  private:
    friend class Decoder;
    Decoder& decoder_;
    const Level* outer_;
    std::string_view signature_;
  };

private:
  [[noreturn]] void fail_short(std::uint64_t size, std::string_view signature) const;

  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0;
  const Level* level_ = nullptr;
  int levels_ = 0;
};

} // namespace callboard
