// SPDX-License-Identifier: Apache-2.0
/// @file
/// The configuration as a YAML file.
#pragma once

#include <callboard/detail/flag.hpp>

#include <span>
#include <string>

namespace callboard::detail {

/// Sets the fields that the file names; maps in it are structs. An empty file sets nothing.
/// @throws UsageError  "lab.yaml:3: unknown key wokers; did you mean workers?"
void read_config_file(const std::string& path, std::span<const Flag> fields);

} // namespace callboard::detail
