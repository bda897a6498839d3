// SPDX-License-Identifier: Apache-2.0
/// @file
/// The whole of `main`: flags, graph, launch, exit status.
#pragma once

#include <callboard/codec.hpp>
#include <callboard/flags.hpp>
#include <callboard/program.hpp>
#include <callboard/running.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callboard {

namespace detail {

/// How the program was started.
struct Command {
  std::string name;
  std::vector<std::string> arguments;     ///< as `main` got them
  std::vector<std::byte> configuration{}; ///< the values of its fields
  /// Takes over the values that another process has.
  std::function<void(std::span<const std::byte>)> configure{};
};

/// Builds the program and does with it what `options` say. Prints what is wrong and returns 2 if it
/// can't be built. Does not return in a process that a launcher has started for some of the nodes.
int run_program(
    const Command& command,
    const LaunchOptions& options,
    const std::function<void(Program&)>& build);

/// Prints a usage error. @returns the exit status
int report_usage(const std::string& name, const UsageError& error);
int print_help(const std::string& help);

} // namespace detail

/// Runs the program that `build(Program&, const Config&)` makes, as the command line says. The
/// fields of `Config`, a plain struct with defaults, are flags of the program; `--help` shows them.
///
///     int main(int argc, char** argv) { return callboard::run<Config>("apex", argc, argv, build);
///     }
///
/// Stops in order on Ctrl-C (or SIGTERM); a second one ends the process at once.
///
/// @returns the exit status: 0 clean, or what a node gave to `Context::stop`; 1 a node failed; 2
/// bad
///   flags or a graph that breaks the rules; 3 some nodes did not end within the grace; 128 + n
///   stopped by signal n
template <class Config, class Build>
int run(const std::string& name, int argc, char** argv, Build build) {
  try {
    auto parsed = parse_flags<Config>(argc, argv);
    if (parsed.help) {
      return detail::print_help(*parsed.help);
    }
    detail::Command command{.name = name, .arguments = {argv, argv + argc}};
    command.configuration = encoded(parsed.config);
    command.configure = [&](std::span<const std::byte> bytes) {
      parsed.config = decoded<Config>(bytes);
    };
    return detail::run_program(command, parsed.options, [&](Program& program) {
      build(program, static_cast<const Config&>(parsed.config));
    });
  } catch (const UsageError& error) {
    return detail::report_usage(name, error);
  }
}

/// As above, for a program without configuration: `build(Program&)`.
template <class Build>
int run(const std::string& name, int argc, char** argv, Build build) {
  return run<NoConfig>(
      name, argc, argv, [&](Program& program, const NoConfig&) { build(program); });
}

} // namespace callboard
