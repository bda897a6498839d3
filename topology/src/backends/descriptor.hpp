// SPDX-License-Identifier: Apache-2.0
/// @file
/// Owned file descriptors.
#pragma once

#include <callboard/error.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace callboard::detail {

/// Closes its descriptor when it ends.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close();

private:
  int fd_ = -1;
};

/// Descriptors of children are put on 0 to 3; those that they come from must not be among them.
inline constexpr int first_free_descriptor = 4;

/// `fd` itself, or a copy of it, closed on exec, from `first_free_descriptor` on.
/// @throws CallError{resource_exhausted}
Descriptor out_of_the_way(Descriptor fd);

/// Read end and write end, closed on exec.
/// @throws CallError{resource_exhausted}
std::pair<Descriptor, Descriptor> make_pipe();

/// A file in memory that holds `bytes` and can't be changed, to be read from its start.
/// @throws CallError{resource_exhausted}
Descriptor sealed_file(std::string_view bytes);

/// Writes all of it, with one call if the system takes it so; waits where the descriptor is full.
/// @returns 0 or the error's number
int write_whole(int fd, std::string_view bytes);

/// What can be read to the end; empty where the file can't be opened.
std::string read_file(const std::string& path);

/// Whether all of it was written with one call.
bool write_file(const std::string& path, std::string_view bytes);

/// What the last call failed with, when it was to make a descriptor.
CallError descriptor_error(std::string_view what, int error);

/// This host's name.
std::string host_name();

/// The text of an error number, such as "No such file or directory".
std::string error_text(int error);

} // namespace callboard::detail
