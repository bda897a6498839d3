// SPDX-License-Identifier: Apache-2.0
/// @file
/// The flags by name: finding one, naming the one that was probably meant, setting it.
#pragma once

#include <callboard/detail/flag.hpp>
#include <callboard/flags.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::detail {

/// The name with dashes written as underscores: the form in which names are compared.
std::string plain_name(std::string_view name);

/// Null if there is none.
const Flag* find_flag(std::span<const Flag> flags, std::string_view name);

/// "; did you mean --workers?", with `mark` "--", or nothing if no flag's name is near.
std::string suggestion(
    std::span<const Flag> flags, std::string_view name, std::string_view mark = "");

/// Sets the flag; `where` is what the error names, as in "--workers".
/// @throws UsageError  bad value "x" for --workers: expected a whole number from 0 to 255
void set_flag(const Flag& flag, std::string_view text, std::string_view where);
[[noreturn]] void refuse_value(const Flag& flag, std::string_view text, std::string_view where);

/// Callboard's own flags, as a program has them that leaves its command line to Callboard.
std::vector<Flag> own_flags(LaunchOptions& options);
/// Those of them that a foreign parser leaves to Callboard: without --config and --set.
std::vector<Flag> launch_flags(LaunchOptions& options);

/// One line for each flag: name, type, help and default.
std::string help_lines(std::span<const Flag> flags);

} // namespace callboard::detail
