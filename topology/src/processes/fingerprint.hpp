// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whether two processes have built the same program.
#pragma once

#include "control.hpp"

#include <callboard/program.hpp>

#include <optional>
#include <string>
#include <vector>

namespace callboard::detail {

/// A hash of each part of the graph, and of the build.
std::vector<Fingerprint> fingerprint_of(const Program& program);

/// What of `theirs` is otherwise than `ours`, as the end of a sentence; none if nothing is.
std::optional<std::string> difference(
    const std::vector<Fingerprint>& ours, const std::vector<Fingerprint>& theirs);

} // namespace callboard::detail
