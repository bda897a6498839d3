// SPDX-License-Identifier: Apache-2.0
/// @file
/// What jobs print: cut into lines, kept, written to files, and shown.
#pragma once

#include <callboard/backend.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace callboard {

/// The longest line that is delivered in one.
inline constexpr std::size_t max_line = std::size_t{64} * 1024;

/// Cuts a stream of bytes into lines. Lines longer than `max_line` come in pieces, each but the
/// last with `mark` at its end. Bytes are passed as they are. Not thread-safe.
class LineSplitter {
public:
  static constexpr std::string_view mark = " … (goes on)";
  using OnLine = std::function<void(std::string_view line)>;

  /// Calls `on_line` for each line that `bytes` complete, without its line break ("\n" or "\r\n").
  void feed(std::string_view bytes, const OnLine& on_line);
  /// The end of the stream: delivers a last line that has no line break.
  void finish(const OnLine& on_line);
  /// What came after the last line break.
  const std::string& rest() const noexcept { return rest_; }

private:
  void cut_long(const OnLine& on_line);

  std::string rest_;
};

/// The last `capacity` bytes of what was appended. Not thread-safe.
class TailBuffer {
public:
  explicit TailBuffer(std::size_t capacity = std::size_t{64} * 1024) : capacity_(capacity) {}

  void append(std::string_view bytes);
  std::string text() const;

private:
  std::size_t capacity_;
  std::string bytes_{}; ///< at most twice the capacity
};

/// `<run>/logs/actor-3.1.log` for the first incarnation of "actor/3".
std::filesystem::path log_path(
    const std::filesystem::path& run_folder, std::string_view node, int incarnation);

/// A log file, to which each line is appended by one write. Not thread-safe.
class OutputFile {
public:
  /// Makes the file, and the folders above it, where they are missing.
  /// @throws CallError{failed_precondition} it can't be opened
  explicit OutputFile(std::filesystem::path path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Adds the line break. Where the disk is full or the like, says so once in the log and drops it.
  void write(std::string_view line);
  const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
  int fd_ = -1;
  bool failed_ = false;
};

/// A line as it is shown: the part after the last carriage return, which a terminal would leave
/// standing; control characters and bytes that are not UTF-8 as `\xNN`; tabs stay.
std::string shown_line(std::string_view line);

struct OutputViewOptions {
  int output = 1;               ///< descriptor for `Stream::output`; not closed
  int errors = 2;               ///< and for `Stream::errors`
  std::optional<bool> colour{}; ///< none: as each descriptor wants it
};

/// Shows the lines of all nodes as "[actor/3] line", in one colour per group where that is wanted.
/// Each line is written whole, with one write. Errors of writing are ignored. Thread-safe.
class OutputView {
public:
  explicit OutputView(OutputViewOptions options = {});

  void print(std::string_view node, Stream stream, std::string_view line);

private:
  OutputViewOptions options_;
  bool colour_output_;
  bool colour_errors_;
  std::mutex mutex_;
};

} // namespace callboard
