// SPDX-License-Identifier: Apache-2.0
#include "job_output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace callboard::detail {
namespace {

constexpr std::size_t pipe_size = std::size_t{64} * 1024; // Linux's own, so one read empties it

} // namespace

void JobOutput::read_some(const LineSplitter::OnLine& on_line) {
  if (take(pipe_size, on_line) == 0) {
    read_rest(on_line);
  }
}

void JobOutput::read_rest(const LineSplitter::OnLine& on_line) {
  int waiting = 0;
  if (pipe_) {
    ioctl(pipe_.get(), FIONREAD, &waiting);
  }
  auto left = static_cast<std::size_t>(std::max(waiting, 0));
  while (left > 0) {
    const std::size_t taken = take(left, on_line);
    left = taken == 0 ? 0 : left - taken;
  }
  splitter_.finish(on_line);
  pipe_.close();
}

std::size_t JobOutput::take(std::size_t most, const LineSplitter::OnLine& on_line) {
  thread_local std::vector<char> buffer(pipe_size);
  ssize_t size = 0;
  do {
    size = read(pipe_.get(), buffer.data(), std::min(most, buffer.size()));
  } while (size < 0 && errno == EINTR);
  if (size <= 0) {
    return 0;
  }
  splitter_.feed({buffer.data(), static_cast<std::size_t>(size)}, on_line);
  return static_cast<std::size_t>(size);
}

} // namespace callboard::detail
