// SPDX-License-Identifier: Apache-2.0
#include <callboard/backend.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace callboard {
namespace {

std::string memory_text(const JobEnd& end) {
  constexpr std::uint64_t mebibyte = 1U << 20;
  return end.peak_memory == 0
      ? "killed for memory"
      : fmt::format("killed for memory, peak {} MiB", (end.peak_memory + mebibyte / 2) / mebibyte);
}

} // namespace

std::string to_string(const JobEnd& end) {
  if (end.out_of_memory) {
    return memory_text(end);
  }
  if (end.signal != 0) {
    const char* description = sigdescr_np(end.signal);
    return fmt::format(
        "signal {} ({})", end.signal, description != nullptr ? description : "real-time");
  }
  return end.exit_code < 0 ? "exit code not known" : fmt::format("exit code {}", end.exit_code);
}

std::string_view to_string(JobState state) {
  constexpr std::array<std::string_view, 3> names{"pending", "running", "ended"};
  return names.at(static_cast<std::size_t>(state));
}

} // namespace callboard
