// SPDX-License-Identifier: Apache-2.0
/// @file
/// One stream of a process, from its pipe to lines.
#pragma once

#include "descriptor.hpp"

#include <callboard/output.hpp>

#include <string>

namespace callboard::detail {

/// Not thread-safe.
class JobOutput {
public:
  JobOutput() = default;
  explicit JobOutput(Descriptor pipe) : pipe_(std::move(pipe)) {}

  const Descriptor& pipe() const noexcept { return pipe_; }
  /// Takes what can be had with one read, to be called when there is something; closes the pipe at
  /// its end.
  void read_some(const LineSplitter::OnLine& on_line);
  /// Takes what is in the pipe now and the line that was begun, and closes it: whoever else holds
  /// it is not waited for.
  void read_rest(const LineSplitter::OnLine& on_line);

private:
  std::size_t take(std::size_t most, const LineSplitter::OnLine& on_line);

  Descriptor pipe_{};
  LineSplitter splitter_{};
};

} // namespace callboard::detail
