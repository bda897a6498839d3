// SPDX-License-Identifier: Apache-2.0
#include "node_run.hpp"

#include "program_run.hpp"

#include <pthread.h>

#include <algorithm>

namespace callboard::detail {

void StopHandlers::add(std::function<void()> handler) {
  const std::lock_guard lock(mutex_);
  handlers_.push_back(std::move(handler));
  if (!asked_ || busy_) {
    return;
  }
  if (thread_.joinable()) {
    thread_.join();
  }
  busy_ = true;
  thread_ = std::thread([this] { run_all(); });
}

void StopHandlers::start(const Log& log, std::function<void()> when_finished) {
  const std::lock_guard lock(mutex_);
  asked_ = true;
  log_ = log;
  when_finished_ = std::move(when_finished);
  if (!handlers_.empty()) {
    busy_ = true;
    thread_ = std::thread([this] { run_all(); });
  }
}

void StopHandlers::run_all() {
  std::unique_lock lock(mutex_);
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
  if (thread_.joinable()) {
    thread_.join();
  }
}

void StopHandlers::leave_behind() {
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
  thread_ = std::thread([self = shared_from_this(), program = program_.shared_from_this()] {
    name_thread(self->name());
    self->main();
  });
}

void NodeRun::start_here() {
  construct();
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
    const ExecutionScope scope({.node = front_.get(), .start = this});
    instance_ =
        spec_.factory->create(context_, spec_.arguments.get(), [this](const Front& unbound) {
          return program_.bind(unbound);
        });
  } catch (...) {
    program_.node_failed(*this, current_error());
    return false;
  }
  front_->serve({
      .interface = spec_.factory->interface,
      .service = instance_.service,
      .owner = instance_.object,
      .own_thread = spec_.options.own_thread,
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
  handlers_.start(context_.log(), [this] { program_.node_changed(); });
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
