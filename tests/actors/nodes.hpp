// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: several services on one runtime, as in a program.
#pragma once

#include <callboard/client.hpp>
#include <callboard/detail/front.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callboard {

class Nodes {
public:
  explicit Nodes(const detail::RuntimeOptions& options = {})
      : runtime_(detail::ActorRuntime::make(options)) {}
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  ~Nodes() {
    for (const auto& front : fronts_) {
      front->close({.code = Code::unavailable, .message = "the test is over"});
    }
    EXPECT_TRUE(runtime_->close(std::chrono::steady_clock::now() + std::chrono::minutes(1)));
  }

  /// Serves `service` under that name.
  template <class S>
  Client<S> add(std::string name, std::shared_ptr<S> service, bool own_thread = false) {
    auto front = std::make_shared<detail::Front>(std::move(name), runtime_);
    S* const object = service.get();
    front->serve({
        .interface = &detail::interface_of<S>(),
        .service = object,
        .owner = std::move(service),
        .own_thread = own_thread,
    });
    fronts_.push_back(front);
    return Client<S>(std::move(front));
  }

  detail::ActorRuntime& runtime() { return *runtime_; }

private:
  std::shared_ptr<detail::ActorRuntime> runtime_;
  std::vector<std::shared_ptr<detail::Front>> fronts_;
};

} // namespace callboard
