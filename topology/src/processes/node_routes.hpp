// SPDX-License-Identifier: Apache-2.0
/// @file
/// The nodes of other processes, as a worker sees them.
#pragma once

#include "control.hpp"

#include <callboard/client.hpp>
#include <callboard/detail/network.hpp>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace callboard::detail {

/// Keeps the fronts of nodes that live in other processes, and leads them to where these are. A
/// thread of its own makes links, since that blocks. Thread-safe.
class NodeRoutes {
public:
  NodeRoutes(
      std::shared_ptr<Network> network, std::string process, Client<LauncherControl> launcher);
  NodeRoutes(const NodeRoutes&) = delete;
  NodeRoutes& operator=(const NodeRoutes&) = delete;
  ~NodeRoutes();

  /// The front of the node; made, and the launcher asked where the node is, the first time.
  std::shared_ptr<Front> front(const std::string& node);
  void located(Location location);
  /// The connection to a process is lost: calls in flight fail with how it ended, as soon as that
  /// is known.
  void lost(std::shared_ptr<Link> link);
  void gone(const std::string& node, std::int32_t life, const Error& reason);
  /// Calls to nodes elsewhere fail with `reason` from now on.
  void close(const Error& reason);

private:
  struct Route {
    std::shared_ptr<Front> front;
    std::shared_ptr<Link> link;
    std::int32_t life = 0; ///< of the process that it leads to, or last led to
  };

  struct Lost {
    std::shared_ptr<Link> link;
    TimePoint until; ///< somebody must have said why
  };

  void connect_all();
  TimePoint next_verdict() const;
  void end_lost(std::unique_lock<std::mutex>& lock);
  void lead(const Location& location);
  std::shared_ptr<Link> link_to(const Location& location);

  const std::shared_ptr<Network> network_;
  const std::string process_;
  const Client<LauncherControl> launcher_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  std::map<std::string, Route> routes_;
  std::map<std::uint16_t, std::weak_ptr<Link>> links_; ///< by the port of the other process
  std::deque<Location> locations_;
  std::deque<Lost> lost_; ///< in the order of their times
  std::thread thread_;
};

} // namespace callboard::detail
