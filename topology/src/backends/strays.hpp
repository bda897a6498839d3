// SPDX-License-Identifier: Apache-2.0
/// @file
/// Processes of this host, found through /proc.
#pragma once

#include "descriptor.hpp"

#include <callboard/time.hpp>

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace callboard::detail {

std::vector<pid_t> all_processes();

/// Whether its first environment has `variable`, such as "A=b". False where that can't be read.
bool carries(pid_t pid, std::string_view variable);

/// A descriptor that stands for this process, also after another got its number.
Descriptor open_process(pid_t pid);

/// Whether the process of such a descriptor has ended by then.
bool wait_for_end(const Descriptor& process, TimePoint deadline);

} // namespace callboard::detail
