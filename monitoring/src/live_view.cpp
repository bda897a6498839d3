// SPDX-License-Identifier: Apache-2.0
#include "write_all.hpp"

#include <callboard/terminal.hpp>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace callboard {
namespace {

constexpr std::string_view hide_cursor = "\x1b[?25l";
constexpr std::string_view no_wrapping = "\x1b[?7l";
constexpr std::string_view wrapping = "\x1b[?7h";
constexpr std::string_view clear_to_end_of_line = "\x1b[K";
constexpr std::string_view clear_below = "\x1b[J";

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  int value = 0;
  if (text != nullptr)
    std::from_chars(text, text + std::string_view(text).size(), value);
  return value > 0 ? value : otherwise;
}

winsize size_of(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0)
    return {};
  return size;
}

/// The lines of a text; one line break at its end does not begin another.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string with_line_break(std::string_view text) {
  std::string result(text);
  if (!result.empty() && result.back() != '\n')
    result += '\n';
  return result;
}

} // namespace

bool is_terminal(int fd) {
  const char* kind = std::getenv("TERM");
  return isatty(fd) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool wants_colour(int fd) {
  const char* refused = std::getenv("NO_COLOR");
  return is_terminal(fd) && (refused == nullptr || *refused == '\0');
}

int terminal_width(int fd) {
  const int columns = size_of(fd).ws_col;
  return columns > 0 ? columns : from_environment("COLUMNS", 80);
}

int terminal_height(int fd) {
  const int lines = size_of(fd).ws_row;
  return lines > 0 ? lines : from_environment("LINES", 24);
}

LiveView::LiveView(int fd, LiveViewOptions options)
    : fd_(fd),
      plain_period_(options.plain_period),
      terminal_(options.terminal.value_or(is_terminal(fd))) {}

LiveView::~LiveView() {
  if (drawn_ > 0)
    detail::write_all(fd_, restore);
}

/// Moves to where the frame begins. What is there stays until it is written over, so nothing
/// flickers.
std::string LiveView::to_the_top() const {
  std::string out = fmt::format("{}{}\r", hide_cursor, no_wrapping);
  if (drawn_ > 0)
    out += fmt::format("\x1b[{}A", drawn_);
  return out;
}

std::string LiveView::drawing() {
  std::vector<std::string_view> lines = lines_of(frame_);
  // One line less than there are, for the cursor rests below the frame.
  const auto room = static_cast<std::size_t>(std::max(1, terminal_height(fd_) - 1));
  lines.resize(std::min(lines.size(), room));
  std::string out;
  // Cleared first: after a line as wide as the terminal that would take its last character.
  for (const std::string_view line : lines)
    out += fmt::format("{}{}\n", clear_to_end_of_line, line);
  drawn_ = static_cast<int>(lines.size());
  return out + std::string(clear_below) + std::string(wrapping);
}

void LiveView::show(std::string_view frame, std::string_view plain_line, Time now) {
  if (terminal_) {
    frame_ = frame;
    std::string out = to_the_top();
    out += drawing();
    detail::write_all(fd_, out);
  } else if (!last_plain_ || now - *last_plain_ >= plain_period_) {
    last_plain_ = now;
    detail::write_all(fd_, with_line_break(plain_line));
  }
}

void LiveView::print_above(std::string_view lines) {
  if (!terminal_ || drawn_ == 0) {
    detail::write_all(fd_, with_line_break(lines));
    return;
  }
  std::string out = to_the_top() + std::string(clear_below) + std::string(wrapping);
  out += with_line_break(lines);
  out += no_wrapping;
  out += drawing();
  detail::write_all(fd_, out);
}

} // namespace callboard
