// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which cores a job is bound to.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

namespace callboard::detail {

/// Gives out the cores of this process, in turn. Not thread-safe.
class Cores {
public:
  explicit Cores(std::vector<int> own) : own_(std::move(own)) {}

  /// None where `cpus` is no whole number, or as many as there are.
  std::optional<cpu_set_t> take(double cpus);

private:
  std::vector<int> own_;
  std::size_t next_ = 0;
};

/// Those that this process may run on.
std::vector<int> own_cores();

} // namespace callboard::detail
