// SPDX-License-Identifier: Apache-2.0
#include "write_all.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace callboard::detail {
namespace {

/// Whether to try again.
bool recover(int fd, int error) {
  if (error != EAGAIN && error != EWOULDBLOCK)
    return error == EINTR;
  constexpr int patience_ms = 1000;
  pollfd wanted{fd, POLLOUT, 0};
  return poll(&wanted, 1, patience_ms) > 0;
}

} // namespace

int write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = write(fd, data.data(), data.size());
    if (written >= 0) {
      data.remove_prefix(static_cast<std::size_t>(written));
    } else if (const int error = errno; !recover(fd, error)) {
      return error;
    }
  }
  return 0;
}

} // namespace callboard::detail
