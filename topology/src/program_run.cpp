// SPDX-License-Identifier: Apache-2.0
#include "program_run.hpp"

#include <callboard/testing/serve.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {
namespace {

RuntimeOptions runtime_options(const StartOptions& options) {
  return {
      .threads = options.threads,
      .call_deadline = options.deadline,
      .recode = options.recode,
      .deterministic = options.deterministic,
      .network = options.network,
  };
}

/// Errors that are no failure of a node that is being stopped: what it waited for was taken away.
bool is_end_of_wait(const Error& error) {
  return error.code == Code::cancelled || error.code == Code::unavailable
      || error.code == Code::aborted;
}

} // namespace

ProgramRun::ProgramRun(
    Program program, const StartOptions& options, std::unique_ptr<Launcher> launcher)
    : program_(std::move(program)),
      options_(options),
      started_at_(std::chrono::steady_clock::now()),
      launcher_(std::move(launcher)),
      runtime_(ActorRuntime::make(runtime_options(options))) {
  for (const GroupSpec& spec : program_.groups()) {
    add_nodes(spec, 0, spec.options.replicas);
  }
  index_nodes();
}

ProgramRun::~ProgramRun() = default;

void ProgramRun::start() {
  // The runtime outlives this only when a stubborn node keeps its threads; then it must not come
  // back here.
  runtime_->set_directory(
      [self = weak_from_this()](const std::string& node) -> std::shared_ptr<Front> {
        const auto program = std::static_pointer_cast<ProgramRun>(self.lock());
        const auto found = program ? program->find(node) : nullptr;
        return found ? found->front : nullptr;
      });
  launcher_->begin(*this);
  if (options_.deterministic) {
    Lock lock(mutex_);
    start_ready(lock);
    return;
  }
  conductor_ = std::thread(
      [self = std::static_pointer_cast<ProgramRun>(shared_from_this())] { self->conduct(); });
}

void ProgramRun::add_nodes(const GroupSpec& spec, int first, int last) {
  for (int i = first; i < last; ++i) {
    NodePtr node = make_node(spec, i);
    by_name_.emplace(node->name(), node);
    nodes_.push_back(std::move(node));
  }
  tell_group_size(spec.options.label, last);
}

void ProgramRun::tell_group_size(const std::string& group, int size) {
  for (const NodePtr& node : group_nodes(group)) {
    node->group_size = size;
  }
}

ProgramRun::NodePtr ProgramRun::make_node(const GroupSpec& spec, int index) {
  const std::string& label = spec.options.label;
  std::string name = node_name(label, index);
  const std::uint64_t seed = seed_of(options_.seed, name);
  auto front = std::make_shared<Front>(name, runtime_);
  auto metrics = registry_.add({{"program", program_.name()}, {"group", label}, {"node", name}});
  auto node = std::make_shared<Node>(
      Identity{
          .name = std::move(name),
          .group = label,
          .index = index,
          .seed = seed,
      },
      spec,
      std::move(front),
      std::move(metrics));
  node->has_run = runs_loop(spec, options_);
  return node;
}

/// Computes the orders of start and end anew.
void ProgramRun::index_nodes() {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    index.emplace(nodes_[i]->name(), i);
  }
  targets_.assign(nodes_.size(), {});
  Adjacency end_order(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::string& target : nodes_[i]->spec.targets) {
      if (const auto found = index.find(target); found != index.end()) {
        targets_[i].push_back(found->second);
        end_order[i].push_back(found->second);
      }
    }
    for (const std::string& label : nodes_[i]->spec.options.stop_after) {
      for (const NodePtr& node : group_nodes(label)) {
        end_order[index.at(node->name())].push_back(i);
      }
    }
  }
  start_component_ = components(targets_);
  end_component_ = components(end_order);
  members_.assign(nodes_.size(), {});
  before_.assign(nodes_.size(), {});
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    members_[end_component_[i]].push_back(i);
    for (const std::size_t later : end_order[i]) {
      if (end_component_[later] != end_component_[i]) {
        before_[end_component_[later]].push_back(i);
      }
    }
  }
}

std::shared_ptr<Node> ProgramRun::find_locked(const std::string& node) const {
  const auto found = by_name_.find(node);
  return found == by_name_.end() ? nullptr : found->second;
}

std::shared_ptr<Node> ProgramRun::find(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  return find_locked(node);
}

std::shared_ptr<Life> ProgramRun::life_of(const Node& node) const {
  const std::lock_guard lock(mutex_);
  return node.life;
}

std::shared_ptr<Life> ProgramRun::life_of(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto found = find_locked(node);
  return found ? found->life : nullptr;
}

ProgramRun::Nodes ProgramRun::group_nodes(const std::string& group) const {
  Nodes members;
  std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(members), [&](const NodePtr& node) {
    return node->identity.group == group;
  });
  return members;
}

/// Deterministic: there is no conductor, so whoever waits ends the program.
void ProgramRun::end_here(Lock& lock) {
  if (options_.deterministic && stopping_ && !ended_) {
    end_all(lock);
  }
}

int ProgramRun::wait() {
  Lock lock(mutex_);
  end_here(lock);
  if (options_.deterministic && !ended_) {
    throw CallError(
        Code::failed_precondition,
        "a deterministic program has no loops whose end could be awaited: call stop before wait");
  }
  changed_.wait(lock, [this] { return ended_; });
  return status_;
}

bool ProgramRun::wait_for(Duration patience) {
  Lock lock(mutex_);
  end_here(lock);
  if (options_.deterministic) {
    return ended_;
  }
  const TimePoint until = deadline_after(std::chrono::steady_clock::now(), patience);
  return changed_.wait_until(lock, until, [this] { return ended_; });
}

void ProgramRun::wait_group(const std::string& group) {
  Lock lock(mutex_);
  if (group_nodes(group).empty()) {
    throw CallError(
        Code::not_found, fmt::format("program \"{}\" has no group {}", program_.name(), group));
  }
  changed_.wait(lock, [&] {
    const Nodes members = group_nodes(group);
    return ended_ || failed_
        || std::all_of(
               members.begin(), members.end(), [](const NodePtr& node) { return node->run_over; });
  });
  if (failed_) {
    const auto root = std::find_if(failures_.begin(), failures_.end(), [](const Failure& failure) {
      return !failure.restarted;
    });
    throw CallError(root->cause);
  }
}

void ProgramRun::stop(const std::string& node, const std::string& reason, int status) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) {
    stopping_ = true;
    stop_reason_ = node.empty() || reason.empty() ? reason : node + ": " + reason;
    reason_ = reason.empty() && !node.empty() ? node + " asked for it" : stop_reason_;
    status_ = status;
    changed_.notify_all();
  }
}

std::string ProgramRun::stop_reason() const {
  const std::lock_guard lock(mutex_);
  return stop_reason_;
}

void ProgramRun::finish() {
  stop("", "its owner let go of it", exit_status::clean);
  wait();
  if (conductor_.joinable()) {
    conductor_.join();
  }
  const Duration patience = stubborn().empty() ? options_.grace : Duration::zero();
  launcher_->finish();
  runtime_->close(deadline_after(std::chrono::steady_clock::now(), patience));
}

std::vector<NodeStatus> ProgramRun::status() const {
  const std::lock_guard lock(mutex_);
  std::vector<NodeStatus> all;
  all.reserve(nodes_.size());
  for (const NodePtr& node : nodes_) {
    const FrontCounts counts = node->remote_counts.value_or(node->front->counts());
    all.push_back({
        .name = node->name(),
        .group = node->identity.group,
        .state = node->state,
        .incarnation = node->incarnation,
        .calls = counts.calls,
        .waiting = counts.waiting,
    });
  }
  return all;
}

std::vector<Failure> ProgramRun::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

std::vector<std::string> ProgramRun::stubborn() const {
  const std::lock_guard lock(mutex_);
  return stubborn_;
}

void ProgramRun::node_serves(Node& node) {
  const std::lock_guard lock(mutex_);
  node.ready = true;
  node.state = node.told ? NodeState::stopping
      : node.has_run     ? NodeState::running
                         : NodeState::serving;
  node.revival.started();
  changed_.notify_all();
}

void ProgramRun::node_failed(Node& node, Error cause) {
  const bool at_start = !node.ready;
  const std::string what = to_string(cause);
  if (cause.node.empty()) {
    cause.node = node.name();
  }
  const std::string text =
      fmt::format("{} failed{}: {}", node.name(), at_start ? " to start" : "", what);
  const Duration at = std::chrono::steady_clock::now() - started_at_;
  bool stops = false;
  bool restarts = false;
  {
    const std::lock_guard lock(mutex_);
    if ((stopping_ || failed_) && is_end_of_wait(cause)) {
      return;
    }
    restarts = decide_restart(node, cause);
    node.state = restarts ? NodeState::restarting : NodeState::failed;
    stops = !restarts && !failed_ && node.spec.options.on_failure != OnFailure::ignore;
    failed_ = failed_ || stops;
    failures_.push_back({
        .node = node.name(),
        .incarnation = node.incarnation,
        .cause = std::move(cause),
        .at = at,
        .restarted = restarts,
    });
  }
  log(restarts ? LogLevel::warning : LogLevel::error,
      node.name(),
      fmt::format(
          "{}: {}{}",
          at_start ? "failed to start" : "failed",
          what,
          restarts ? fmt::format("; it is started anew, as incarnation {}", node.incarnation + 1)
                   : node.revival.gave_up()));
  if (at_start && !restarts) {
    // Before the program stops, so that those who wait for the node hear this and no other reason.
    node.front->close({.code = Code::unavailable, .message = text});
  }
  const std::lock_guard lock(mutex_);
  if (stops && !stopping_) {
    stopping_ = true;
    reason_ = text;
  }
  changed_.notify_all();
}

/// Whether the node, which has failed, is to have another life.
bool ProgramRun::decide_restart(Node& node, const Error& cause) {
  const bool wanted = options_.revive && !options_.deterministic && !stopping_ && !failed_
      && node.spec.options.on_failure == OnFailure::restart;
  return wanted && node.revival.failed(cause);
}

void ProgramRun::node_lost(Node& node, Error cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!node.life || (node.run_over && node.closed)) {
      return; // it was not there, or had ended before
    }
    node.run_over = true;
    node.closed = true;
    if (node.told) {
      node.state = node.state == NodeState::failed ? node.state : NodeState::stopped;
      changed_.notify_all();
      return;
    }
  }
  node_failed(node, std::move(cause));
}

void ProgramRun::node_reports(Node& node, const FrontCounts& counts) {
  const std::lock_guard lock(mutex_);
  node.remote_counts = counts;
}

void ProgramRun::node_run_over(Node& node) {
  const std::lock_guard lock(mutex_);
  node.run_over = true;
  if (node.state == NodeState::running) {
    const bool again = options_.revive && !node.told
        && node.spec.options.policy.restart == Restart::permanent && node.revival.finished();
    node.state = again ? NodeState::restarting : NodeState::serving;
  }
  changed_.notify_all();
}

void ProgramRun::node_closed(Node& node) {
  const std::lock_guard lock(mutex_);
  node.closed = true;
  if (node.state != NodeState::failed && node.state != NodeState::restarting) {
    node.state = NodeState::stopped;
  }
  changed_.notify_all();
}

void ProgramRun::node_changed() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

std::optional<Error> ProgramRun::node_waits(Node& node, const Front& target) {
  const std::lock_guard lock(mutex_);
  std::string cycle = node.name();
  for (const Node* each = find_locked(target.node()).get(); each != nullptr;
       each = find_locked(each->waits_for).get()) {
    cycle += " → " + each->name();
    if (each == &node) {
      return Error{
          .code = Code::failed_precondition,
          .message = fmt::format(
              "constructors wait for each other: {}; call later, from run or a method", cycle),
      };
    }
    if (options_.deterministic && !each->ready) {
      return Error{
          .code = Code::failed_precondition,
          .message =
              fmt::format("the constructor waits for a node that starts after it: {}", cycle),
      };
    }
  }
  node.waits_for = target.node(); // only now: others follow it, and must not run in circles
  return std::nullopt;
}

void ProgramRun::node_waits_no_more(Node& node) {
  const std::lock_guard lock(mutex_);
  node.waits_for.clear();
}

std::shared_ptr<Front> ProgramRun::bind(const Front& unbound) const {
  if (const auto node = find(unbound.node())) {
    return node->front;
  }
  auto stand_in = testing::detail::find_served(unbound.node());
  if (!stand_in) {
    throw CallError(
        Code::not_found,
        fmt::format("program \"{}\" has no node {}", program_.name(), unbound.node()));
  }
  return stand_in;
}

void ProgramRun::wait_until_ready(Lock& lock, const Nodes& nodes) {
  const auto settled = [](const NodePtr& node) {
    return node->ready || node->state == NodeState::failed;
  };
  if (options_.deterministic) {
    start_ready(lock);
  }
  changed_.notify_all();
  changed_.wait(
      lock, [&] { return stopping_ || std::all_of(nodes.begin(), nodes.end(), settled); });
  for (const NodePtr& node : nodes) {
    if (node->ready) {
      continue;
    }
    for (const Failure& failure : failures_) {
      if (failure.node == node->name()) {
        throw CallError(failure.cause);
      }
    }
    throw CallError(
        Code::cancelled,
        fmt::format("the program was stopped before {} had started", node->name()));
  }
}

void ProgramRun::require_going() const {
  if (stopping_) {
    throw CallError(Code::failed_precondition, "the program is being stopped: " + reason_);
  }
}

ProgramRun::Nodes ProgramRun::grow(const GroupSpec& spec, int first, int last) {
  add_nodes(spec, first, last);
  index_nodes();
  return Nodes(nodes_.end() - (last - first), nodes_.end());
}

void ProgramRun::start_more(const Program& more) {
  const std::lock_guard change(changing_);
  Lock lock(mutex_);
  std::vector<NodeInfo> present;
  for (const NodePtr& node : nodes_) {
    present.push_back({.name = node->name(), .group = node->identity.group, .service = {}});
  }
  more.check(present);
  require_going();
  for (const GroupSpec& spec : more.groups()) {
    if (!group_nodes(spec.options.label).empty()) {
      throw GraphError(fmt::format(
          "{}:{}: program \"{}\" has a group \"{}\" already; resize gives it more nodes",
          spec.options.where.file_name(),
          spec.options.where.line(),
          program_.name(),
          spec.options.label));
    }
    wait_until_ready(lock, grow(spec, 0, spec.options.replicas));
  }
}

void ProgramRun::resize(const std::string& group, int replicas) {
  const std::lock_guard change(changing_);
  Lock lock(mutex_);
  const Nodes members = group_nodes(group);
  if (members.empty()) {
    throw CallError(
        Code::not_found, fmt::format("program \"{}\" has no group {}", program_.name(), group));
  }
  if (replicas < 1) {
    throw CallError(
        Code::invalid_argument, fmt::format("group {} can't have {} nodes", group, replicas));
  }
  require_going();
  const int present = static_cast<int>(members.size());
  if (replicas < present) {
    retire(lock, Nodes(members.begin() + replicas, members.end()));
    tell_group_size(group, replicas);
  } else if (replicas > present) {
    wait_until_ready(lock, grow(GroupSpec(members.front()->spec), present, replicas));
  }
}

void ProgramRun::advance(Duration duration) {
  if (!options_.deterministic) {
    throw CallError(
        Code::failed_precondition, "time passes by itself in a program that is not deterministic");
  }
  runtime_->advance(duration);
}

} // namespace callboard::detail
