// SPDX-License-Identifier: Apache-2.0
#include "node_routes.hpp"

#include <callboard/log.hpp>

namespace callboard::detail {
namespace {

/// From the loss of a connection until calls in flight fail without a better reason. A process that
/// leaves a core ends long after its connections.
constexpr std::chrono::seconds verdict_patience{1};

} // namespace

NodeRoutes::NodeRoutes(
    std::shared_ptr<Network> network, std::string process, Client<LauncherControl> launcher)
    : network_(std::move(network)),
      process_(std::move(process)),
      launcher_(std::move(launcher)),
      thread_([this] { connect_all(); }) {}

NodeRoutes::~NodeRoutes() {
  close({.code = Code::unavailable, .message = "the process ends"});
}

void NodeRoutes::close(const Error& reason) {
  std::vector<std::shared_ptr<Front>> fronts;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [node, route] : routes_) {
      fronts.push_back(route.front);
    }
    changed_.notify_all();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
  for (const auto& front : fronts) {
    front->close(reason);
  }
}

std::shared_ptr<Front> NodeRoutes::front(const std::string& node) {
  std::shared_ptr<Front> front;
  {
    const std::lock_guard lock(mutex_);
    Route& route = routes_[node];
    if (route.front) {
      return route.front;
    }
    front = route.front = std::make_shared<Front>(node, network_->runtime());
  }
  const auto asked = launcher_.async<&LauncherControl::locate>(process_, node)
                         .then([this](Result<Location> place) {
                           if (place) {
                             located(std::move(*place));
                           }
                         });
  return front;
}

void NodeRoutes::located(Location location) {
  const std::lock_guard lock(mutex_);
  locations_.push_back(std::move(location));
  changed_.notify_all();
}

void NodeRoutes::gone(const std::string& node, std::int32_t life, const Error& reason) {
  std::shared_ptr<Link> link;
  {
    const std::lock_guard lock(mutex_);
    const auto route = routes_.find(node);
    if (route != routes_.end() && route->second.life == life) {
      link = route->second.link;
    }
  }
  if (link) {
    end_link(*link, reason); // all of its process has ended
  }
}

void NodeRoutes::lost(std::shared_ptr<Link> link) {
  const std::lock_guard lock(mutex_);
  lost_.push_back(
      {.link = std::move(link), .until = std::chrono::steady_clock::now() + verdict_patience});
  changed_.notify_all();
}

TimePoint NodeRoutes::next_verdict() const {
  return lost_.empty() ? TimePoint::max() : lost_.front().until;
}

/// Nobody has said how the process ended: it may be that only the connection broke.
void NodeRoutes::end_lost(std::unique_lock<std::mutex>& lock) {
  while (next_verdict() <= std::chrono::steady_clock::now()) {
    const auto link = std::move(lost_.front().link);
    lost_.pop_front();
    lock.unlock();
    end_link(
        *link,
        {.code = Code::unavailable,
         .message = "the connection to process " + process_of(*link) + " is lost"});
    lock.lock();
  }
}

void NodeRoutes::connect_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!closed_ && locations_.empty()) {
      changed_.wait_until(lock, next_verdict());
    }
    if (closed_) {
      return;
    }
    end_lost(lock);
    if (locations_.empty()) {
      continue;
    }
    const Location location = std::move(locations_.front());
    locations_.pop_front();
    lock.unlock();
    lead(location);
    lock.lock();
  }
}

void NodeRoutes::lead(const Location& location) {
  if (location.process.empty()) {
    return;
  }
  std::shared_ptr<Front> front;
  {
    const std::lock_guard lock(mutex_);
    const Route& route = routes_[location.node];
    if (!route.front || route.life >= location.life) {
      return; // it was overtaken by a later one
    }
    front = route.front;
  }
  const auto link = link_to(location);
  if (!link) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    Route& route = routes_[location.node];
    route.link = link;
    route.life = location.life;
  }
  lead_over(link, front, location.life);
}

std::shared_ptr<Link> NodeRoutes::link_to(const Location& location) {
  {
    const std::lock_guard lock(mutex_);
    if (auto link = links_[location.port].lock(); link && !has_ended(*link)) {
      return link;
    }
  }
  try {
    auto link = network_->connect(
        location.port, std::chrono::steady_clock::now() + defaults::call_deadline);
    const std::lock_guard lock(mutex_);
    links_[location.port] = link;
    return link;
  } catch (const CallError& error) {
    // It has ended meanwhile: the launcher will say where its nodes are next.
    log(LogLevel::debug, location.node, error.what());
    return nullptr;
  }
}

} // namespace callboard::detail
