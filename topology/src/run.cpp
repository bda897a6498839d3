// SPDX-License-Identifier: Apache-2.0
#include "line_router.hpp"
#include "live_table.hpp"
#include "processes/launch.hpp"
#include "processes/process_launcher.hpp"
#include "program_run.hpp"
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

/// What the run has to say at its end: what failed, or why a node stopped it.
void report(const Running& running, int status, const char* overdue) {
  const bool signalled = status > exit_status::signal_base;
  if (const std::string reason = running.stop_reason(); !reason.empty() && !signalled) {
    std::cerr << fmt::format("{}: {}\n", running.program().name(), reason);
  }
  const auto failures = running.failures();
  const char* kind = "root cause";
  for (const Failure& failure : failures) {
    if (!failure.restarted) {
      std::cerr << fmt::format(
          "callboard: {}: {}\n", std::exchange(kind, "then"), to_string(failure));
    }
  }
  for (const std::string& node : running.stubborn()) {
    std::cerr << fmt::format(
        "callboard: {} did not end within the grace and was {}\n", node, overdue);
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

/// Waits for the end of the program and says what there is to say.
int attend(Interrupts& interrupts, Running& running, LineRouter* lines, const char* overdue) {
  interrupts.stop(&running);
  int status = 0;
  {
    LiveTable table(running);
    const LineRouter::Above above(lines, table);
    status = table.wait();
  }
  interrupts.stop(nullptr);
  report(running, status, overdue);
  return status;
}

int run_threads(const Program& program, const LaunchOptions& options) {
  Interrupts interrupts(options.grace);
  Running running = callboard::start(program, start_options(options));
  const int status = attend(interrupts, running, nullptr, "left behind");
  if (!running.stubborn().empty()) {
    end_process(status);
  }
  return status;
}

int run_processes(const Program& program, const Command& command, const LaunchOptions& options) {
  Interrupts interrupts(options.grace);
  LineRouter lines;
  StartOptions start = start_options(options);
  start.network = true;
  auto run = std::make_shared<ProgramRun>(
      program, start, std::make_unique<ProcessLauncher>(process_setup(command, options, lines)));
  run->start();
  Running running(std::move(run));
  return attend(interrupts, running, &lines, "killed");
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
    const Command& command,
    const LaunchOptions& options,
    const std::function<void(Program&)>& build) {
  set_log_level(options.log_level);
  const std::string& name = command.name;
  try {
    if (const auto part = take_part()) {
      run_worker(*part, command, build);
    }
    Program program(name);
    build(program);
    program.check();
    if (options.launch == Launch::graph) {
      return print_graph(program, options.format);
    }
    return options.launch == Launch::processes ? run_processes(program, command, options)
                                               : run_threads(program, options);
  } catch (const GraphError& error) {
    std::cerr << fmt::format("callboard: {}\n", error.what());
    return exit_status::usage;
  } catch (const CallError& error) {
    std::cerr << fmt::format("callboard: program \"{}\": {}\n", name, error.what());
    return exit_status::usage;
  }
}

} // namespace callboard::detail
