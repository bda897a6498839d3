// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/flag_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace callboard::detail {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return false;
  }
  value = parsed;
  return true;
}

struct Unit {
  std::string_view name;
  long double seconds;
};

/// Largest first.
constexpr std::array<Unit, 6> units{{
    {"h", 3600},
    {"min", 60},
    {"s", 1},
    {"ms", 1e-3L},
    {"us", 1e-6L},
    {"ns", 1e-9L},
}};

/// Whether a quotient is whole but for the rounding of a few operations.
bool is_whole(long double number) {
  return std::abs(number - std::round(number)) <= 1e-17L * std::max(1.0L, std::abs(number));
}

/// NaN if the text is no duration.
long double seconds_in(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("-.0123456789"), text.size());
  const std::string_view name = text.substr(digits);
  const auto* unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  long double number = NAN;
  if (!parse_number(text.substr(0, digits), number)) {
    return NAN;
  }
  return unit != units.end() ? number * unit->seconds : text == "0" ? 0 : NAN;
}

} // namespace

bool parse_text(std::string_view text, bool& value) {
  constexpr std::array<std::string_view, 4> yes{"true", "yes", "on", "1"};
  constexpr std::array<std::string_view, 4> no{"false", "no", "off", "0"};
  const bool is_yes = std::find(yes.begin(), yes.end(), text) != yes.end();
  const bool good = is_yes || std::find(no.begin(), no.end(), text) != no.end();
  value = good ? is_yes : value;
  return good;
}

bool parse_text(std::string_view text, std::int64_t& value) {
  return parse_number(text, value);
}

bool parse_text(std::string_view text, std::uint64_t& value) {
  return parse_number(text, value);
}

bool parse_text(std::string_view text, float& value) {
  return parse_number(text, value);
}

bool parse_text(std::string_view text, double& value) {
  return parse_number(text, value);
}

bool parse_duration(
    std::string_view text,
    std::intmax_t numerator,
    std::intmax_t denominator,
    std::int64_t& count) {
  const long double exact = seconds_in(text) * denominator / numerator;
  constexpr long double limit = 9.2e18L; // just below 2^63
  if (!(std::abs(exact) < limit) || !is_whole(exact)) {
    return false;
  }
  count = std::llround(exact);
  return true;
}

bool parse_duration(
    std::string_view text, std::intmax_t numerator, std::intmax_t denominator, double& count) {
  const long double exact = seconds_in(text) * denominator / numerator;
  if (!std::isfinite(exact)) {
    return false;
  }
  count = static_cast<double>(exact);
  return true;
}

std::string print_text(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string print_text(std::uint64_t value) {
  return fmt::format("{}", value);
}

std::string print_text(float value) {
  return fmt::format("{}", value);
}

std::string print_text(double value) {
  return fmt::format("{}", value);
}

std::string print_text(const std::string& value) {
  return fmt::format("\"{}\"", value);
}

std::string print_duration(long double seconds) {
  if (seconds == 0) {
    return "0s";
  }
  for (const Unit& unit : units) {
    if (const long double number = seconds / unit.seconds; is_whole(number)) {
      return fmt::format("{:.0f}{}", number, unit.name);
    }
  }
  return fmt::format("{}s", static_cast<double>(seconds));
}

std::string expect_between(const std::string& least, const std::string& most) {
  return fmt::format("a whole number from {} to {}", least, most);
}

std::string expect_duration(std::intmax_t numerator, std::intmax_t denominator, bool whole) {
  const std::string unit = print_duration(static_cast<long double>(numerator) / denominator);
  const std::string_view examples = "a duration such as 10s, 500ms or 2min";
  return whole ? fmt::format("{}, a multiple of {}", examples, unit) : std::string(examples);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    items.emplace_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

} // namespace callboard::detail
