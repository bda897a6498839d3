// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows of numbers and texts in a file that any tool reads.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callboard {

/// A number that a cell can hold.
template <class T>
concept CsvNumber = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

/// A cell's text: numbers in the shortest form that reads back as the same number, whatever the
/// locale; "nan", "inf", "-inf".
class CsvCell {
public:
  // NOLINTBEGIN(google-explicit-constructor): a row is written {steps, mean}
  CsvCell(std::string_view text) : text_(text) {}
  CsvCell(std::string text) : text_(std::move(text)) {}
  CsvCell(const char* text) : text_(text) {}
  CsvCell(CsvNumber auto value) : text_(format(value)) {}
  // NOLINTEND(google-explicit-constructor)

  const std::string& text() const noexcept { return text_; }

private:
  static std::string format(double value);
  static std::string format(float value);
  static std::string format(std::signed_integral auto value) { return std::to_string(value); }
  static std::string format(std::unsigned_integral auto value) { return std::to_string(value); }

  std::string text_;
};

/// A file of comma-separated values: a header, then rows of as many cells. A new file each time.
///
/// Each row is in the file, as far as the system is concerned, when `write` returns: a killed
/// program loses none. Not thread-safe. Quoting is that of RFC 4180; lines end with a line feed
/// alone, which Unix tools want and all readers take.
///
///     CsvWriter csv("learning_curve.csv", {"env_steps", "mean_return"});
///     csv.write({steps, mean});
class CsvWriter {
public:
  /// @throws std::invalid_argument  the header is empty; no file is made
  /// @throws std::system_error      the file can't be opened or written
  CsvWriter(std::string path, const std::vector<std::string>& header);
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  ~CsvWriter();

  /// @throws std::invalid_argument  not as many cells as the header; nothing is written
  /// @throws std::system_error      the row can't be written (all); a part of it may be
  void write(std::initializer_list<CsvCell> cells);
  void write(std::span<const CsvCell> cells);

  const std::string& path() const noexcept { return path_; }

private:
  CsvWriter(std::size_t columns, std::string path);

  std::string path_;
  std::size_t columns_;
  int fd_ = -1;
};

} // namespace callboard
