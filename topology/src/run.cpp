// SPDX-License-Identifier: Apache-2.0
#include "live_table.hpp"
#include "signals.hpp"

#include <callboard/run.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <mutex>

namespace callboard::detail {
namespace {

int print_graph(const Program& program, GraphFormat format) {
  program.check();
  std::cout << (format == GraphFormat::json ? program.to_json() : program.to_dot()) << std::flush;
  return exit_status::clean;
}

/// The log has the cause already, unless there is no log.
std::string reported(const Failure& failure, LogLevel level) {
  return level > LogLevel::error ? to_string(failure)
                                 : fmt::format(
                                     "{} failed {:.2f} s after the start",
                                     failure.node,
                                     std::chrono::duration<double>(failure.at).count());
}

/// What the run has to say at its end: what failed, or why a node stopped it.
void report(const Running& running, int status, LogLevel level) {
  const bool signalled = status > exit_status::signal_base;
  if (const std::string reason = running.stop_reason(); !reason.empty() && !signalled) {
    std::cerr << fmt::format("{}: {}\n", running.program().name(), reason);
  }
  const auto failures = running.failures();
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const char* kind = i == 0 ? "root cause" : "then";
    std::cerr << fmt::format("callboard: {}: {}\n", kind, reported(failures[i], level));
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

/// The first signal stops the program, the second one the process.
class Interrupts {
public:
  explicit Interrupts(std::chrono::milliseconds grace)
      : grace_(grace), watch_([this](int signal) { on_signal(signal); }) {}

  /// Signals stop `running`, also one that came before; null: they stop nothing any more.
  void stop(Running* running) {
    const std::lock_guard lock(mutex_);
    running_ = running;
    pass_on();
  }

private:
  void on_signal(int signal) {
    const std::lock_guard lock(mutex_);
    if (first_ != 0) {
      std::cerr << "callboard: stopped at once\n";
      end_process(exit_status::signal_base + signal);
    }
    first_ = signal;
    log(LogLevel::warning,
        "",
        fmt::format(
            "{}: stopping, within {:g} s; once more stops at once",
            strsignal(signal),
            std::chrono::duration<double>(grace_).count()));
    pass_on();
  }

  void pass_on() {
    if (running_ != nullptr && first_ != 0) {
      running_->stop(strsignal(first_), exit_status::signal_base + first_);
    }
  }

  const std::chrono::milliseconds grace_;
  std::mutex mutex_;
  int first_ = 0;
  Running* running_ = nullptr;
  const SignalWatch watch_; // its thread uses what is above
};

int run_threads(const Program& program, const LaunchOptions& options) {
  Interrupts interrupts(options.grace);
  Running running = callboard::start(program, start_options(options));
  interrupts.stop(&running);
  const int status = LiveTable(running).wait();
  interrupts.stop(nullptr);
  report(running, status, options.log_level);
  if (!running.stubborn().empty()) {
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
  } catch (const CallError& error) {
    std::cerr << fmt::format("callboard: program \"{}\": {}\n", name, error.what());
    return exit_status::usage;
  }
}

} // namespace callboard::detail
