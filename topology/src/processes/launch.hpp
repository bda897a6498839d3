// SPDX-License-Identifier: Apache-2.0
/// @file
/// The two sides of `--launch=processes` as `run` sees them.
#pragma once

#include "process_launcher.hpp"

#include <callboard/run.hpp>

#include <functional>
#include <string>

namespace callboard::detail {

class LineRouter;

/// How the processes of a run are started: this program again, with the same arguments.
/// @throws CallError{failed_precondition} the folder of the run can't be made
ProcessSetup process_setup(const Command& command, const LaunchOptions& options, LineRouter& lines);

/// Plays the part that the launcher gave to this process, and ends it.
[[noreturn]] void run_worker(
    const std::string& part, const Command& command, const std::function<void(Program&)>& build);

} // namespace callboard::detail
