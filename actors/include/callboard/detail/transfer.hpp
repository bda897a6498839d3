// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the codecs are made of: one value inside another.
#pragma once

#include <callboard/detail/travels.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace callboard::detail {

/// @throws CallError{invalid_argument} always: why a value of that type can't be sent
[[noreturn]] void fail_to_encode(std::string_view signature, std::string_view why);

/// One call of `layout`, or one inside another.
class LayoutScope {
public:
  LayoutScope();
  LayoutScope(const LayoutScope&) = delete;
  LayoutScope& operator=(const LayoutScope&) = delete;
  ~LayoutScope();

  /// Whether the outermost call meets this type for the first time.
  bool is_first(std::string_view signature) const;
};

/// "[text]".
std::string bracketed(std::string_view text);

std::string number_layout(bool is_float, bool is_signed, std::size_t size);
void append_field(std::string& text, std::string_view name, const std::string& layout);

/// `encode`, for a type that is known to travel.
template <class T>
void write(Encoder& encoder, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    encoder.put(value);
  } else {
    const Encoder::Level level(encoder);
    Codec<T>::encode(encoder, value);
  }
}

/// `decode`, for a type that is known to travel.
template <class T>
T read(Decoder& decoder) {
  if constexpr (std::is_same_v<T, bool>) {
    return decoder.get_flag();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return decoder.get<T>();
  } else {
    const Decoder::Level level(decoder, type_signature<T>());
    return Codec<T>::decode(decoder);
  }
}

/// The same for a value that exists, which serves for plain arrays.
template <class T>
void read_into(Decoder& decoder, T& value) {
  if constexpr (std::is_array_v<T>) {
    for (auto& element : value) {
      read_into(decoder, element);
    }
  } else {
    value = read<T>(decoder);
  }
}

/// A type that the user wrote is written out once.
template <class T>
inline constexpr bool is_named =
    kind<T> == Kind::fields || kind<T> == Kind::inspected || has_custom_codec<T>;

template <class T>
std::string layout_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number_layout(std::is_floating_point_v<T>, std::is_signed_v<T>, wire_size<T>);
  } else {
    const LayoutScope scope;
    return !is_named<T> || scope.is_first(type_signature<T>()) ? Codec<T>::layout()
                                                               : type_name<T>();
  }
}

} // namespace callboard::detail
