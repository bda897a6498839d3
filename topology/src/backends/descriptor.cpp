// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace callboard::detail {
namespace {

/// Whether to write again.
bool recover(int fd, int error) {
  if (error != EAGAIN) {
    return error == EINTR;
  }
  constexpr int patience_ms = 1000;
  pollfd wanted{fd, POLLOUT, 0};
  return poll(&wanted, 1, patience_ms) > 0;
}

} // namespace

void Descriptor::close() {
  if (fd_ >= 0) {
    ::close(std::exchange(fd_, -1));
  }
}

Descriptor out_of_the_way(Descriptor fd) {
  if (fd.get() >= first_free_descriptor) {
    return fd;
  }
  Descriptor copy(fcntl(fd.get(), F_DUPFD_CLOEXEC, first_free_descriptor));
  if (!copy) {
    throw descriptor_error("a descriptor", errno);
  }
  return copy;
}

std::pair<Descriptor, Descriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw descriptor_error("a pipe", errno);
  }
  Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  return {out_of_the_way(std::move(read_end)), out_of_the_way(std::move(write_end))};
}

Descriptor sealed_file(std::string_view bytes) {
  Descriptor file(memfd_create("callboard-part", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) {
    throw descriptor_error("a file in memory", errno);
  }
  file = out_of_the_way(std::move(file));
  if (const int error = write_whole(file.get(), bytes); error != 0) {
    throw descriptor_error("a file in memory", error);
  }
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

int write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (const int error = errno; !recover(fd, error)) {
      return error;
    }
  }
  return 0;
}

std::string read_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t size = 0;
  while (file && (size = read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text;
}

bool write_file(const std::string& path, std::string_view bytes) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file
      && write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

CallError descriptor_error(std::string_view what, int error) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::string advice = error == EMFILE
      ? fmt::format(
          "; the limit is {} descriptors (ulimit -n): raise it, or start fewer jobs",
          limit.rlim_cur)
      : std::string();
  return {
      Code::resource_exhausted,
      fmt::format("host {}: no {}: {}{}", host_name(), what.substr(2), error_text(error), advice)};
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string error_text(int error) {
  return std::system_category().message(error);
}

} // namespace callboard::detail
