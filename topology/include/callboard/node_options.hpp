// SPDX-License-Identifier: Apache-2.0
/// @file
/// What can be said of a group of nodes beyond its service and arguments.
#pragma once

#include <callboard/restart.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace callboard {

/// When and how often a node of a group is started again. Ends that are not its own fault, such as
/// a `CallError{unavailable}` that leaves `run` since another node has ended, are not counted.
struct RestartPolicy {
  Restart restart = Restart::transient;
  int intensity = 5; ///< after more restarts of a node than this within `period` it has failed
  std::chrono::seconds period{60};
};

/// What the failure of a node means.
enum class OnFailure : unsigned char {
  restart,      ///< it is started again, as its policy says; when that is at its end, as the next
  stop_program, ///< the program stops and tells of it
  ignore,       ///< the failure is reported, the others go on
};

/// What one node needs of its host. Part of the graph; not enforced on threads of one process.
struct Resources {
  double cpus = 1;          ///< cores, above 0
  std::uint64_t memory = 0; ///< bytes; 0: no limit
  int gpus = 0;
};

/// What can be said of a node, or of a group of nodes of one kind.
struct NodeOptions {
  std::string
      label{};      ///< the group's name: letters, digits, '_', '-' and '.', unique in the program
  int replicas = 1; ///< nodes of the group, for `add_group`
  bool own_thread = false; ///< methods run on a thread of their own and may block
  OnFailure on_failure = OnFailure::restart;
  RestartPolicy policy{};
  Resources resources{};
  std::map<std::string, std::string> environment{}; ///< variables of its process
  std::vector<std::string>
      stop_after{}; ///< labels of groups that end first, beyond those that call this one
  std::source_location where = std::source_location::current(); ///< for errors
};

/// A label alone, with the place where it was written.
struct Label {
  // NOLINTNEXTLINE(google-explicit-constructor): a label is written as a text
  Label(const char* text, std::source_location place = std::source_location::current())
      : label(text), where(place) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a label is written as a text
  Label(std::string text, std::source_location place = std::source_location::current())
      : label(std::move(text)), where(place) {}

  std::string label;
  std::source_location where;
};

} // namespace callboard
