// SPDX-License-Identifier: Apache-2.0
/// @file
/// A node's life in this process: its object, its thread, its way to the end.
#pragma once

#include "node.hpp"
#include "stop_handlers.hpp"

#include <callboard/context.hpp>
#include <callboard/detail/execution.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace callboard::detail {

/// One incarnation of a node in this process. Thread-safe.
class LocalLife final : public Life,
                        public StartWatch,
                        public std::enable_shared_from_this<LocalLife> {
public:
  LocalLife(NodeHost& host, std::shared_ptr<Node> node);

  Node& node() const noexcept { return *node_; }
  NodeHost& host() const noexcept { return host_; }
  int incarnation() const noexcept { return incarnation_; }
  std::stop_token stop_token() const { return stop_.get_token(); }
  StopHandlers& handlers() noexcept { return handlers_; }

  /// What its stop handlers must not outlive.
  StopHandlers::Keep keep_for_handlers();

  void start() override;
  void start_here() override;
  void ask_to_stop() override;
  bool handlers_finished() const override { return handlers_.finished(); }
  void close(const Error& reason) override { node_->front->close(reason); }
  void hold() override { node_->front->hold(); }
  void join() override;
  void leave_behind() override;

  std::optional<Error> begin_wait(const Front& target) override;
  void end_wait() override;

private:
  std::shared_ptr<const void> keep_alive();
  void main();
  bool construct();
  ServiceInstance make_instance();
  void loop();

  NodeHost& host_;
  const std::shared_ptr<Node> node_;
  const int incarnation_;
  Context context_;
  std::stop_source stop_;
  WaitSet waits_;
  StopHandlers handlers_;
  ServiceInstance instance_;
  std::atomic<std::weak_ptr<void>> service_; ///< set by its thread, asked for by any
  std::mutex thread_mutex_; ///< it may be joined while whoever started it still looks at it
  std::thread thread_;
};

} // namespace callboard::detail
