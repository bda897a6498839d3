// SPDX-License-Identifier: Apache-2.0
#include "program_run.hpp"

#include <callboard/context.hpp>

#include <condition_variable>

namespace callboard {

const std::string& Context::node() const {
  return node_.name();
}

Rank Context::rank() const {
  return node_.rank();
}

int Context::incarnation() const {
  return 1; // nodes that are threads live once
}

std::uint64_t Context::seed() const {
  return node_.identity().seed;
}

std::uint64_t Context::program_seed() const {
  return node_.program().options().seed;
}

std::vector<int> Context::gpus() const {
  return {}; // threads of one process share what the process has
}

bool Context::stopping() const {
  return node_.stop_token().stop_requested();
}

bool Context::wait_for_stop(Duration patience) const {
  const std::stop_token token = node_.stop_token();
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  const auto never = [] { return false; };
  if (patience == forever) {
    changed.wait(lock, token, never);
  } else {
    const auto now = std::chrono::steady_clock::now();
    changed.wait_until(lock, token, detail::deadline_after(now, patience), never);
  }
  return token.stop_requested();
}

std::stop_token Context::stop_token() const {
  return node_.stop_token();
}

void Context::on_stop(std::function<void()> handler) {
  node_.handlers().add(node_.keep_for_handlers(), std::move(handler));
}

void Context::stop(const std::string& reason, int status) {
  node_.program().stop(node_.name(), reason, status);
}

MetricSet& Context::metrics() const {
  return node_.metrics();
}

Log Context::log() const {
  return Log(node_.name());
}

} // namespace callboard
