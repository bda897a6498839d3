// SPDX-License-Identifier: Apache-2.0
#include "write_all.hpp"

#include <callboard/csv.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace callboard {
namespace {

template <class T>
std::string shortest(T value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string line_of(std::span<const CsvCell> cells) {
  std::string line;
  for (const CsvCell& cell : cells) {
    const bool special = cell.text().find_first_of(",\"\r\n") != std::string::npos;
    // A line of one empty cell would read as no line at all.
    const bool invisible = cells.size() == 1 && cell.text().empty();
    line += special || invisible ? quoted(cell.text()) : cell.text();
    line += ',';
  }
  line.back() = '\n';
  return line;
}

} // namespace

std::string CsvCell::format(double value) {
  return shortest(value);
}

std::string CsvCell::format(float value) {
  return shortest(value);
}

CsvWriter::CsvWriter(std::size_t columns, std::string path)
    : path_(std::move(path)), columns_(columns) {
  if (columns == 0) {
    throw std::invalid_argument(
        fmt::format("CSV file \"{}\" has an empty header; name at least one column", path_));
  }
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    throw std::system_error(
        errno,
        std::generic_category(),
        fmt::format(
            "CSV file \"{}\" can't be opened for writing; check that its folder exists and may be "
            "written to",
            path_));
  }
}

CsvWriter::CsvWriter(std::string path, const std::vector<std::string>& header)
    : CsvWriter(header.size(), std::move(path)) {
  write(std::vector<CsvCell>(header.begin(), header.end()));
}

CsvWriter::~CsvWriter() {
  if (fd_ >= 0)
    close(fd_);
}

void CsvWriter::write(std::initializer_list<CsvCell> cells) {
  write(std::span(cells.begin(), cells.size()));
}

void CsvWriter::write(std::span<const CsvCell> cells) {
  if (cells.size() != columns_) {
    throw std::invalid_argument(fmt::format(
        "CSV file \"{}\": a row of {} cells for a header of {}; write as many cells as there are "
        "columns",
        path_,
        cells.size(),
        columns_));
  }
  if (const int error = detail::write_all(fd_, line_of(cells)); error != 0) {
    throw std::system_error(
        error, std::generic_category(), fmt::format("CSV file \"{}\" can't be written", path_));
  }
}

} // namespace callboard
