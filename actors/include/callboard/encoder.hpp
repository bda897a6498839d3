// SPDX-License-Identifier: Apache-2.0
/// @file
/// Writes values into bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard {

/// What travels in its natural width, the least significant byte first.
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Values may hold one another this many levels deep; what is deeper neither leaves nor arrives.
inline constexpr int max_levels = 200;

namespace detail {

static_assert(
    std::endian::native == std::endian::little,
    "callboard: numbers travel as they lie in memory, which takes a little-endian machine");

/// An x87 `long double` has six bytes that mean nothing.
template <class T>
inline constexpr std::size_t wire_size =
    std::is_same_v<T, long double>&& std::numeric_limits<T>::digits == 64 ? 10 : sizeof(T);

[[noreturn]] void fail_too_deep();

} // namespace detail

/// A growing buffer to which values are appended. Not thread-safe.
class Encoder {
public:
  Encoder() = default;

  /// Goes on behind what `start` holds.
  explicit Encoder(std::vector<std::byte> start) : bytes_(std::move(start)), size_(bytes_.size()) {}

  template <Number T>
  void put(T number) {
    std::memcpy(extend(detail::wire_size<T>), &number, detail::wire_size<T>);
  }

  void put(bool flag) { *extend(1) = static_cast<std::byte>(flag); }

  /// A count or length: seven bits a byte, the least significant first.
  void put_size(std::uint64_t size) {
    for (; size >= 0x80; size >>= 7) {
      *extend(1) = static_cast<std::byte>(size | 0x80);
    }
    *extend(1) = static_cast<std::byte>(size);
  }

  /// Copied in one piece.
  void put_block(std::span<const std::byte> block) {
    if (size_ + block.size() > bytes_.size()) {
      append(block);
    } else if (!block.empty()) {
      std::memcpy(extend(block.size()), block.data(), block.size());
    }
  }

  /// Appends `size` zero bytes to be written by the caller: valid until the next call.
  std::byte* extend(std::size_t size) {
    if (size_ + size > bytes_.size()) {
      grow(size);
    }
    size_ += size;
    return bytes_.data() + (size_ - size);
  }

  /// Puts the values that begin at `starts`, of which the last one ends here, in the order of
  /// their bytes.
  void sort(std::span<const std::size_t> starts);

  /// Room for `size` bytes in all.
  void reserve(std::size_t size) {
    if (size > bytes_.size()) {
      grow(size - size_);
    }
  }
  std::size_t size() const noexcept { return size_; }
  std::span<const std::byte> bytes() const noexcept { return {bytes_.data(), size_}; }

  /// The buffer; the encoder is empty afterwards.
  std::vector<std::byte> take();

  /// Lives while a value is written that may hold others.
  class Level {
  public:
    /// @throws CallError{invalid_argument} there are `max_levels` already
    explicit Level(Encoder& encoder) : encoder_(encoder) {
      if (encoder.levels_ == max_levels) {
        detail::fail_too_deep();
      }
      ++encoder.levels_;
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --encoder_.levels_; }

  private:
    Encoder& encoder_;
  };

private:
  // Not inline: where g++ 12 sees a vector of bytes grow in pieces, it warns users of overflows
  // that there are not.
  /// Makes room for `size` more bytes.
  void grow(std::size_t size);
  /// As `put_block`, without writing zeros first.
  void append(std::span<const std::byte> block);

  std::vector<std::byte> bytes_; ///< zeros from `size_` on
  std::size_t size_ = 0;
  int levels_ = 0;
};

} // namespace callboard
