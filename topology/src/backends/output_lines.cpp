// SPDX-License-Identifier: Apache-2.0
#include <callboard/output.hpp>

#include <fmt/format.h>

namespace callboard {
namespace {

/// The longest start of `text`, up to `limit` bytes, that cuts no character of UTF-8.
std::size_t whole_characters(std::string_view text, std::size_t limit) {
  constexpr std::size_t longest = 4;
  for (std::size_t end = limit; end > limit - longest; --end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80) {
      return end;
    }
  }
  return limit; // not UTF-8
}

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return (byte < 0x20 && byte != '\t') || byte == 0x7F;
}

/// One of U+0080 to U+009F, which terminals obey as well.
bool is_long_control(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size()
      && static_cast<unsigned char>(text[at + 1]) >= 0x80
      && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

} // namespace

void LineSplitter::feed(std::string_view bytes, const OnLine& on_line) {
  for (auto end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    rest_.append(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    cut_long(on_line);
    on_line(without_return(rest_));
    rest_.clear();
  }
  rest_.append(bytes);
  cut_long(on_line);
}

void LineSplitter::finish(const OnLine& on_line) {
  if (!rest_.empty()) {
    on_line(rest_);
    rest_.clear();
  }
}

void LineSplitter::cut_long(const OnLine& on_line) {
  std::size_t start = 0;
  while (rest_.size() - start > max_line) {
    const std::string_view left = std::string_view(rest_).substr(start);
    const std::size_t length = whole_characters(left, max_line - mark.size());
    on_line(std::string(left.substr(0, length)).append(mark));
    start += length;
  }
  rest_.erase(0, start);
}

void TailBuffer::append(std::string_view bytes) {
  bytes_.append(bytes.substr(bytes.size() - std::min(bytes.size(), capacity_)));
  if (bytes_.size() > 2 * capacity_) {
    bytes_.erase(0, bytes_.size() - capacity_);
  }
}

std::string TailBuffer::text() const {
  return bytes_.substr(bytes_.size() - std::min(bytes_.size(), capacity_));
}

std::string shown_line(std::string_view line) {
  if (const auto redrawn = line.rfind('\r'); redrawn != line.npos) {
    line.remove_prefix(redrawn + 1);
  }
  std::string shown;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_control(line, i)) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(line[i]));
    } else if (is_long_control(line, i)) {
      shown += fmt::format("\\xc2\\x{:02x}", static_cast<unsigned char>(line[++i]));
    } else {
      shown += line[i];
    }
  }
  return clean_text(shown);
}

} // namespace callboard
