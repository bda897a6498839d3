// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values that travel between nodes, as bytes.
///
/// These do without any preparation: numbers, bool, enums, strings, the standard containers,
/// `std::array`, `std::pair`, `std::tuple`, `std::optional`, `std::variant`, durations and time
/// points of `<chrono>`, Protocol Buffers messages, `std::shared_ptr<const T>` (the value travels),
/// and what is `Reflected`: aggregates, and classes with an `inspect` function and a default
/// constructor. For any other type specialise `Codec`. Pointers, references, views and functions
/// don't travel.
///
/// Numbers are little-endian in their own width; counts and lengths take seven bits a byte; a
/// vector of numbers is one block. Bytes carry no types: who reads must know what was written,
/// which `layout` makes comparable. A point of `steady_clock` means something on its own host only.
#pragma once

#include <callboard/decoder.hpp>
#include <callboard/detail/codec_containers.hpp>
#include <callboard/detail/codec_fields.hpp>
#include <callboard/detail/codec_values.hpp>
#include <callboard/detail/transfer.hpp>
#include <callboard/detail/travels.hpp>
#include <callboard/encoder.hpp>
#include <callboard/error.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace callboard {

/// May cross from one node to another. (`T[n]` may inside of aggregates; alone, be it a
/// `std::array`.)
template <class T>
concept Transferable = !std::is_array_v<T> && detail::travels<T>();

/// Appends `value`.
///
/// @throws CallError{invalid_argument} it has more than `max_levels` levels, is a variant without a
///     value, or a Protocol Buffers message that lacks a required field or exceeds 2 GiB
/// What an `inspect` function or a `Codec` throws passes through. The encoder then holds a part of
/// the value.
template <class T>
void encode(Encoder& encoder, const T& value) {
  if constexpr (detail::require_transferable<T>() && Transferable<T>) {
    detail::write(encoder, value);
  }
}

/// Reads one `T`.
///
/// @throws CallError{malformed} the bytes don't hold one; no more memory is taken
///     before than a small multiple of their number
/// What an `inspect` function or a `Codec` throws passes through.
template <class T>
T decode(Decoder& decoder) {
  if constexpr (detail::require_transferable<T>() && Transferable<T>) {
    return detail::read<T>(decoder);
  }
}

/// `value` alone. Throws what `encode` throws.
template <class T>
std::vector<std::byte> encoded(const T& value) {
  Encoder encoder;
  encode(encoder, value);
  return encoder.take();
}

/// The `T` that is all of `bytes`. Throws what `decode` throws.
///
/// @throws CallError{malformed} bytes are left over
template <class T>
T decoded(std::span<const std::byte> bytes) {
  Decoder decoder(bytes);
  T value = decode<T>(decoder);
  decoder.finish();
  return value;
}

/// How a `T` lies on the wire, such as "Config{workers:i32,rate:f32,layers:[i64]}". Two programs
/// whose layouts are equal understand each other. A type is written out where it first occurs,
/// later only named; its name and those of its fields count.
template <class T>
std::string layout() {
  if constexpr (detail::require_transferable<T>() && Transferable<T>) {
    return detail::layout_of<T>();
  }
}

} // namespace callboard
