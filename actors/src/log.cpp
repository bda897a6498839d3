// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>
#include <callboard/log.hpp>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

namespace callboard {
namespace {

struct Sink {
  std::mutex mutex;
  LogSink custom;
};

// Never destroyed: threads may log while the process ends.
Sink& current_sink() {
  static auto* const instance = new Sink;
  return *instance;
}

spdlog::logger& console() {
  static auto* const instance = [] {
    auto* logger =
        new spdlog::logger("callboard", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    logger->set_level(spdlog::level::trace);
    return logger;
  }();
  return *instance;
}

std::atomic<LogLevel>& threshold() {
  static std::atomic<LogLevel> level{LogLevel::info};
  return level;
}

spdlog::level::level_enum level_of(LogLevel level) {
  constexpr std::array levels{
      spdlog::level::debug,
      spdlog::level::info,
      spdlog::level::warn,
      spdlog::level::err,
      spdlog::level::off};
  return levels.at(static_cast<std::size_t>(level));
}

void write_to_console(LogLevel level, std::string_view node, std::string_view text) {
  if (node.empty()) {
    console().log(level_of(level), text);
  } else {
    console().log(level_of(level), "[{}] {}", node, text);
  }
}

/// Whether this thread is in the sink.
constinit thread_local bool in_sink = false;

void write_to_sink(
    const LogSink& sink, LogLevel level, std::string_view node, std::string_view text) {
  in_sink = true;
  try {
    sink(level, node, text);
  } catch (...) {
    write_to_console(level, node, text);
    write_to_console(LogLevel::error, "", "the log's sink threw: " + to_string(current_error()));
  }
  in_sink = false;
}

} // namespace

std::string_view to_string(LogLevel level) {
  constexpr std::array<std::string_view, 5> names{"debug", "info", "warning", "error", "off"};
  return names.at(static_cast<std::size_t>(level));
}

void set_log_level(LogLevel level) {
  threshold() = level;
}

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(current_sink().mutex);
  current_sink().custom = std::move(sink);
}

void log(LogLevel level, std::string_view node, std::string_view text) {
  if (level < threshold()) {
    return;
  }
  if (in_sink) {
    write_to_console(level, node, text);
    return;
  }
  const std::lock_guard lock(current_sink().mutex);
  if (current_sink().custom) {
    write_to_sink(current_sink().custom, level, node, text);
  } else {
    write_to_console(level, node, text);
  }
}

} // namespace callboard
