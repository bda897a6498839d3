// SPDX-License-Identifier: Apache-2.0
/// @file
/// Files as checkpoints need them: private, synchronised with the disk, every failure with its
/// path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard::detail {

/// @throws CallError{resource_exhausted or failed_precondition}  "can't <what> <path>: …"
[[noreturn]] void fail_file(std::string_view what, const std::string& path, int error);

/// An open file.
class File {
public:
  /// A new one, which only its owner may read.
  static File create(std::string path);
  /// A plain file, not a link to one.
  /// @throws CallError{malformed}  there is none
  static File open(std::string path);
  /// Closes `descriptor` in the end.
  File(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  File(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File();

  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const;
  /// Appends; an error says at which byte.
  void write(std::span<const std::byte> bytes);
  /// Fills `bytes`.
  /// @throws CallError{malformed}  the file ends before, or the disk can't read it
  void read(std::span<std::byte> bytes);
  void sync();

private:
  std::string path_;
  int descriptor_;
  std::uint64_t written_ = 0;
};

/// Makes a folder, and those above it, where they are missing, for their owner alone.
void make_folders(const std::string& path);
/// @throws CallError{failed_precondition}  somebody else owns the folder, or may write to it
void require_private(const std::string& path);
/// What was created, renamed or removed in a folder is so for good.
void sync_folder(const std::string& path);
/// With all that is in it; as far as that is possible.
void remove_folder(const std::string& path) noexcept;
/// Fails if there is something of that name.
void rename_folder(const std::string& from, const std::string& to);
/// The names of the folders in a folder; none if it doesn't exist.
std::vector<std::string> folders_in(const std::string& path);
bool folder_exists(const std::string& path);

} // namespace callboard::detail
