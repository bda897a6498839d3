// SPDX-License-Identifier: Apache-2.0
/// @file
/// UTF-8 text for terminals, SVG and Prometheus: each has its own idea of what may stand in it.
#pragma once

#include <string>
#include <string_view>

namespace callboard::detail {

/// The first character of a text.
struct CodePoint {
  char32_t value = 0; ///< U+FFFD if the bytes are not UTF-8
  int size = 0;       ///< bytes it takes; 1 if they are not UTF-8
  bool valid = false;
};

/// Source: Unicode 15, table 3-7, "Well-Formed UTF-8 Byte Sequences". `text` is not empty.
CodePoint first_code_point(std::string_view text);

/// Columns that a character takes in a terminal: 0 for marks that combine, 2 for East Asian wide
/// characters and emoji, else 1. Source: Unicode's EastAsianWidth.txt, in blocks.
int columns_of(char32_t character);

/// `text` with `…` for what does not fit in `width` columns.
std::string cut(std::string_view text, int width);

/// `text` as one line without characters that a terminal would obey: a tab or line break becomes a
/// space, other control characters and bytes that are not UTF-8 become U+FFFD.
std::string terminal_text(std::string_view text);

/// `text` for XML 1.0, in an element or an attribute.
std::string xml_text(std::string_view text);

/// `text` as UTF-8 without NUL, which ends a line for Prometheus: other bytes are written `\xNN`.
std::string prometheus_text(std::string_view text);

} // namespace callboard::detail
