// SPDX-License-Identifier: Apache-2.0
#include "flag_table.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace callboard::detail {
namespace {

using namespace std::chrono_literals;

Flag explained(Flag flag, std::string help) {
  flag.help = std::move(help);
  return flag;
}

/// A flag for a time of at least `least`.
Flag time_flag(
    std::string name,
    std::chrono::milliseconds& target,
    std::chrono::milliseconds least,
    std::string help) {
  Flag flag = explained(make_flag(std::move(name), target), std::move(help));
  flag.expects += ", at least " + FlagText<std::chrono::milliseconds>::print(least);
  flag.set = [&target, least, parse = flag.set](std::string_view text) {
    return parse(text) && target >= least;
  };
  return flag;
}

/// A flag whose values have names.
template <class Enum>
Flag choice(
    std::string name,
    Enum& target,
    std::vector<std::pair<std::string, Enum>> values,
    std::string help) {
  Flag flag{.name = std::move(name), .help = std::move(help)};
  for (const auto& [text, value] : values) {
    flag.type += (flag.type.empty() ? "" : "|") + text;
    flag.expects += (flag.expects.empty() ? "one of " : ", ") + text;
    flag.default_text = value == target ? text : flag.default_text;
  }
  flag.set = [&target, values = std::move(values)](std::string_view given) {
    for (const auto& [text, value] : values) {
      if (text == given) {
        target = value;
        return true;
      }
    }
    return false;
  };
  return flag;
}

Flag log_level_flag(LogLevel& level) {
  return choice<LogLevel>(
      "log-level",
      level,
      {{"debug", LogLevel::debug},
       {"info", LogLevel::info},
       {"warning", LogLevel::warning},
       {"error", LogLevel::error},
       {"off", LogLevel::off}},
      "the least important messages written");
}

Flag run_folder_flag(std::string& folder) {
  Flag flag =
      explained(make_flag("run-folder", folder), "for what a run of processes writes; a new one");
  flag.type = "folder";
  flag.default_text.clear();
  return flag;
}

/// Keeps the texts; they are carried out as flags of their own.
Flag set_flag_of(std::vector<std::string>& assignments) {
  return {
      .name = "set",
      .type = "name=value",
      .expects = "name=value",
      .help = "sets a field of the configuration, as --name=value does",
      .set = [&assignments](std::string_view text) {
        assignments.emplace_back(text);
        return text.find('=') != std::string_view::npos;
      }};
}

} // namespace

std::vector<Flag> launch_flags(LaunchOptions& o) {
  return {
      choice<Launch>(
          "launch",
          o.launch,
          {{"threads", Launch::threads},
           {"processes", Launch::processes},
           {"graph", Launch::graph}},
          "where the nodes run; graph: print the graph only"),
      choice<GraphFormat>(
          "format",
          o.format,
          {{"dot", GraphFormat::dot}, {"json", GraphFormat::json}},
          "of the graph that is printed"),
      log_level_flag(o.log_level),
      time_flag("deadline", o.deadline, 1ms, "of a call that has none of its own"),
      time_flag("grace", o.grace, 0ms, "how long nodes may take to end"),
      run_folder_flag(o.run_folder),
      explained(make_flag("seed", o.seed), "of all random numbers"),
  };
}

std::vector<Flag> own_flags(LaunchOptions& options) {
  std::vector<Flag> flags = launch_flags(options);
  Flag config = explained(make_flag("config", options.config_file), "YAML with the configuration");
  config.type = "file";
  config.default_text.clear();
  flags.push_back(std::move(config));
  flags.push_back(set_flag_of(options.assignments));
  return flags;
}

} // namespace callboard::detail
