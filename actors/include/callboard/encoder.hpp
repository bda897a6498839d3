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
  explicit Encoder(std::vector<std::byte> start) : bytes_(std::move(start)) {}

  template <Number T>
  void put(T number) {
    put_block(std::as_bytes(std::span(&number, 1)).first(detail::wire_size<T>));
  }

  void put(bool flag) { bytes_.push_back(static_cast<std::byte>(flag)); }

  /// A count or length: seven bits a byte, the least significant first.
  void put_size(std::uint64_t size) {
    for (; size >= 0x80; size >>= 7) {
      bytes_.push_back(static_cast<std::byte>(size | 0x80));
    }
    bytes_.push_back(static_cast<std::byte>(size));
  }

  /// Copied in one piece.
  void put_block(std::span<const std::byte> block) {
    bytes_.insert(bytes_.end(), block.begin(), block.end());
  }

  /// Appends `size` zero bytes to be written by the caller: valid until the next call.
  std::byte* extend(std::size_t size) {
    bytes_.resize(bytes_.size() + size);
    return bytes_.data() + (bytes_.size() - size);
  }

  /// Puts the values that begin at `starts`, of which the last one ends here, in the order of
  /// their bytes.
  void sort(std::span<const std::size_t> starts);

  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::size_t size() const noexcept { return bytes_.size(); }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  /// The buffer; the encoder is empty afterwards.
  std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

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
  std::vector<std::byte> bytes_;
  int levels_ = 0;
};

} // namespace callboard
