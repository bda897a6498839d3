// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the lives of a program's nodes take place.
#pragma once

#include "node.hpp"

#include <memory>

namespace callboard::detail {

class ProgramRun;

/// Makes nodes live: in threads of this process, or in other processes.
class Launcher {
public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  /// Before any life.
  virtual void begin(ProgramRun& /*program*/) {}
  /// The node's next life. It has its number already.
  virtual std::shared_ptr<Life> make_life(NodeHost& host, std::shared_ptr<Node> node) = 0;
  /// All nodes have ended, or were given up: ends what they lived in.
  virtual void finish() {}
};

/// Lives are threads of this process.
std::unique_ptr<Launcher> make_thread_launcher();

} // namespace callboard::detail
