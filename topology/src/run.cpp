// SPDX-License-Identifier: Apache-2.0
#include "live_table.hpp"
#include "signals.hpp"

#include <callboard/run.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace callboard::detail {
namespace {

int print_graph(const Program& program, GraphFormat format) {
  program.check();
  std::cout << (format == GraphFormat::json ? program.to_json() : program.to_dot()) << std::flush;
  return exit_status::clean;
}

/// What the run has to say at its end: what failed, or why a node stopped it.
void report(const Running& running, int status) {
  const bool signalled = status > exit_status::signal_base;
  if (const std::string reason = running.stop_reason(); !reason.empty() && !signalled) {
    std::cerr << fmt::format("{}: {}\n", running.program().name(), reason);
  }
  const auto failures = running.failures();
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const char* kind = i == 0 ? "root cause" : "then";
    std::cerr << fmt::format("callboard: {}: {}\n", kind, to_string(failures[i]));
  }
  for (const std::string& node : running.stubborn()) {
    std::cerr << fmt::format(
        "callboard: {} did not end within the grace and was left behind\n", node);
  }
}

/// Threads that would not end are ended with the process, past destructors that would wait for
/// them.
[[noreturn]] void end_process(int status) {
  LiveTable::restore_terminal();
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

StartOptions start_options(const LaunchOptions& options) {
  return {.deadline = options.deadline, .grace = options.grace, .seed = options.seed};
}

int run_threads(const Program& program, const LaunchOptions& options) {
  std::atomic<Running*> running{nullptr};
  std::atomic<int> signals{0};
  const SignalWatch watch([&](int signal) {
    if (++signals > 1) {
      std::cerr << "callboard: stopped at once\n";
      end_process(exit_status::signal_base + signal);
    }
    log(LogLevel::warning,
        "",
        fmt::format(
            "{}: stopping, within {} s; once more stops at once",
            strsignal(signal),
            std::chrono::duration_cast<std::chrono::seconds>(options.grace).count()));
    if (Running* program_run = running.load()) {
      program_run->stop(strsignal(signal), exit_status::signal_base + signal);
    }
  });
  Running program_run = callboard::start(program, start_options(options));
  running = &program_run;
  const int status = LiveTable(program_run).wait();
  running = nullptr;
  report(program_run, status);
  if (!program_run.stubborn().empty()) {
    end_process(status);
  }
  return status;
}

} // namespace

int report_usage(const std::string& name, const UsageError& error) {
  std::cerr << fmt::format("{}: {}\n{}: --help shows all flags\n", name, error.what(), name);
  return UsageError::exit_code;
}

int print_help(const std::string& help) {
  std::cout << help << std::flush;
  return exit_status::clean;
}

int run_program(
    const std::string& name,
    const LaunchOptions& options,
    const std::function<void(Program&)>& build) {
  set_log_level(options.log_level);
  try {
    Program program(name);
    build(program);
    program.check();
    if (options.launch == Launch::graph) {
      return print_graph(program, options.format);
    }
    return run_threads(program, options);
  } catch (const GraphError& error) {
    std::cerr << fmt::format("callboard: {}\n", error.what());
    return exit_status::usage;
  }
}

} // namespace callboard::detail
