// SPDX-License-Identifier: Apache-2.0
#include "held_nodes.hpp"

#include <callboard/detail/execution.hpp>
#include <callboard/detail/front.hpp>

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

namespace callboard::detail {
namespace {

struct HeldNodes {
  std::mutex mutex;
  std::unordered_map<const Front*, const Front*> waits_for;
};

// Never destroyed: threads may wait while the process ends.
HeldNodes& held_nodes() {
  static auto* const instance = new HeldNodes;
  return *instance;
}

/// The nodes from `target` to `waiting` of which each waits for the next; empty if it ends before.
std::vector<const Front*> path(const HeldNodes& nodes, const Front* target, const Front* waiting) {
  std::vector<const Front*> path{target};
  while (path.back() != waiting) {
    const auto next = nodes.waits_for.find(path.back());
    if (next == nodes.waits_for.end()) {
      return {};
    }
    path.push_back(next->second);
  }
  return path;
}

/// A deferred reply may come from anywhere, so that its node need not be free for it.
bool needs_its_node(const CallState& call) {
  return call.method != nullptr && call.target && !call.method->deferred;
}

} // namespace

HeldNodeScope::HeldNodeScope(CallState& call) {
  const Execution& here = this_execution();
  if (here.executor == nullptr || !needs_its_node(call)) {
    return;
  }
  HeldNodes& nodes = held_nodes();
  std::unique_lock lock(nodes.mutex);
  const auto cycle = path(nodes, call.target, here.node);
  if (!cycle.empty()) {
    lock.unlock();
    call.fail(cycle_error(cycle));
    return;
  }
  held_ = here.node;
  nodes.waits_for[held_] = call.target;
}

HeldNodeScope::~HeldNodeScope() {
  if (held_ != nullptr) {
    const std::lock_guard lock(held_nodes().mutex);
    held_nodes().waits_for.erase(held_);
  }
}

Error cycle_error(const std::vector<const Front*>& waiting) {
  std::string text;
  for (const Front* node : waiting) {
    text += node->node() + " → ";
  }
  return {
      .code = Code::failed_precondition,
      .message = fmt::format(
          "call cycle {}{}: each waits for the next; make one of these methods a Task",
          text,
          waiting.front()->node()),
  };
}

} // namespace callboard::detail
