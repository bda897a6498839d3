// SPDX-License-Identifier: Apache-2.0
/// @file
/// A node's life in another process, as the launcher sees it.
#pragma once

#include "process_launcher.hpp"

#include <atomic>

namespace callboard::detail {

/// Passes on what the conductor asks, and keeps what the other process has said.
class RemoteLife final : public Life {
public:
  RemoteLife(ProcessLauncher& launcher, std::shared_ptr<Node> node)
      : launcher_(launcher), node_(std::move(node)), incarnation_(node_->incarnation) {}

  Node& node() const noexcept { return *node_; }
  int incarnation() const noexcept { return incarnation_; }
  void set_handlers_over() noexcept { handlers_over_ = true; }

  void start() override { launcher_.start_node(*node_); }
  void start_here() override { start(); }
  void ask_to_stop() override {
    handlers_over_ = false;
    if (!launcher_.tell<&WorkerControl::ask_to_stop>(node_->name(), node_->name())) {
      handlers_over_ = true;
    }
  }
  bool handlers_finished() const override { return handlers_over_; }
  void close(const Error& reason) override {
    node_->front->close(reason);
    launcher_.tell<&WorkerControl::close>(node_->name(), node_->name(), reason);
  }
  void hold() override { launcher_.tell<&WorkerControl::hold>(node_->name(), node_->name()); }
  void join() override {}
  void leave_behind() override { launcher_.kill_process_of(node_->name()); }

private:
  ProcessLauncher& launcher_;
  const std::shared_ptr<Node> node_;
  const int incarnation_;
  std::atomic<bool> handlers_over_{true};
};

} // namespace callboard::detail
