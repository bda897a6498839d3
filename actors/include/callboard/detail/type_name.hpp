// SPDX-License-Identifier: Apache-2.0
/// @file
/// Readable names of types, made by the compiler.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace callboard::detail {

/// A text that ends with the type as the compiler writes it: costs nothing until it is read.
template <class T>
constexpr auto type_signature() {
  return std::string_view(__PRETTY_FUNCTION__);
}

constexpr std::string_view type_in(std::string_view signature) {
  const std::size_t from = signature.find("T = ") + 4;
  return signature.substr(from, signature.rfind(']') - from);
}

/// What is written otherwise than the compiler writes it, longest first.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 8> type_spellings{{
    {"std::__cxx11::basic_string<char>", "std::string"},
    {"std::basic_string_view<char>", "std::string_view"},
    {"std::basic_string<char>", "std::string"},
    {"std::__cxx11::", "std::"},
    {"{anonymous}::", "(anonymous namespace)::"},
    {"callboard::", ""},
    {"> >", ">>"},
    {"long unsigned int", "unsigned long"},
}};

constexpr bool continues_a_name(char c) {
  return c == '_' || c == ':' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
      || (c >= 'A' && c <= 'Z');
}

/// Writes `text` in our spelling to `out`, unless that is null, and returns its length.
constexpr std::size_t respell(std::string_view text, char* out) {
  std::size_t length = 0;
  char before = ' ';
  const auto put = [&](std::string_view piece) {
    for (const char c : piece) {
      out == nullptr ? void() : void(out[length] = c);
      ++length;
    }
  };
  while (!text.empty()) {
    std::string_view from = text.substr(0, 1);
    std::string_view to = from;
    for (const auto& [theirs, ours] : type_spellings) {
      const bool whole = theirs[0] == '>' || theirs[0] == '{' || !continues_a_name(before);
      if (whole && text.starts_with(theirs)) {
        from = theirs == "> >" ? theirs.substr(0, 2) : theirs;
        to = theirs == "> >" ? ours.substr(0, 1) : ours;
        break;
      }
    }
    put(to);
    before = from.back() == ':' && to.empty() ? ' ' : from.back();
    text.remove_prefix(from.size());
  }
  return length;
}

/// The name of the type of a `type_signature`.
inline std::string readable_type(std::string_view signature) {
  std::string name(respell(type_in(signature), nullptr), ' ');
  respell(type_in(signature), name.data());
  return name;
}

template <class T>
struct TypeName {
  static constexpr std::size_t length = respell(type_in(type_signature<T>()), nullptr);
  static constexpr auto text = [] {
    std::array<char, length + 1> name{};
    respell(type_in(type_signature<T>()), name.data());
    return name;
  }();
};

/// `type_name<T>()` for use in constant expressions.
template <class T>
inline constexpr std::string_view type_name_view{TypeName<T>::text.data(), TypeName<T>::length};

} // namespace callboard::detail
