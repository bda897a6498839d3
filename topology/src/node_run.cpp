// SPDX-License-Identifier: Apache-2.0
#include "node_run.hpp"

#include "program_run.hpp"

#include <pthread.h>

#include <algorithm>

namespace callboard::detail {

void StopHandlers::add(Keep keep, std::function<void()> handler) {
  const Lock lock(mutex_);
  handlers_.push_back(std::move(handler));
  if (asked_ && !busy_) {
    start_thread(std::move(keep));
  }
}

void StopHandlers::start(Keep keep, const Log& log, std::function<void()> when_finished) {
  const Lock lock(mutex_);
  asked_ = true;
  log_ = log;
  when_finished_ = std::move(when_finished);
  if (!handlers_.empty()) {
    start_thread(std::move(keep));
  }
}

void StopHandlers::start_thread(Keep keep) {
  if (thread_.joinable()) {
    thread_.join(); // it has finished: it is not busy
  }
  busy_ = true;
  thread_ =
      std::thread([this, node = std::move(keep.node), service = std::move(keep.service)]() mutable {
        run_all(std::move(service));
      });
  if (left_) {
    thread_.detach();
  }
}

void StopHandlers::run_here(const Log& log) {
  Lock lock(mutex_);
  log_ = log;
  run_each(lock);
}

void StopHandlers::run_each(Lock& lock) {
  while (!handlers_.empty()) {
    const auto handlers = std::exchange(handlers_, {});
    lock.unlock();
    for (const auto& handler : handlers) {
      try {
        handler();
      } catch (...) {
        log_.error("a stop handler failed: " + to_string(current_error()));
      }
    }
    lock.lock();
  }
}

void StopHandlers::run_all(std::shared_ptr<void> service) {
  Lock lock(mutex_);
  run_each(lock);
  lock.unlock();
  service.reset(); // while the node is still said to be busy
  lock.lock();
  run_each(lock);
  busy_ = false;
  const auto when_finished = when_finished_;
  lock.unlock();
  when_finished();
}

bool StopHandlers::finished() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void StopHandlers::join() {
  std::thread thread;
  {
    const Lock lock(mutex_);
    thread.swap(thread_);
    left_ = true;
  }
  if (thread.joinable()) {
    thread.join();
  }
}

void StopHandlers::leave_behind() {
  const Lock lock(mutex_);
  left_ = true;
  if (thread_.joinable()) {
    thread_.detach();
  }
}

namespace {

bool runs(const ProgramRun& program, const GroupSpec& spec) {
  const auto& disabled = program.options().disable_run;
  return spec.factory->has_run && !program.options().deterministic
      && std::find(disabled.begin(), disabled.end(), spec.options.label) == disabled.end();
}

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

NodeRun::NodeRun(ProgramRun& program, Identity identity, const GroupSpec& spec)
    : program_(program),
      identity_(std::move(identity)),
      spec_(spec),
      has_run_(runs(program, spec)),
      front_(std::make_shared<Front>(identity_.name, program.runtime())),
      metrics_(program.registry().add(
          {{"program", program.program().name()},
           {"group", identity_.group},
           {"node", identity_.name}})),
      context_(*this) {}

void NodeRun::start() {
  thread_ = std::thread([this, keep = keep_alive()] {
    name_thread(name());
    main();
  });
}

std::shared_ptr<const void> NodeRun::keep_alive() {
  using Pair = std::pair<std::shared_ptr<NodeRun>, std::shared_ptr<ProgramRun>>;
  return std::make_shared<const Pair>(shared_from_this(), program_.shared_from_this());
}

StopHandlers::Keep NodeRun::keep_for_handlers() {
  return {.node = keep_alive(), .service = service_.load().lock()};
}

void NodeRun::start_here() {
  construct();
  instance_ = {};
  program_.node_run_over(*this);
}

void NodeRun::main() {
  if (construct() && has_run_) {
    loop();
  }
  instance_ = {};
  program_.node_run_over(*this);
}

bool NodeRun::construct() {
  try {
    const ExecutionScope scope({.node = front_.get(), .waits = &waits_, .start = this});
    instance_ = make_instance();
    service_ = instance_.object;
  } catch (...) {
    program_.node_failed(*this, current_error());
    return false;
  }
  front_->serve({
      .interface = spec_.factory->interface,
      .service = instance_.service,
      .owner = own(instance_.object, keep_alive()),
      .own_thread = spec_.options.own_thread,
      .waits = &waits_,
      .on_ended =
          [self = weak_from_this()] {
            if (const auto node = self.lock()) {
              node->program_.node_closed(*node);
            }
          },
  });
  program_.node_serves(*this);
  return true;
}

ServiceInstance NodeRun::make_instance() {
  const Factory& factory = *spec_.factory;
  auto arguments = spec_.arguments;
  if (program_.options().recode) {
    arguments = factory.decode(factory.encode(arguments.get()));
  }
  return factory.create(
      context_, arguments.get(), [this](const Front& unbound) { return program_.bind(unbound); });
}

void NodeRun::loop() {
  try {
    const ExecutionScope scope({.node = front_.get(), .waits = &waits_});
    instance_.run();
  } catch (...) {
    program_.node_failed(*this, current_error());
  }
}

void NodeRun::ask_to_stop() {
  stop_.request_stop();
  waits_.cancel_all();
  if (program_.options().deterministic) {
    handlers_.run_here(context_.log());
  } else {
    handlers_.start(keep_for_handlers(), context_.log(), [this] { program_.node_changed(); });
  }
}

void NodeRun::join() {
  if (thread_.joinable()) {
    thread_.join();
  }
  handlers_.join();
}

void NodeRun::leave_behind() {
  if (thread_.joinable()) {
    thread_.detach();
  }
  handlers_.leave_behind();
}

std::optional<Error> NodeRun::begin_wait(const Front& target) {
  return program_.node_waits(*this, target);
}

void NodeRun::end_wait() {
  program_.node_waits_no_more(*this);
}

} // namespace callboard::detail
