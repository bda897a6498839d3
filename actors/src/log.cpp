// SPDX-License-Identifier: Apache-2.0
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
Sink& sink() {
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

} // namespace

std::string_view to_string(LogLevel level) {
  constexpr std::array<std::string_view, 5> names{"debug", "info", "warning", "error", "off"};
  return names.at(static_cast<std::size_t>(level));
}

void set_log_level(LogLevel level) {
  threshold() = level;
}

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(sink().mutex);
  sink().custom = std::move(custom);
}

void log(LogLevel level, std::string_view node, std::string_view text) {
  if (level < threshold()) {
    return;
  }
  const std::lock_guard lock(sink().mutex);
  if (sink().custom) {
    sink().custom(level, node, text);
  } else if (node.empty()) {
    console().log(level_of(level), text);
  } else {
    console().log(level_of(level), "[{}] {}", node, text);
  }
}

} // namespace callboard
