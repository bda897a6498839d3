// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string_view>

namespace callboard::detail {
namespace {

[[noreturn]] void refuse(const JobSpec& spec, std::string_view what) {
  throw CallError(Code::invalid_argument, fmt::format("job \"{}\": {}", spec.name, what));
}

bool has_zero(std::string_view text) {
  return text.find('\0') != text.npos;
}

void check_environment(const JobSpec& spec) {
  for (const auto& [name, value] : spec.environment) {
    if (name.empty() || name.find('=') != name.npos || has_zero(name) || has_zero(value)) {
      refuse(spec, fmt::format("\"{}\" can't be a variable's name, or its value has a zero", name));
    }
  }
}

bool can_run(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)
      && access(path.c_str(), X_OK) == 0;
}

std::string shown_command(const JobSpec& spec) {
  std::string text;
  for (const std::string& word : spec.command) {
    text += (text.empty() ? "" : " ") + word;
  }
  constexpr std::size_t longest = 200;
  return text.size() <= longest ? text : clean_text(text.substr(0, longest)) + " …";
}

std::string not_started(const JobSpec& spec) {
  return fmt::format(
      "host {}: {} was not started: command \"{}\": ",
      host_name(),
      spec.name.empty() ? "a job" : spec.name,
      shown_command(spec));
}

std::string process_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

bool used_up(int error) {
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM;
}

Code code_of(const Spawned& failed) {
  const int error = failed.error;
  if (used_up(error)) {
    return Code::resource_exhausted;
  }
  if (error == E2BIG || (failed.step == SpawnStep::cores && error == EINVAL)) {
    return Code::invalid_argument;
  }
  return error == ENOENT || error == ENOTDIR ? Code::not_found : Code::failed_precondition;
}

std::string advice_on_program(int error) {
  switch (error) {
  case ENOENT:
    return "is the path right on this host, and is its interpreter there (first line, ld.so)?";
  case EACCES:
    return "is it a program, may it be run (chmod +x), is its file system mounted noexec?";
  case ENOEXEC: return "neither a program of this machine nor a script with #! in its first line";
  case E2BIG: return "arguments and environment are too long; pass them in `part`";
  default: return "can it be run from a shell?";
  }
}

std::string advice(const JobSpec& spec, const SpawnPlan& plan, const Spawned& failed) {
  switch (failed.step) {
  case SpawnStep::make_process:
    return fmt::format(
        "no process can be made; the limit is {} (ulimit -u), and pids.max of the control group; "
        "start fewer jobs, or raise it",
        process_limit());
  case SpawnStep::priority:
    return fmt::format("nice {} needs CAP_SYS_NICE, or a limit (ulimit -e)", spec.nice);
  case SpawnStep::folder: return fmt::format("folder {}; make it on this host", plan.folder);
  case SpawnStep::memory_group: return "its control group for memory can't be entered";
  case SpawnStep::memory_limit: return fmt::format("memory limit of {} bytes", spec.memory);
  case SpawnStep::cores: return "it can't be bound to its cores; do without pin_cpus";
  case SpawnStep::die_with_parent: return "the process that starts it has ended";
  case SpawnStep::process_group: return "no process group of its own";
  case SpawnStep::descriptors: return "its descriptors can't be set up";
  case SpawnStep::program: break;
  }
  return advice_on_program(failed.error);
}

} // namespace

void check(const JobSpec& spec) {
  if (spec.command.empty() || spec.command.front().empty()) {
    refuse(spec, "no command; its first element is the program");
  }
  for (const std::string& word : spec.command) {
    if (has_zero(word)) {
      refuse(spec, "a zero in the command; pass bytes in `part`");
    }
  }
  check_environment(spec);
  constexpr int lowest = -20;
  constexpr int highest = 19;
  if (spec.nice < lowest || spec.nice > highest) {
    refuse(spec, fmt::format("nice is {}; -20 to 19 are possible", spec.nice));
  }
  if (!(spec.cpus >= 0)) {
    refuse(spec, fmt::format("cpus is {}; 0 or more are possible", spec.cpus));
  }
}

Environment own_environment() {
  Environment all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto sign = text.find('=');
    if (sign != text.npos) {
      all.emplace(text.substr(0, sign), text.substr(sign + 1));
    }
  }
  return all;
}

std::vector<std::string> as_entries(const Environment& environment) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) {
    entries.push_back(name + "=" + value);
  }
  return entries;
}

std::string find_program(const std::string& program, const std::string& path) {
  if (program.find('/') != program.npos) {
    return program;
  }
  std::string_view left = path;
  while (!left.empty()) {
    const std::string_view folder = left.substr(0, left.find(':'));
    std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
    if (can_run(candidate)) {
      return candidate;
    }
    left.remove_prefix(std::min(left.size(), folder.size() + 1));
  }
  return "";
}

SpawnPlan plan_of(const JobSpec& spec, const Environment& ours) {
  Environment environment = own_environment();
  environment.erase("CALLBOARD_PART");
  for (const Environment& more : {std::cref(spec.environment), std::cref(ours)}) {
    for (const auto& [name, value] : more) {
      environment.insert_or_assign(name, value);
    }
  }
  const std::string path = environment["PATH"];
  SpawnPlan plan;
  plan.path = find_program(spec.command.front(), path);
  if (plan.path.empty()) {
    throw CallError(
        Code::not_found,
        not_started(spec)
            + fmt::format(
                "there is no \"{}\" that can be run in PATH={}; give its path, or set PATH",
                spec.command.front(),
                path));
  }
  plan.arguments = spec.command;
  plan.environment = as_entries(environment);
  plan.folder = spec.folder.string();
  plan.nice = spec.nice;
  return plan;
}

CallError spawn_error(const JobSpec& spec, const SpawnPlan& plan, const Spawned& failed) {
  return {
      code_of(failed),
      fmt::format(
          "{}{}; {}", not_started(spec), error_text(failed.error), advice(spec, plan, failed))};
}

} // namespace callboard::detail
