// SPDX-License-Identifier: Apache-2.0
#include <callboard/log.hpp>
#include <callboard/supervisor_loop.hpp>

#include <fmt/format.h>
#include <pthread.h>

namespace callboard {
namespace {

/// Does what the driver should not fail at.
template <class F>
void attempt(const char* what, const std::string& id, F f) {
  try {
    f();
  } catch (...) {
    const std::string text = fmt::format("{} {}: {}", what, id, to_string(current_error()));
    log(LogLevel::error, {}, text);
  }
}

} // namespace

SupervisorLoop::SupervisorLoop(
    SupervisorSpec spec, std::vector<ChildSpec> children, ChildDriver& driver)
    : driver_(driver), supervisor_(spec, std::move(children)), thread_([this] { run(); }) {
  pthread_setname_np(thread_.native_handle(), "cb-supervisor");
}

SupervisorLoop::~SupervisorLoop() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

// --- from any thread
// ------------------------------------------------------------------------------

void SupervisorLoop::post(supervision::Event event) {
  const std::lock_guard lock(mutex_);
  if (!end_) {
    inbox_.push_back(std::move(event));
    changed_.notify_all();
  }
}

void SupervisorLoop::start() {
  post(supervision::Begin{});
}

void SupervisorLoop::stop() {
  post(supervision::Stop{});
}

void SupervisorLoop::started(const std::string& id, Incarnation incarnation) {
  post(supervision::Started{id, incarnation});
}

void SupervisorLoop::ignored(const std::string& id, Incarnation incarnation) {
  post(supervision::Ignored{id, incarnation});
}

void SupervisorLoop::start_failed(
    const std::string& id, Incarnation incarnation, ExitReason reason) {
  post(supervision::StartFailed{id, incarnation, std::move(reason)});
}

void SupervisorLoop::exited(const std::string& id, Incarnation incarnation, ExitReason reason) {
  post(supervision::Exited{id, incarnation, std::move(reason)});
}

std::vector<ChildInfo> SupervisorLoop::children() const {
  const std::lock_guard lock(mutex_);
  return supervisor_.children();
}

ChildCounts SupervisorLoop::count_children() const {
  const std::lock_guard lock(mutex_);
  return supervisor_.count_children();
}

// --- what waits
// -----------------------------------------------------------------------------------

void SupervisorLoop::check_thread() const {
  if (std::this_thread::get_id() == thread_.get_id()) {
    throw CallError(
        Code::failed_precondition,
        "a supervisor's driver can't wait for its supervisor; let another thread do so");
  }
}

bool SupervisorLoop::wait_until_ready(TimePoint deadline) const {
  check_thread();
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return ready_ || end_; });
  return ready_ && !end_;
}

std::optional<supervision::Terminated> SupervisorLoop::wait(TimePoint deadline) const {
  check_thread();
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return end_.has_value(); });
  return end_;
}

template <class Request>
std::future<supervision::Reply> SupervisorLoop::send(Request request) {
  const std::lock_guard lock(mutex_);
  request.request = ++last_request_;
  std::promise<supervision::Reply>& answer = answers_[last_request_];
  std::future<supervision::Reply> reply = answer.get_future();
  if (end_) {
    answer.set_value({.request = last_request_, .outcome = supervision::Outcome::terminated});
    answers_.clear();
  } else {
    inbox_.emplace_back(std::move(request));
    changed_.notify_all();
  }
  return reply;
}

template <class Request>
supervision::Reply SupervisorLoop::ask(Request request, Duration patience) {
  check_thread();
  const TimePoint deadline = detail::deadline_after(std::chrono::steady_clock::now(), patience);
  std::future<supervision::Reply> reply = send(std::move(request));
  if (reply.wait_until(deadline) == std::future_status::timeout) {
    throw CallError(
        Code::deadline_exceeded, "the supervisor has not answered in time; it may do so later");
  }
  return reply.get();
}

supervision::Reply SupervisorLoop::start_child(ChildSpec child, Duration patience) {
  return ask(supervision::StartChild{.child = std::move(child)}, patience);
}

supervision::Reply SupervisorLoop::start_instance(std::any arguments, Duration patience) {
  return ask(supervision::StartInstance{.arguments = std::move(arguments)}, patience);
}

supervision::Reply SupervisorLoop::terminate_child(const std::string& id, Duration patience) {
  return ask(supervision::TerminateChild{.id = id}, patience);
}

supervision::Reply SupervisorLoop::restart_child(const std::string& id, Duration patience) {
  return ask(supervision::RestartChild{.id = id}, patience);
}

supervision::Reply SupervisorLoop::delete_child(const std::string& id, Duration patience) {
  return ask(supervision::DeleteChild{.id = id}, patience);
}

// --- on the loop's thread
// -------------------------------------------------------------------------

void SupervisorLoop::run() {
  std::unique_lock lock(mutex_);
  while (!end_ && !abandoned_) {
    const supervision::Actions actions = decide(lock);
    lock.unlock();
    for (const supervision::Action& action : actions) {
      std::visit([this](const auto& what) { perform(what); }, action);
    }
    lock.lock();
  }
  kill_all(lock);
  for (auto& [request, answer] : answers_) {
    answer.set_value({.request = request, .outcome = supervision::Outcome::terminated});
  }
  answers_.clear();
}

/// Waits for something to happen, be it that time passes.
supervision::Actions SupervisorLoop::decide(std::unique_lock<std::mutex>& lock) {
  const TimePoint deadline = supervisor_.deadline();
  changed_.wait_until(lock, deadline, [this] { return !inbox_.empty() || abandoned_; });
  supervision::Event event = supervision::Tick{};
  if (!inbox_.empty()) {
    event = std::move(inbox_.front());
    inbox_.pop_front();
  }
  return supervisor_.handle(event, std::chrono::steady_clock::now());
}

void SupervisorLoop::kill_all(std::unique_lock<std::mutex>& lock) {
  std::vector<ChildInfo> left = supervisor_.children();
  lock.unlock();
  for (const ChildInfo& child : left) {
    if (child.incarnation) {
      perform(supervision::Kill{child.id, *child.incarnation});
    }
  }
  lock.lock();
}

void SupervisorLoop::perform(const supervision::Start& start) {
  try {
    driver_.start(start);
  } catch (...) {
    start_failed(start.id, start.incarnation, {.text = to_string(current_error())});
  }
}

void SupervisorLoop::perform(const supervision::RequestStop& stop) {
  attempt("request to stop", stop.id, [&] { driver_.request_stop(stop); });
}

void SupervisorLoop::perform(const supervision::Kill& kill) {
  attempt("kill", kill.id, [&] { driver_.kill(kill); });
}

void SupervisorLoop::perform(const supervision::Ready&) {
  attempt("ready", {}, [&] { driver_.ready(); });
  const std::lock_guard lock(mutex_);
  ready_ = true;
  changed_.notify_all();
}

void SupervisorLoop::perform(const supervision::Reply& reply) {
  const std::lock_guard lock(mutex_);
  const auto answer = answers_.find(reply.request);
  answer->second.set_value(reply);
  answers_.erase(answer);
}

void SupervisorLoop::perform(const supervision::GaveUp& gave_up) {
  attempt("gave up", gave_up.id, [&] { driver_.gave_up(gave_up); });
}

void SupervisorLoop::perform(const supervision::Terminated& end) {
  attempt("terminated", end.child, [&] { driver_.terminated(end); });
  const std::lock_guard lock(mutex_);
  end_ = end;
  changed_.notify_all();
}

} // namespace callboard
