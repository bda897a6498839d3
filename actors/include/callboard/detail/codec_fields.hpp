// SPDX-License-Identifier: Apache-2.0
/// @file
/// How users' types travel, and tuples, optionals and variants.
#pragma once

#include <callboard/detail/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace callboard {
namespace detail {

template <class T, class... Fields>
T read_fields(Decoder& decoder, TypeList<Fields...>) {
  if constexpr ((std::is_array_v<Fields> || ...)) {
    T value{};
    with_fields<sizeof...(Fields)>(
        value, [&](auto&... fields) { (read_into(decoder, fields), ...); });
    return value;
  } else {
    return T{read<std::remove_cv_t<Fields>>(decoder)...};
  }
}

template <class... Fields>
std::string list_layouts(TypeList<Fields...>, [[maybe_unused]] char separator) {
  std::string text;
  [[maybe_unused]] const auto add = [&](const std::string& layout) {
    text.append(text.empty() ? 0 : 1, separator);
    text += layout;
  };
  (add(layout_of<std::remove_cv_t<Fields>>()), ...);
  return text;
}

} // namespace detail

/// The fields one after another.
template <class T>
  requires(detail::kind<T> == detail::Kind::fields)
struct Codec<T> : detail::BuiltIn {
  static void encode(Encoder& encoder, const T& value) {
    detail::with_fields<detail::field_count<T>>(
        value, [&](const auto&... fields) { (detail::write(encoder, fields), ...); });
  }

  static T decode(Decoder& decoder) { return detail::read_fields<T>(decoder, detail::Parts<T>{}); }

  static std::string layout() { return layout_of_fields(detail::Parts<T>{}); }

private:
  template <class... Fields>
  static std::string layout_of_fields(detail::TypeList<Fields...>) {
    std::string text = type_name<T>() + "{";
    [[maybe_unused]] auto name = detail::field_names<T>.begin();
    (detail::append_field(text, *name++, detail::layout_of<std::remove_cv_t<Fields>>()), ...);
    return text + "}";
  }
};

/// What `inspect` lists, one after another.
template <class T>
  requires(detail::kind<T> == detail::Kind::inspected)
struct Codec<T> : detail::BuiltIn {
  static void encode(Encoder& encoder, const T& value) {
    for_each_field(value, [&]<class F>(std::string_view, const F& field) {
      if constexpr (detail::require_transferable<F, T>()) {
        detail::write(encoder, field);
      }
    });
  }

  static T decode(Decoder& decoder) {
    T value{};
    for_each_field(value, [&]<class F>(std::string_view, F& field) {
      if constexpr (detail::require_transferable<F, T>()) {
        detail::read_into(decoder, field);
      }
    });
    return value;
  }

  static std::string layout() {
    std::string text = type_name<T>() + "{";
    T value{};
    for_each_field(value, [&]<class F>(std::string_view name, F&) {
      detail::append_field(text, name, detail::layout_of<F>());
    });
    return text + "}";
  }
};

template <class T>
  requires(detail::kind<T> == detail::Kind::tuple)
struct Codec<T> : detail::BuiltIn {
  static void encode(Encoder& encoder, const T& value) {
    std::apply([&](const auto&... parts) { (detail::write(encoder, parts), ...); }, value);
  }
  static T decode(Decoder& decoder) { return decode_parts(decoder, detail::Parts<T>{}); }
  static std::string layout() {
    std::string text = "(";
    text += detail::list_layouts(detail::Parts<T>{}, ',');
    return text += ')';
  }

private:
  template <class... Part>
  static T decode_parts(Decoder& decoder, detail::TypeList<Part...>) {
    return T{detail::read<std::remove_cv_t<Part>>(decoder)...};
  }
};

/// A bool that says whether there is a value, then the value.
template <class T>
  requires(detail::kind<T> == detail::Kind::optional)
struct Codec<T> : detail::BuiltIn {
  using Value = typename T::value_type;

  static void encode(Encoder& encoder, const T& value) {
    encoder.put(value.has_value());
    if (value.has_value()) {
      detail::write(encoder, *value);
    }
  }
  static T decode(Decoder& decoder) {
    return decoder.get_flag() ? T(detail::read<Value>(decoder)) : T();
  }
  static std::string layout() { return detail::layout_of<Value>() + "?"; }
};

/// The number of the alternative, then its value.
template <class... Value>
struct Codec<std::variant<Value...>> : detail::BuiltIn {
  using T = std::variant<Value...>;

  static void encode(Encoder& encoder, const T& value) {
    if (value.valueless_by_exception()) {
      detail::fail_to_encode(detail::type_signature<T>(), "it has lost its value");
    }
    encoder.put_size(value.index());
    std::visit([&](const auto& alternative) { detail::write(encoder, alternative); }, value);
  }

  static T decode(Decoder& decoder) {
    const std::uint64_t index = decoder.get_size();
    if (index >= sizeof...(Value)) {
      decoder.fail("the number of an alternative before this");
    }
    return decode_alternative<0>(decoder, index);
  }

  static std::string layout() {
    return "<" + detail::list_layouts(detail::TypeList<Value...>{}, '|') + ">";
  }

private:
  template <std::size_t i>
  static T decode_alternative(Decoder& decoder, std::uint64_t index) {
    if constexpr (i + 1 < sizeof...(Value)) {
      if (index != i) {
        return decode_alternative<i + 1>(decoder, index);
      }
    }
    using Alternative = std::variant_alternative_t<i, T>;
    return T(std::in_place_index<i>, detail::read<Alternative>(decoder));
  }
};

} // namespace callboard
