// SPDX-License-Identifier: Apache-2.0
#include "local_life.hpp"

#include <callboard/running.hpp>

#include <pthread.h>

#include <algorithm>

namespace callboard::detail {

namespace {

/// The service, and, longer than it, what it refers to.
std::shared_ptr<void> own(std::shared_ptr<void> service, std::shared_ptr<const void> longer) {
  struct Owned {
    std::shared_ptr<const void> longer;
    std::shared_ptr<void> service; // goes first
  };
  return std::make_shared<Owned>(Owned{std::move(longer), std::move(service)});
}

void name_thread(const std::string& name) {
  constexpr std::size_t longest = 15; // what Linux keeps of a thread's name
  pthread_setname_np(pthread_self(), name.substr(0, longest).c_str());
}

} // namespace

LocalLife::LocalLife(NodeHost& host, std::shared_ptr<Node> node)
    : host_(host), node_(std::move(node)), incarnation_(node_->incarnation), context_(*this) {}

void LocalLife::start() {
  const std::lock_guard lock(thread_mutex_);
  thread_ = std::thread([this, keep = keep_alive()] {
    name_thread(node_->name());
    main();
  });
}

std::shared_ptr<const void> LocalLife::keep_alive() {
  using Pair = std::pair<std::shared_ptr<LocalLife>, std::shared_ptr<NodeHost>>;
  return std::make_shared<const Pair>(shared_from_this(), host_.shared_from_this());
}

StopHandlers::Keep LocalLife::keep_for_handlers() {
  return {.node = keep_alive(), .service = service_.load().lock()};
}

void LocalLife::start_here() {
  construct();
  instance_ = {};
  host_.node_run_over(*node_);
}

void LocalLife::main() {
  if (construct() && node_->has_run) {
    loop();
  }
  instance_ = {};
  host_.node_run_over(*node_);
}

bool LocalLife::construct() {
  try {
    const ExecutionScope scope({.node = node_->front.get(), .waits = &waits_, .start = this});
    instance_ = make_instance();
    service_ = instance_.object;
  } catch (...) {
    host_.node_failed(*node_, current_error());
    return false;
  }
  node_->front->serve({
      .interface = node_->spec.factory->interface,
      .service = instance_.service,
      .owner = own(instance_.object, keep_alive()),
      .own_thread = node_->spec.options.own_thread,
      .waits = &waits_,
      .on_ended =
          [self = weak_from_this()] {
            if (const auto life = self.lock()) {
              life->host_.node_closed(*life->node_);
            }
          },
  });
  host_.node_serves(*node_);
  return true;
}

ServiceInstance LocalLife::make_instance() {
  const Factory& factory = *node_->spec.factory;
  auto arguments = node_->spec.arguments;
  if (host_.options().recode) {
    arguments = factory.decode(factory.encode(arguments.get()));
  }
  return factory.create(
      context_, arguments.get(), [this](const Front& unbound) { return host_.bind(unbound); });
}

void LocalLife::loop() {
  try {
    const ExecutionScope scope({.node = node_->front.get(), .waits = &waits_});
    instance_.run();
  } catch (...) {
    host_.node_failed(*node_, current_error());
  }
}

void LocalLife::ask_to_stop() {
  stop_.request_stop();
  waits_.cancel_all();
  if (host_.options().deterministic) {
    handlers_.run_here(context_.log());
  } else {
    handlers_.start(keep_for_handlers(), context_.log(), [this] { host_.node_changed(); });
  }
}

void LocalLife::join() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) {
    thread_.join();
  }
  handlers_.join();
}

void LocalLife::leave_behind() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) {
    thread_.detach();
  }
  handlers_.leave_behind();
}

std::optional<Error> LocalLife::begin_wait(const Front& target) {
  return host_.node_waits(*node_, target);
}

void LocalLife::end_wait() {
  host_.node_waits_no_more(*node_);
}

} // namespace callboard::detail
