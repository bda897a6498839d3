// SPDX-License-Identifier: Apache-2.0
// CLI11, which Debian has, is not used: it suggests no name for an unknown one, has no --no-name
// for a switch that isn't declared with it, reads INI and TOML where we read YAML, and gathers
// values by option, so that the order of --set among other flags is lost. What remains of it is the
// splitting of arguments, which is the first part of this file.
#include "config_file.hpp"
#include "flag_table.hpp"

#include <callboard/flags.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace callboard {
namespace detail {
namespace {

/// A flag as it was written, found in the table.
struct Use {
  const Flag* flag = nullptr;
  std::string where; ///< as in "--workers", for errors
  std::string value;
  std::size_t arguments = 1; ///< how many of the command line it takes
};

/// The name and, after "=", the value of an argument "--name" or "--name=value".
struct Written {
  std::string_view name;
  std::optional<std::string_view> value;
};

Written split(std::string_view argument) {
  const std::string_view body = argument.substr(2);
  const std::size_t equals = body.find('=');
  if (equals == std::string_view::npos) {
    return {body, std::nullopt};
  }
  return {body.substr(0, equals), body.substr(equals + 1)};
}

bool is_flag(std::string_view argument) {
  return argument.starts_with("--") && argument.size() > 2;
}

bool asks_for_help(std::string_view argument) {
  return argument == "--help" || argument == "-h";
}

/// "--no-render" of a switch "render".
const Flag* find_negated(std::span<const Flag> flags, const Written& written) {
  if (!plain_name(written.name).starts_with("no_") || written.value) {
    return nullptr;
  }
  const Flag* flag = find_flag(flags, written.name.substr(3));
  return flag != nullptr && flag->is_switch ? flag : nullptr;
}

/// The flag that `arguments` start with, which start with "--"; none if the table hasn't got it.
std::optional<Use> next_use(std::span<const Flag> flags, std::span<const char* const> arguments) {
  const Written written = split(arguments[0]);
  const std::string where = fmt::format("--{}", written.name);
  const Flag* flag = find_flag(flags, written.name);
  if (flag == nullptr) {
    flag = find_negated(flags, written);
    return flag == nullptr ? std::nullopt : std::optional(Use{flag, where, "false"});
  }
  if (written.value) {
    return Use{flag, where, std::string(*written.value)};
  }
  if (flag->is_switch) {
    return Use{flag, where, "true"};
  }
  if (arguments.size() < 2 || is_flag(arguments[1])) {
    throw UsageError(fmt::format("{} needs a value: expected {}", where, flag->expects));
  }
  return Use{flag, where, arguments[1], 2};
}

[[noreturn]] void refuse_argument(std::span<const Flag> flags, std::string_view argument) {
  if (!is_flag(argument)) {
    throw UsageError(fmt::format(
        "stray argument \"{}\"; flags start with --, the value of a switch follows =", argument));
  }
  const std::string_view name = split(argument).name;
  throw UsageError(fmt::format("unknown flag --{}{}", name, suggestion(flags, name, "--")));
}

std::vector<Use> find_uses(std::span<const Flag> flags, std::span<const char* const> arguments) {
  std::vector<Use> uses;
  while (!arguments.empty()) {
    std::optional<Use> use = is_flag(arguments[0]) ? next_use(flags, arguments) : std::nullopt;
    if (!use) {
      refuse_argument(flags, arguments[0]);
    }
    arguments = arguments.subspan(use->arguments);
    uses.push_back(*std::move(use));
  }
  return uses;
}

void assign(std::span<const Flag> fields, const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('='));
  const Flag* field = find_flag(fields, name);
  if (field == nullptr) {
    throw UsageError(fmt::format(
        "--set {}: the configuration has no field {}{}",
        assignment,
        name,
        suggestion(fields, name)));
  }
  set_flag(*field, std::string_view(assignment).substr(name.size() + 1), "--set " + name);
}

void check_names(std::span<const Flag> own, std::span<const Flag> fields) {
  for (const Flag& field : fields) {
    if (find_flag(own, field.name) != nullptr || field.name == "help") {
      throw UsageError(fmt::format(
          "the configuration's field {} has the name of a flag of Callboard's; rename the field",
          field.name));
    }
  }
}

std::string help_text(
    std::string_view program, std::span<const Flag> own, std::span<const Flag> fields) {
  std::string text = fmt::format(
      "usage: {} [flags]\n\nCallboard's flags:\n{}  {:<36}this text\n",
      program.substr(program.rfind('/') + 1),
      help_lines(own),
      "--help, -h");
  if (!fields.empty()) {
    text += fmt::format(
        "\nConfiguration, by flags, --set or the file of --config:\n{}", help_lines(fields));
  }
  return text;
}

/// The file's values first, then the flags' in their order.
void carry_out(
    std::span<const Use> uses, std::span<const Flag> fields, const LaunchOptions& options) {
  const auto is_file = [](const Use& use) { return use.flag->name == "config"; };
  const auto files = std::count_if(uses.begin(), uses.end(), is_file);
  if (files > 1) {
    throw UsageError("--config is given twice; one file holds the configuration");
  }
  if (files == 1) {
    const Use& use = *std::find_if(uses.begin(), uses.end(), is_file);
    set_flag(*use.flag, use.value, use.where);
    read_config_file(options.config_file, fields);
  }
  for (const Use& use : uses) {
    if (!is_file(use)) {
      set_flag(*use.flag, use.value, use.where);
    }
    if (use.flag->name == "set") {
      assign(fields, use.value);
    }
  }
}

} // namespace

std::optional<std::string> read_flags(
    int argc, const char* const* argv, LaunchOptions& options, std::vector<Flag> fields) {
  const std::vector<Flag> own = own_flags(options);
  check_names(own, fields);
  const std::span<const char* const> all(argv, static_cast<std::size_t>(argc));
  if (std::any_of(all.begin(), all.end(), asks_for_help)) {
    return help_text(all[0], own, fields);
  }
  std::vector<Flag> flags = own;
  flags.insert(flags.end(), fields.begin(), fields.end());
  carry_out(find_uses(flags, all.subspan(std::min<std::size_t>(1, all.size()))), fields, options);
  return std::nullopt;
}

} // namespace detail

Flags::Flags(int& argc, char** argv) {
  const std::vector<detail::Flag> flags = detail::launch_flags(options_);
  const std::span<char*> all(argv, static_cast<std::size_t>(argc));
  const auto end = std::find(all.begin(), all.end(), std::string_view("--"));
  std::vector<char*> kept;
  for (auto at = all.begin(); at != end;) {
    const std::span<const char* const> rest(at, end);
    const auto use = detail::is_flag(*at) ? detail::next_use(flags, rest) : std::nullopt;
    if (use) {
      detail::set_flag(*use->flag, use->value, use->where);
    } else {
      kept.push_back(*at);
    }
    at += static_cast<std::ptrdiff_t>(use ? use->arguments : 1);
  }
  kept.insert(kept.end(), end, all.end());
  kept.push_back(nullptr);
  std::copy_n(kept.begin(), std::min(kept.size(), all.size()), argv);
  argc = static_cast<int>(kept.size()) - 1;
}

std::string Flags::help() {
  LaunchOptions defaults;
  return "Callboard's flags:\n" + detail::help_lines(detail::launch_flags(defaults));
}

} // namespace callboard
