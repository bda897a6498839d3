// SPDX-License-Identifier: Apache-2.0
#include "revival.hpp"

#include <fmt/format.h>

namespace callboard::detail {
namespace {

using namespace std::chrono_literals;

/// Short enough that one restart is hardly noticed, long enough that a node which fails at once
/// does not take a core.
constexpr Backoff backoff{.initial = 5ms, .factor = 2, .maximum = 10s, .healthy = 60s};

SupervisorSpec spec_of(const RestartPolicy& policy) {
  return {.intensity = policy.intensity, .period = policy.period, .backoff = backoff};
}

/// Failures that another node's end brought about are not held against this one.
bool is_own_fault(const Error& cause, const std::string& node) {
  const bool ended = cause.code == Code::unavailable || cause.code == Code::aborted;
  return !ended || cause.node.empty() || cause.node == node;
}

} // namespace

Revival::Revival(const std::string& node, const RestartPolicy& policy)
    : node_(node), supervisor_(spec_of(policy), {{.id = node, .restart = policy.restart}}) {}

int Revival::begin() {
  if (incarnation_ == 0) {
    handle(supervision::Begin{});
  }
  due_ = false;
  return static_cast<int>(incarnation_);
}

void Revival::started() {
  handle(supervision::Started{node_, incarnation_});
}

bool Revival::failed(const Error& cause) {
  return ended(
      {.kind = ExitKind::abnormal,
       .text = to_string(cause),
       .counted = is_own_fault(cause, node_)});
}

bool Revival::finished() {
  return ended({.kind = ExitKind::normal});
}

bool Revival::ended(ExitReason reason) {
  due_ = false;
  handle(supervision::Exited{node_, incarnation_, std::move(reason)});
  return !supervisor_.ended() && (due_ || supervisor_.deadline() != TimePoint::max());
}

bool Revival::is_due() {
  if (!due_) {
    handle(supervision::Tick{});
  }
  return due_;
}

TimePoint Revival::due() const {
  return due_ ? TimePoint::max() : supervisor_.deadline();
}

std::string Revival::gave_up() const {
  return gave_up_;
}

void Revival::handle(const supervision::Event& event) {
  for (const auto& action : supervisor_.handle(event, std::chrono::steady_clock::now())) {
    if (const auto* start = std::get_if<supervision::Start>(&action)) {
      incarnation_ = start->incarnation;
      due_ = true;
    } else if (const auto* end = std::get_if<supervision::Terminated>(&action)) {
      const bool too_often = end->cause == supervision::EndCause::intensity_reached;
      gave_up_ = too_often ? fmt::format(
                     "; it is not started again, since it was {} times within {} s",
                     end->restarts.size(),
                     std::chrono::duration_cast<std::chrono::seconds>(end->limit.period).count())
                           : std::string();
    }
  }
}

} // namespace callboard::detail
