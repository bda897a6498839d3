// SPDX-License-Identifier: Apache-2.0
/// @file
/// What nodes and Callboard itself say to a person, on standard error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace callboard {

enum class LogLevel : unsigned char { debug, info, warning, error, off };

/// "debug", "info", "warning", "error" or "off".
std::string_view to_string(LogLevel level);

/// Lines below `level` are dropped from now on. Default: info. Thread-safe.
void set_log_level(LogLevel level);

/// Receives every line that passes the level, instead of standard error; an empty function restores
/// that. Called by one thread at a time. A sink should neither throw nor log: a line at which it
/// throws, and lines that it logs itself, go to standard error. It must not call `set_log_sink`.
/// Thread-safe.
using LogSink = std::function<void(LogLevel level, std::string_view node, std::string_view text)>;
void set_log_sink(LogSink sink);

/// One line in the name of `node` (empty: Callboard itself). Thread-safe.
void log(LogLevel level, std::string_view node, std::string_view text);

/// The log of one node.
class Log {
public:
  explicit Log(std::string node) : node_(std::move(node)) {}

  void debug(std::string_view text) const { log(LogLevel::debug, node_, text); }
  void info(std::string_view text) const { log(LogLevel::info, node_, text); }
  void warning(std::string_view text) const { log(LogLevel::warning, node_, text); }
  void error(std::string_view text) const { log(LogLevel::error, node_, text); }

private:
  std::string node_;
};

} // namespace callboard
