// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whether a node that has failed is started again, and when.
#pragma once

#include <callboard/node_options.hpp>
#include <callboard/supervisor.hpp>

#include <string>

namespace callboard::detail {

/// A node's supervisor, with one child. Restarts after a short wait that grows while it keeps
/// failing. Not thread-safe.
class Revival {
public:
  Revival(const std::string& node, const RestartPolicy& policy);

  /// A life begins. @returns its number
  int begin();
  void started();
  /// The life has failed. Whether there is to be another.
  bool failed(const Error& cause);
  /// The life has come to a good end. Whether there is to be another.
  bool finished();
  /// Whether that may begin now.
  bool is_due();
  /// Whether there is to be no other life after all: the last was one restart too many.
  bool is_over() const { return supervisor_.ended(); }
  /// When it may begin; the end of time if there is to be none.
  TimePoint due() const;
  /// Why there is to be no other life, as the end of a sentence; empty if nothing is to be said.
  std::string gave_up() const;

private:
  bool ended(ExitReason reason);
  void handle(const supervision::Event& event);

  const std::string node_;
  Supervisor supervisor_;
  Incarnation incarnation_ = 0;
  bool due_ = false;
  std::string gave_up_;
};

} // namespace callboard::detail
