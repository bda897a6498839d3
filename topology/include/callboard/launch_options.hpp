// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a program is launched: what Callboard's own flags say.
#pragma once

#include <callboard/log.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace callboard {

/// Where the nodes of a program run.
enum class Launch {
  threads,   ///< all in this process
  processes, ///< each in a process of its own, on this host
  graph,     ///< nowhere: the graph is printed
};

/// What a printed graph is written in.
enum class GraphFormat { dot, json };

/// One field for each flag: `log_level` is set by `--log-level`.
struct LaunchOptions {
  Launch launch = Launch::threads;            ///< --launch=threads|processes|graph
  GraphFormat format = GraphFormat::dot;      ///< --format=dot|json, for --launch=graph
  LogLevel log_level = LogLevel::info;        ///< --log-level=debug|info|warning|error|off
  std::chrono::milliseconds deadline{10'000}; ///< how long a call may take unless it says otherwise
  std::chrono::milliseconds grace{10'000};    ///< how long nodes may take to end after a stop
  std::string run_folder{};  ///< --run-folder: for what the run leaves; empty: a new one below /tmp
  std::uint64_t seed = 1;    ///< of all random numbers: the same seed, the same run
  std::string config_file{}; ///< --config: the YAML file read; empty: none
  std::vector<std::string> assignments{}; ///< --set: each as "name=value", in order
};

} // namespace callboard
