// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a job's spec to what is spawned, and from what failed to what a person is told.
#pragma once

#include "spawn.hpp"

#include <callboard/backend.hpp>

#include <map>
#include <string>
#include <vector>

namespace callboard::detail {

/// @throws CallError{invalid_argument} the spec is wrong whatever the state of the host
void check(const JobSpec& spec);

using Environment = std::map<std::string, std::string>;

/// This process's own. Not safe against a concurrent `setenv`.
Environment own_environment();

/// "NAME=value", in the order of the names.
std::vector<std::string> as_entries(const Environment& environment);

/// Where the program is: `program` itself if it has a slash, else the first that can be run in one
/// of the folders of `path`; empty if there is none.
std::string find_program(const std::string& program, const std::string& path);

/// What `spec` asks for, without descriptors, limits and cores. Its environment is this process's
/// own without CALLBOARD_PART, then the spec's, then `ours`; later ones win.
/// @throws CallError{not_found} there is no such program
SpawnPlan plan_of(const JobSpec& spec, const Environment& ours);

/// Why the job was not started.
CallError spawn_error(const JobSpec& spec, const SpawnPlan& plan, const Spawned& failed);

} // namespace callboard::detail
