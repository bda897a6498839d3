// SPDX-License-Identifier: Apache-2.0
#include "local_life.hpp"

#include <callboard/context.hpp>

#include <condition_variable>

namespace callboard {

const std::string& Context::node() const {
  return life_.node().name();
}

Rank Context::rank() const {
  return life_.node().rank();
}

int Context::incarnation() const {
  return life_.incarnation();
}

std::uint64_t Context::seed() const {
  return life_.node().identity.seed;
}

std::uint64_t Context::program_seed() const {
  return life_.host().options().seed;
}

std::vector<int> Context::gpus() const {
  return {}; // threads of one process share what the process has
}

bool Context::stopping() const {
  return life_.stop_token().stop_requested();
}

bool Context::wait_for_stop(Duration patience) const {
  const std::stop_token token = life_.stop_token();
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
  return life_.stop_token();
}

void Context::on_stop(std::function<void()> handler) {
  life_.handlers().add(life_.keep_for_handlers(), std::move(handler));
}

void Context::stop(const std::string& reason, int status) {
  life_.host().stop(life_.node().name(), reason, status);
}

MetricSet& Context::metrics() const {
  return *life_.node().metrics;
}

Log Context::log() const {
  return Log(life_.node().name());
}

} // namespace callboard
