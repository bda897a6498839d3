// SPDX-License-Identifier: Apache-2.0
/// @file
/// How enums, chrono's types, Protocol Buffers messages and shared values travel.
#pragma once

#include <callboard/detail/transfer.hpp>
#include <callboard/error.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace callboard {

template <class T>
  requires(detail::kind<T> == detail::Kind::enumeration)
struct Codec<T> : detail::BuiltIn {
  using Number = std::underlying_type_t<T>;

  static void encode(Encoder& encoder, T value) {
    detail::write(encoder, static_cast<Number>(value));
  }
  static T decode(Decoder& decoder) { return static_cast<T>(detail::read<Number>(decoder)); }
  static std::string layout() { return type_name<T>() + ":" + detail::layout_of<Number>(); }
};

/// A code that is none would break the tables that it indexes.
template <>
struct Codec<Code> {
  static void encode(Encoder& encoder, Code code) { encoder.put(static_cast<unsigned char>(code)); }
  static Code decode(Decoder& decoder);
  static std::string layout() { return "Code:u8"; }
};

template <class T>
  requires(detail::kind<T> == detail::Kind::duration)
struct Codec<T> : detail::BuiltIn {
  using Count = typename T::rep;

  static void encode(Encoder& encoder, T value) { detail::write(encoder, value.count()); }
  static T decode(Decoder& decoder) { return T(detail::read<Count>(decoder)); }
  static std::string layout() {
    return "duration<" + detail::layout_of<Count>() + "," + std::to_string(T::period::num) + "/"
        + std::to_string(T::period::den) + ">";
  }
};

template <class T>
  requires(detail::kind<T> == detail::Kind::time_point)
struct Codec<T> : detail::BuiltIn {
  using Duration = typename T::duration;

  static void encode(Encoder& encoder, T value) {
    detail::write(encoder, value.time_since_epoch());
  }
  static T decode(Decoder& decoder) { return T(detail::read<Duration>(decoder)); }
  static std::string layout() {
    return type_name<typename T::clock>() + "+" + detail::layout_of<Duration>();
  }
};

template <class T>
  requires(detail::kind<T> == detail::Kind::message)
struct Codec<T> : detail::BuiltIn {
  static void encode(Encoder& encoder, const T& message) {
    const std::size_t size = message.ByteSizeLong();
    if (!message.IsInitialized() || size > std::numeric_limits<int>::max()) {
      detail::fail_to_encode(
          detail::type_signature<T>(), "required fields lack, or it exceeds 2 GiB");
    }
    encoder.put_size(size);
    message.SerializeToArray(encoder.extend(size), static_cast<int>(size));
  }

  static T decode(Decoder& decoder) {
    const std::size_t size = decoder.get_count();
    T message;
    if (size > std::numeric_limits<int>::max()
        || !message.ParseFromArray(decoder.get_block(size).data(), static_cast<int>(size))) {
      decoder.fail("a Protocol Buffers message before this");
    }
    return message;
  }

  static std::string layout() { return "message " + T().GetTypeName(); }
};

template <class T>
  requires(detail::kind<T> == detail::Kind::pointer)
struct Codec<T> : detail::BuiltIn {
  using Value = std::remove_cv_t<typename T::element_type>;

  static void encode(Encoder& encoder, const T& pointer) {
    encoder.put(pointer != nullptr);
    if (pointer != nullptr) {
      detail::write<Value>(encoder, *pointer);
    }
  }
  static T decode(Decoder& decoder) {
    return decoder.get_flag() ? T(new Value(detail::read<Value>(decoder))) : T();
  }
  static std::string layout() { return detail::layout_of<Value>() + "?"; }
};

} // namespace callboard
