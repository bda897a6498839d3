// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <callboard/log.hpp>
#include <callboard/output.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace callboard {

std::filesystem::path log_path(
    const std::filesystem::path& run_folder, std::string_view node, int incarnation) {
  std::string name(node);
  std::replace(name.begin(), name.end(), '/', '-');
  return run_folder / "logs" / fmt::format("{}.{}.log", name, incarnation);
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored; // open says it better
  std::filesystem::create_directories(path_.parent_path(), ignored);
  constexpr mode_t mode = 0644;
  fd_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, mode);
  if (fd_ < 0) {
    const std::string text = detail::error_text(errno);
    throw CallError(
        Code::failed_precondition,
        fmt::format(
            "log file {}: {}; choose a run folder that can be written", path_.string(), text));
  }
}

OutputFile::~OutputFile() {
  close(fd_);
}

void OutputFile::write(std::string_view line) {
  const int error = detail::write_whole(fd_, std::string(line).append("\n"));
  if (error != 0 && !failed_) {
    failed_ = true;
    log(LogLevel::error,
        "",
        fmt::format("log file {}: {}; lines are lost", path_.string(), detail::error_text(error)));
  }
}

} // namespace callboard
