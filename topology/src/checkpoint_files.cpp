// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_files.hpp"

#include <callboard/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace callboard::detail {
namespace {

constexpr mode_t private_file = 0600;
constexpr mode_t private_folder = 0700;

Code code_of(int error) {
  switch (error) {
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
  case ENOMEM:
  case EMFILE:
  case ENFILE: return Code::resource_exhausted;
  default: return Code::failed_precondition;
  }
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

[[noreturn]] void fail_damaged(const std::string& path, std::string_view what) {
  throw CallError(Code::malformed, fmt::format("{} {}", path, what));
}

/// Again after a signal.
template <class F>
auto retried(F f) {
  auto result = f();
  while (result < 0 && errno == EINTR) {
    result = f();
  }
  return result;
}

void sync(int descriptor, const std::string& path) {
  if (retried([&] { return fsync(descriptor); }) != 0) {
    fail_file("synchronise", path, errno);
  }
}

} // namespace

void fail_file(std::string_view what, const std::string& path, int error) {
  throw CallError(code_of(error), fmt::format("can't {} {}: {}", what, path, reason(error)));
}

File File::create(std::string path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const int descriptor =
      retried([&] { return ::open(path.c_str(), flags, private_file); }); // NOLINT(*-vararg)
  if (descriptor < 0) {
    fail_file("create", path, errno);
  }
  return {std::move(path), descriptor};
}

File File::open(std::string path) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK; // never waits for a pipe
  const int descriptor = retried([&] { return ::open(path.c_str(), flags); }); // NOLINT(*-vararg)
  if (descriptor < 0 && (errno == ENOENT || errno == ELOOP)) {
    fail_damaged(path, errno == ENOENT ? "is missing" : "is a link");
  }
  if (descriptor < 0) {
    fail_file("open", path, errno);
  }
  File file(std::move(path), descriptor);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    fail_damaged(file.path(), "is no file");
  }
  return file;
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

File::~File() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

std::uint64_t File::size() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    fail_file("examine", path_, errno);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

void File::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written = retried([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) {
      const int error = errno;
      fail_file(fmt::format("write byte {} of", written_), path_, error);
    }
    written_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void File::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const auto got = retried([&] { return ::read(descriptor_, bytes.data(), bytes.size()); });
    if (got <= 0) {
      fail_damaged(path_, got < 0 ? "can't be read: " + reason(errno) : "ends too early");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void File::sync() {
  detail::sync(descriptor_, path_);
}

void make_folders(const std::string& path) {
  if (path.empty() || folder_exists(path)) {
    return;
  }
  const std::string above = std::filesystem::path(path).parent_path().string();
  make_folders(above);
  if (mkdir(path.c_str(), private_folder) == 0) {
    sync_folder(above.empty() ? "." : above);
  } else if (errno != EEXIST || !folder_exists(path)) {
    fail_file("create folder", path, errno);
  }
}

void require_private(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    fail_file("examine folder", path, errno);
  }
  if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw CallError(
        Code::failed_precondition,
        fmt::format(
            "folder {} belongs to user {} with mode {:o}; checkpoints go only where their owner, "
            "user {}, alone may write: chmod go-w, or choose another",
            path,
            status.st_uid,
            status.st_mode & 07777,
            geteuid()));
  }
}

void sync_folder(const std::string& path) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const int descriptor = retried([&] { return ::open(path.c_str(), flags); }); // NOLINT(*-vararg)
  if (descriptor < 0) {
    fail_file("open folder", path, errno);
  }
  const File folder(path, descriptor);
  sync(descriptor, path);
}

void remove_folder(const std::string& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored); // links in it are removed, not followed
}

void rename_folder(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    fail_file(fmt::format("rename {} to", from), to, errno);
  }
}

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->symlink_status(gone).type() == std::filesystem::file_type::directory) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    fail_file("list", path, error.value());
  }
  return names;
}

bool folder_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

} // namespace callboard::detail
