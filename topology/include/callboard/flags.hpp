// SPDX-License-Identifier: Apache-2.0
/// @file
/// From the command line to the options of a launch and the user's own configuration.
///
///     struct Config {
///       int workers = 4;
///       bool render = false;
///       std::vector<int> hidden{64, 64};
///       Optimizer optimizer;                 // a struct of such fields
///     };
///     auto [options, config, help] = parse_flags<Config>(argc, argv);
///
///     ./program --workers=8 --workers 8 --render --no-render --hidden=32,32
///     ./program --optimizer.learning-rate=0.1 --set workers=8 --config=lab.yaml
///
/// The file sets fields first, then the flags do in their order. It holds the same names, nested
/// structs as nested maps and lists as sequences. A dash may stand for an underscore.
///
/// Fields are numbers, enums (by number), text, durations ("10s", "500ms", "2min"), lists
/// (`std::vector`) and `std::optional` ("none" for none) of these, and structs.
#pragma once

#include <callboard/detail/flag.hpp>
#include <callboard/launch_options.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace callboard {

/// What the user wrote on the command line or in the file can't be meant. The text says what is
/// wrong and what was expected; a program that gets it prints it and ends with `exit_code`.
class UsageError : public std::runtime_error {
public:
  static constexpr int exit_code = 2;
  using std::runtime_error::runtime_error;
};

/// The configuration of a program that has none.
struct NoConfig {};

/// What a command line says.
template <class Config>
struct Parsed {
  LaunchOptions options;
  Config config;
  std::optional<std::string>
      help; ///< the text that --help or -h asks for; nothing else is set then
};

namespace detail {

/// Reads the command line into what the flags refer to, and `options`. Returns the help asked for.
std::optional<std::string> read_flags(
    int argc, const char* const* argv, LaunchOptions& options, std::vector<Flag> fields);

} // namespace detail

/// Reads the command line and the file that it names.
///
/// @tparam Config  an aggregate, or a class with `inspect` (reflect.hpp), with a default
/// constructor
///                 that gives the defaults
/// @throws UsageError  an unknown name, a bad value, a stray argument, a file that can't be read; a
///                     field of `Config` that has the name of a flag of Callboard's
template <class Config = NoConfig>
Parsed<Config> parse_flags(int argc, const char* const* argv) {
  Parsed<Config> parsed{};
  std::vector<detail::Flag> fields;
  detail::add_flags(fields, "", parsed.config);
  parsed.help = detail::read_flags(argc, argv, parsed.options, std::move(fields));
  return parsed;
}

/// For programs that read their command line with another library: takes Callboard's flags out of
/// it and leaves the rest, in order, to that library.
///
///     Flags flags{argc, argv};
///     cxxopts.parse(argc, argv);
///
/// --help, --config and --set stay, being the program's own then. What follows "--" stays as well.
class Flags {
public:
  /// Changes `argc` and the pointers in `argv`.
  /// @throws UsageError  a bad value of one of our flags; nothing is changed
  Flags(int& argc, char** argv);

  const LaunchOptions& options() const noexcept { return options_; }

  /// What our flags are, as lines to add to the help of the program.
  static std::string help();

private:
  LaunchOptions options_;
};

} // namespace callboard
