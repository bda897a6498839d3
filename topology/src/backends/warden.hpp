// SPDX-License-Identifier: Apache-2.0
/// @file
/// The process that watches a launcher, and kills what it leaves behind.
#pragma once

#include "spawner.hpp"

#include <string>

namespace callboard::detail {

/// The kernel kills jobs with their launcher, but not what jobs have started. A small shell, which
/// is in nobody's process group and carries no run's id, waits until the launcher is gone, however
/// that came, and then kills what carries the id of its run.
class Warden {
public:
  /// Without a shell or grep there is none, which is logged.
  Warden(Spawner& spawner, const std::string& run);
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;
  /// Sends it home, without a kill.
  ~Warden();

  /// Becomes readable when it ends, which it should not do before us; empty where there is none.
  const Descriptor& process() const noexcept { return process_; }

private:
  Descriptor process_{};
  Descriptor line_{}; ///< whose end tells it that we are gone
};

} // namespace callboard::detail
