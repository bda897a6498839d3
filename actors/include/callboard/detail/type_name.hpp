// SPDX-License-Identifier: Apache-2.0
/// @file
/// Readable names of types, made by the compiler.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

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

struct Spelling {
  std::string_view theirs;
  std::string_view ours;
};

/// What we write otherwise than the compiler does, longer ones first.
inline constexpr std::array<Spelling, 7> spellings{{
    {"std::__cxx11::basic_string<char>", "std::string"},
    {"std::basic_string_view<char>", "std::string_view"},
    {"std::basic_string<char>", "std::string"},
    {"std::__cxx11::", "std::"},
    {"{anonymous}::", "(anonymous namespace)::"},
    {"callboard::", ""},
    {"long unsigned int", "unsigned long"},
}};

constexpr bool continues_a_name(char c) {
  return c == '_' || c == ':' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
      || (c >= 'A' && c <= 'Z');
}

/// How the start of `text` is spelled, which follows upon the character `before`.
constexpr Spelling spelling_at(std::string_view text, char before) {
  if (text.starts_with(" >")) {
    return {" >", ">"};
  }
  for (const Spelling& spelling : spellings) {
    const bool starts_a_name = spelling.theirs[0] == '{' || !continues_a_name(before);
    if (starts_a_name && text.starts_with(spelling.theirs)) {
      return spelling;
    }
  }
  return {text.substr(0, 1), text.substr(0, 1)};
}

/// Writes `text` in our spelling to `out`, unless that is null, and returns its length.
constexpr std::size_t respell(std::string_view text, char* out) {
  std::size_t length = 0;
  char before = ' ';
  while (!text.empty()) {
    const Spelling spelling = spelling_at(text, before);
    if (out != nullptr) {
      spelling.ours.copy(out + length, spelling.ours.size());
    }
    length += spelling.ours.size();
    before = spelling.theirs.back();
    text.remove_prefix(spelling.theirs.size());
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
