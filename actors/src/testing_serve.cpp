// SPDX-License-Identifier: Apache-2.0
#include <callboard/log.hpp>
#include <callboard/testing/serve.hpp>

#include <fmt/format.h>

#include <map>

namespace callboard::testing::detail {

using callboard::detail::ActorRuntime;
using callboard::detail::Front;

namespace {

/// What is served in this process. Thread-safe.
class ServedNodes {
public:
  static ServedNodes& instance() {
    static auto* const nodes = new ServedNodes;
    return *nodes;
  }

  std::shared_ptr<Front> add(
      std::string_view label, std::string name, std::shared_ptr<ActorRuntime> runtime) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; name.empty(); ++i) {
      auto candidate = fmt::format("{}/{}", label, i);
      name = fronts_.contains(candidate) ? std::string() : std::move(candidate);
    }
    auto front = std::make_shared<Front>(name, std::move(runtime));
    if (!fronts_.emplace(name, front).second) {
      throw CallError(Code::already_exists, fmt::format("a node is served as {} already", name));
    }
    return front;
  }

  void remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    fronts_.erase(name);
  }

  std::shared_ptr<Front> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = fronts_.find(name);
    return found == fronts_.end() ? nullptr : found->second.lock();
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Front>, std::less<>> fronts_;
};

} // namespace

std::shared_ptr<Front> find_served(const std::string& node) {
  return ServedNodes::instance().find(node);
}

ServedNode::ServedNode(
    std::string_view label, callboard::detail::Servant servant, const ServeOptions& options)
    : runtime_(ActorRuntime::make({
        .call_deadline = options.call_deadline,
        .mailbox_limit = options.mailbox_limit,
        .recode = options.recode,
        .deterministic = options.deterministic,
    })),
      front_(ServedNodes::instance().add(label, options.node, runtime_)) {
  runtime_->set_directory([](const std::string& name) { return find_served(name); });
  front_->serve(std::move(servant));
}

ServedNode::~ServedNode() {
  if (!runtime_) {
    return;
  }
  close();
  ServedNodes::instance().remove(front_->node());
  if (!runtime_->close(std::chrono::steady_clock::now() + defaults::call_deadline)) {
    log(LogLevel::error, front_->node(), "a method never returned; its thread is left behind");
  }
}

void ServedNode::close() {
  front_->close({.code = Code::unavailable, .message = front_->node() + " has been closed"});
}

void ServedNode::advance(Duration duration) {
  runtime_->advance(duration);
}

} // namespace callboard::testing::detail
