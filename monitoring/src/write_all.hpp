// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace callboard::detail {

/// Writes all of it, in one call if the system takes it so, and waits where a non-blocking
/// descriptor is full. Returns 0, or the error's number after which some of it may be written.
int write_all(int fd, std::string_view data);

} // namespace callboard::detail
