// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <callboard/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace callboard {
namespace detail {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD
constexpr CodePoint not_utf8{0xfffd, 1, false};

struct Range {
  char32_t first;
  char32_t last;
};

constexpr auto zero_width = std::to_array<Range>({
    {0x0300, 0x036f},
    {0x0483, 0x0489},
    {0x0591, 0x05bd},
    {0x064b, 0x065f},
    {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff},
    {0x200b, 0x200f},
    {0x202a, 0x202e},
    {0x2060, 0x2069},
    {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff},
    {0xe0100, 0xe01ef},
});

constexpr auto double_width = std::to_array<Range>({
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18d08}, {0x1aff0, 0x1b2fb},
    {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
    {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
    {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
    {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
    {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
    {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df}, {0x1f6eb, 0x1f6ec},
    {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f7f0, 0x1f7f0}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
});

template <std::size_t size>
bool contains(const std::array<Range, size>& ranges, char32_t character) {
  const auto* after = std::upper_bound(
      ranges.begin(), ranges.end(), character, [](char32_t value, const Range& range) {
        return value < range.first;
      });
  return after != ranges.begin() && character <= std::prev(after)->last;
}

bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/// Bytes of the sequence that such a byte begins; 0 if none does.
int length_after(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return 2;
  if (lead >= 0xe0 && lead <= 0xef)
    return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// Calls `act(code point, its bytes)` for each character.
template <class Act>
void each_code_point(std::string_view text, Act act) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    act(point, text.substr(0, static_cast<std::size_t>(point.size)));
    text.remove_prefix(static_cast<std::size_t>(point.size));
  }
}

std::string_view xml_form(const CodePoint& point, std::string_view bytes) {
  switch (point.value) {
  case U'&': return "&amp;";
  case U'<': return "&lt;";
  case U'>': return "&gt;";
  case U'"': return "&quot;";
  case U'\'': return "&#39;";
  case U'\t':
  case U'\n':
  case U'\r': return " ";
  default: break;
  }
  const bool forbidden = is_control(point.value) || point.value == 0xfffe || point.value == 0xffff;
  return forbidden || !point.valid ? replacement : bytes;
}

} // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const int size = length_after(lead);
  if (size == 1)
    return {lead, 1, true};
  if (size == 0 || text.size() < static_cast<std::size_t>(size))
    return not_utf8;
  char32_t value = lead & (0xffU >> (size + 1));
  for (const char c : text.substr(1, static_cast<std::size_t>(size) - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U)
      return not_utf8;
    value = value << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  const char32_t smallest = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest || value > 0x10ffff || surrogate)
    return not_utf8;
  return {value, size, true};
}

int columns_of(char32_t character) {
  if (character < 0x300)
    return 1;
  if (contains(zero_width, character))
    return 0;
  return contains(double_width, character) ? 2 : 1;
}

std::string cut(std::string_view text, int width) {
  if (display_width(text) <= width)
    return std::string(text);
  std::string result;
  int left = width - 1;
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    left -= columns_of(point.value);
    if (left >= 0)
      result += bytes;
  });
  return width > 0 ? result + "…" : "";
}

std::string terminal_text(std::string_view text) {
  std::string result;
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    if (point.value == U'\t' || point.value == U'\n' || point.value == U'\r') {
      result += ' ';
    } else {
      result += is_control(point.value) || !point.valid ? replacement : bytes;
    }
  });
  return result;
}

std::string xml_text(std::string_view text) {
  std::string result;
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    result += xml_form(point, bytes);
  });
  return result;
}

std::string prometheus_text(std::string_view text) {
  std::string result;
  each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
    if (point.valid && point.value != 0) {
      result += bytes;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    }
  });
  return result;
}

} // namespace detail

int display_width(std::string_view text) {
  int width = 0;
  detail::each_code_point(text, [&](const detail::CodePoint& point, std::string_view) {
    width += detail::columns_of(point.value);
  });
  return width;
}

} // namespace callboard
