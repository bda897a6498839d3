// SPDX-License-Identifier: Apache-2.0
#include "flag_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace callboard::detail {
namespace {

/// Insertions, deletions and replacements that make one of the other: Levenshtein (1966), by Wagner
/// and Fischer's rows (1974).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

/// How far a name is from what was written; the last part alone of a nested name is near.
std::size_t distance(std::string_view written, const std::string& name) {
  const std::string tail = name.substr(name.rfind('.') + 1);
  return std::min(
      edit_distance(written, name), edit_distance(written, tail) + (tail == name ? 0 : 1));
}

/// The name as flags are written; elsewhere fields have their own names.
std::string dashed_name(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed;
}

std::string help_name(const Flag& flag) {
  const std::string name = dashed_name(flag.name);
  return flag.is_switch ? fmt::format("--[no-]{}", name) : fmt::format("--{}={}", name, flag.type);
}

} // namespace

std::string plain_name(std::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '-', '_');
  return plain;
}

const Flag* find_flag(std::span<const Flag> flags, std::string_view name) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) {
    return plain_name(flag.name) == plain_name(name);
  });
  return found == flags.end() ? nullptr : &*found;
}

std::string suggestion(std::span<const Flag> flags, std::string_view name, std::string_view mark) {
  const std::string written = plain_name(name);
  std::size_t least = std::max<std::size_t>(1, written.size() / 3) + 1;
  const Flag* nearest = nullptr;
  for (const Flag& flag : flags) {
    if (const std::size_t d = distance(written, plain_name(flag.name)); d < least) {
      least = d;
      nearest = &flag;
    }
  }
  if (nearest == nullptr) {
    return "";
  }
  return fmt::format(
      "; did you mean {}{}?", mark, mark.empty() ? nearest->name : dashed_name(nearest->name));
}

void set_flag(const Flag& flag, std::string_view text, std::string_view where) {
  if (!flag.set(text)) {
    refuse_value(flag, text, where);
  }
}

void refuse_value(const Flag& flag, std::string_view text, std::string_view where) {
  throw UsageError(fmt::format("bad value \"{}\" for {}: expected {}", text, where, flag.expects));
}

std::string help_lines(std::span<const Flag> flags) {
  constexpr std::size_t column = 36;
  std::string lines;
  for (const Flag& flag : flags) {
    const std::string name = help_name(flag);
    const std::string gap = name.size() < column ? "" : fmt::format("\n{:{}}", "", column + 2);
    lines += fmt::format("  {:<{}}{}", name, column, gap);
    lines += flag.help;
    if (flag.help.empty()) {
      lines += fmt::format("default {}", flag.default_text.empty() ? "empty" : flag.default_text);
    } else if (!flag.default_text.empty()) {
      lines += fmt::format(" (default {})", flag.default_text);
    }
    lines += '\n';
  }
  return lines;
}

} // namespace callboard::detail
