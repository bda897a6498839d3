// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which ends of a child, or of a node, are followed by another start.
#pragma once

namespace callboard {

/// When something that has ended is started again; OTP's restart types.
enum class Restart : unsigned char {
  permanent, ///< always
  transient, ///< after a failure
  temporary, ///< never
};

} // namespace callboard
