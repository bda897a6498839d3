// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <callboard/backend.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace callboard {
namespace {

[[noreturn]] void fail(std::string_view value, std::string_view reason) {
  throw CallError(
      Code::malformed,
      fmt::format(
          "CALLBOARD_PART={}: {}; the variable is for processes that a backend starts, unset it",
          value,
          reason));
}

std::string read_all(int fd, std::string_view value) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  ssize_t size = 0;
  while ((size = read(fd, buffer.data(), buffer.size())) > 0) {
    bytes.append(buffer.data(), static_cast<std::size_t>(size));
  }
  if (size < 0) {
    fail(value, detail::error_text(errno));
  }
  return bytes;
}

} // namespace

std::optional<std::string> take_part() {
  const char* variable = std::getenv("CALLBOARD_PART");
  if (variable == nullptr) {
    return std::nullopt;
  }
  const std::string value = variable;
  unsetenv("CALLBOARD_PART");
  int fd = -1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), fd);
  if (error != std::errc() || end != value.data() + value.size() || fd < 0) {
    fail(value, "not the number of a descriptor");
  }
  std::string bytes = read_all(fd, value);
  close(fd);
  return bytes;
}

} // namespace callboard
