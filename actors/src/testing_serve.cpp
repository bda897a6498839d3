// SPDX-License-Identifier: Apache-2.0
#include <callboard/log.hpp>
#include <callboard/testing/serve.hpp>

namespace callboard::testing::detail {

using callboard::detail::ActorRuntime;
using callboard::detail::Front;

ServedNode::ServedNode(std::string node, callboard::detail::Servant servant, const ServeOptions& options)
    : runtime_(ActorRuntime::make({
          .call_deadline = options.call_deadline,
          .mailbox_limit = options.mailbox_limit,
          .recode = options.recode,
          .deterministic = options.deterministic,
      })),
      front_(std::make_shared<Front>(std::move(node), runtime_)) {
  front_->serve(std::move(servant));
}

ServedNode::~ServedNode() {
  if (!runtime_) {
    return;
  }
  close();
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

}  // namespace callboard::testing::detail
