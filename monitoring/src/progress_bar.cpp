// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <callboard/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace callboard {
namespace {

constexpr int least_bar = 5;
constexpr int percentage_width = 5; ///< with the space before it

std::string bar(double fraction, int width) {
  constexpr std::array<std::string_view, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int filled = static_cast<int>(std::floor(fraction * width * 8));
  std::string result;
  for (int i = 0; i < filled / 8; ++i)
    result += "█";
  result += eighths[static_cast<std::size_t>(filled % 8)];
  for (int i = (filled + 7) / 8; i < width; ++i)
    result += "░";
  return result;
}

} // namespace

std::string progress_bar(double fraction, int width, std::string_view label) {
  fraction = std::isnan(fraction) ? 0 : std::clamp(fraction, 0.0, 1.0);
  // Rounded down: a run at 99.9 % is not done.
  const std::string percentage = fmt::format(" {:3}%", static_cast<int>(fraction * 100 + 1e-9));
  const std::string text = label.empty() ? "" : detail::terminal_text(label) + ' ';
  const int room = width - percentage_width - display_width(text);
  if (room >= least_bar)
    return text + bar(fraction, room) + percentage;
  const std::string name = detail::cut(detail::terminal_text(label), width - percentage_width);
  return detail::cut(name + percentage, width);
}

} // namespace callboard
