// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <callboard/process_backend.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace callboard {
namespace {

/// Programs that try every descriptor up to the limit would take minutes above this.
constexpr rlim_t sensible_limit = rlim_t{1} << 20;

std::size_t open_descriptors() {
  std::error_code ignored;
  const std::filesystem::directory_iterator all("/proc/self/fd", ignored);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

[[noreturn]] void fail(rlim_t needed, rlim_t limit) {
  throw CallError(
      Code::resource_exhausted,
      fmt::format(
          "host {}: needs about {} descriptors, limit is {} (ulimit -n); raise the hard limit "
          "(ulimit -Hn, LimitNOFILE of a systemd unit), or start fewer processes",
          detail::host_name(),
          needed,
          limit));
}

} // namespace

void require_descriptors(std::size_t count) {
  const rlim_t needed = open_descriptors() + count;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || needed <= limit.rlim_cur) {
    return;
  }
  if (needed > limit.rlim_max) {
    fail(needed, limit.rlim_max);
  }
  limit.rlim_cur = std::min(limit.rlim_max, std::max(needed, sensible_limit));
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    fail(needed, limit.rlim_max);
  }
}

} // namespace callboard
