// SPDX-License-Identifier: Apache-2.0
/// @file
/// The types that a flag can set, each with its text.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace callboard::detail {

// These return false, and leave `value` alone, if the whole text isn't one.
bool parse_text(std::string_view text, bool& value);
bool parse_text(std::string_view text, std::int64_t& value);
bool parse_text(std::string_view text, std::uint64_t& value);
bool parse_text(std::string_view text, float& value);
bool parse_text(std::string_view text, double& value);

/// A duration counted in units of `numerator` / `denominator` seconds: a whole number of them, or
/// any.
bool parse_duration(
    std::string_view text, std::intmax_t numerator, std::intmax_t denominator, std::int64_t& count);
bool parse_duration(
    std::string_view text, std::intmax_t numerator, std::intmax_t denominator, double& count);

std::string print_text(std::int64_t value);
std::string print_text(std::uint64_t value);
std::string print_text(float value);
std::string print_text(double value);
std::string print_text(const std::string& value);
/// In the largest unit that makes it a whole number: "2min", "90s".
std::string print_duration(long double seconds);
/// As in "a whole number from 0 to 255".
std::string expect_between(const std::string& least, const std::string& most);
/// As in "a duration such as 10s or 500ms, in whole seconds".
std::string expect_duration(std::intmax_t numerator, std::intmax_t denominator, bool whole);
/// The parts between commas; none of an empty text.
std::vector<std::string> split_list(std::string_view text);

/// `type`, a word; `expects`, a phrase; `parse` and `print`.
template <class T>
struct FlagText;

template <class T>
concept Settable = requires {
  FlagText<T>::type();
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept OptionalField = is_optional<T>;

template <class T>
concept ListField = requires(std::span<const std::string> items, T& value) {
  FlagText<T>::assign(items, value);
};

template <>
struct FlagText<bool> {
  static std::string type() { return "true|false"; }
  static std::string expects() { return "true or false"; }
  static bool parse(std::string_view text, bool& value) { return parse_text(text, value); }
  static std::string print(bool value) { return value ? "true" : "false"; }
};

template <std::integral T>
struct FlagText<T> {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;

  static std::string type() { return "integer"; }
  static std::string expects() {
    return expect_between(print(Limits::min()), print(Limits::max()));
  }
  static bool parse(std::string_view text, T& value) {
    Wide wide = 0;
    if (!parse_text(text, wide) || wide < Limits::min() || wide > Limits::max()) {
      return false;
    }
    value = static_cast<T>(wide);
    return true;
  }
  static std::string print(T value) { return print_text(Wide{value}); }
};

template <class T>
  requires std::is_enum_v<T>
struct FlagText<T> : FlagText<std::underlying_type_t<T>> {
  using Number = std::underlying_type_t<T>;

  static bool parse(std::string_view text, T& value) {
    Number number{};
    const bool good = FlagText<Number>::parse(text, number);
    value = good ? static_cast<T>(number) : value;
    return good;
  }
  static std::string print(T value) { return FlagText<Number>::print(static_cast<Number>(value)); }
};

template <class T>
  requires std::is_same_v<T, float> || std::is_same_v<T, double>
struct FlagText<T> {
  static std::string type() { return "number"; }
  static std::string expects() {
    return std::is_same_v<T, float> ? "a number that fits a float" : "a number";
  }
  static bool parse(std::string_view text, T& value) { return parse_text(text, value); }
  static std::string print(T value) { return print_text(value); }
};

template <>
struct FlagText<std::string> {
  static std::string type() { return "text"; }
  static std::string expects() { return "text"; }
  static bool parse(std::string_view text, std::string& value) { return value = text, true; }
  static std::string print(const std::string& value) { return print_text(value); }
};

template <class Rep, class Period>
struct FlagText<std::chrono::duration<Rep, Period>> {
  using Duration = std::chrono::duration<Rep, Period>;
  using Count = std::conditional_t<std::is_floating_point_v<Rep>, double, std::int64_t>;

  static std::string type() { return "duration"; }
  static std::string expects() {
    return expect_duration(Period::num, Period::den, std::is_integral_v<Rep>);
  }
  static bool parse(std::string_view text, Duration& value) {
    Count count = 0;
    const bool good = parse_duration(text, Period::num, Period::den, count)
        && static_cast<Count>(static_cast<Rep>(count)) == count;
    value = good ? Duration(static_cast<Rep>(count)) : value;
    return good;
  }
  static std::string print(Duration value) {
    return print_duration(static_cast<long double>(value.count()) * Period::num / Period::den);
  }
};

template <Settable T>
struct FlagText<std::optional<T>> {
  static std::string type() { return FlagText<T>::type() + "|none"; }
  static std::string expects() { return FlagText<T>::expects() + ", or none"; }
  static bool parse(std::string_view text, std::optional<T>& value) {
    if (text == "none") {
      value.reset();
      return true;
    }
    T inner{};
    const bool good = FlagText<T>::parse(text, inner);
    value = good ? std::optional(std::move(inner)) : std::move(value);
    return good;
  }
  static std::string print(const std::optional<T>& value) {
    return value ? FlagText<T>::print(*value) : "none";
  }
};

template <Settable T>
struct FlagText<std::vector<T>> {
  static std::string type() { return FlagText<T>::type() + ",…"; }
  static std::string expects() { return "a list, each of it " + FlagText<T>::expects(); }
  static bool parse(std::string_view text, std::vector<T>& value) {
    return assign(split_list(text), value);
  }
  static bool assign(std::span<const std::string> items, std::vector<T>& value) {
    std::vector<T> parsed;
    for (const std::string& item : items) {
      T element{};
      if (!FlagText<T>::parse(item, element)) {
        return false;
      }
      parsed.push_back(std::move(element));
    }
    value = std::move(parsed);
    return true;
  }
  static std::string print(const std::vector<T>& value) {
    std::string text;
    for (const T& element : value) {
      text += (text.empty() ? "" : ",") + FlagText<T>::print(element);
    }
    return text;
  }
};

} // namespace callboard::detail
