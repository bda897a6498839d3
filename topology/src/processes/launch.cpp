// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "../line_router.hpp"
#include "worker.hpp"

#include <callboard/log.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <iostream>

namespace callboard::detail {
namespace {

/// What ends with a worker: 1 its node could not go on, 2 it may not take part.
constexpr int refused = 2;

std::filesystem::path new_run_folder(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  return std::filesystem::temp_directory_path() / fmt::format("callboard-{}", geteuid())
      / fmt::format("{}-{:%Y%m%d-%H%M%S}-{}", program, fmt::localtime(now), getpid());
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (error) {
    throw CallError(
        Code::failed_precondition,
        fmt::format(
            "the folder of the run, {}, can't be made: {}; choose another with --run-folder",
            folder.string(),
            error.message()));
  }
}

std::string own_path() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw CallError(Code::internal, "/proc/self/exe can't be read: " + error.message());
  }
  return path.string();
}

[[noreturn]] void end_process(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

/// The launcher writes the node's name and the time in front of each line.
void log_without_node() {
  set_log_sink([](LogLevel level, std::string_view node, std::string_view text) {
    static_cast<void>(node);
    const std::string line = fmt::format("{} {}\n", to_string(level), text);
    std::fwrite(line.data(), 1, line.size(), stderr);
  });
}

void work(Part part, const Command& command, const std::function<void(Program&)>& build) {
  command.configure(part.configuration);
  Program program(command.name);
  build(program);
  program.check();
  const StartOptions options{
      .deadline = std::chrono::nanoseconds(part.deadline),
      .grace = std::chrono::nanoseconds(part.grace),
      .seed = part.seed,
      .network = true,
  };
  std::make_shared<Worker>(program, std::move(part), options)->run();
}

} // namespace

ProcessSetup process_setup(
    const Command& command, const LaunchOptions& options, LineRouter& lines) {
  const auto folder = options.run_folder.empty() ? new_run_folder(command.name)
                                                 : std::filesystem::path(options.run_folder);
  make_folder(folder);
  ProcessSetup setup{
      .command = command.arguments,
      .configuration = command.configuration,
      .log_level = options.log_level,
      .folder = std::filesystem::absolute(folder),
      .on_line =
          [&lines](std::string_view process, Stream stream, std::string_view line) {
            lines.print(process, stream, line);
          },
  };
  setup.command.front() = own_path();
  return setup;
}

void run_worker(
    const std::string& part, const Command& command, const std::function<void(Program&)>& build) {
  log_without_node();
  int status = 0;
  try {
    const auto bytes = std::as_bytes(std::span(part));
    auto mine = decoded<Part>(bytes);
    set_log_level(static_cast<LogLevel>(mine.log_level));
    work(std::move(mine), command, build);
  } catch (const std::exception& error) {
    log(LogLevel::error, "", error.what());
    status = refused;
  }
  end_process(status);
}

} // namespace callboard::detail
