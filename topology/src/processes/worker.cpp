// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include "../local_life.hpp"
#include "fingerprint.hpp"

#include <callboard/log.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace callboard::detail {
namespace {

constexpr std::chrono::milliseconds report_period{250};

RuntimeOptions runtime_options(const StartOptions& options) {
  return {.threads = options.threads, .call_deadline = options.deadline, .network = true};
}

MetricValue value_of(const MetricSample& sample) {
  MetricValue value{.name = sample.name, .help = sample.help};
  if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
    value.is_counter = true;
    value.count = *count;
  } else if (const auto* gauge = std::get_if<double>(&sample.value)) {
    value.value = *gauge;
  } else {
    value.name.clear();
  }
  return value;
}

} // namespace

Worker::Worker(const Program& program, Part part, const StartOptions& options)
    : part_(std::move(part)),
      options_(options),
      program_name_(program.name()),
      runtime_(ActorRuntime::make(runtime_options(options))),
      fingerprint_(fingerprint_of(program)) {
  add_nodes(program);
}

Worker::~Worker() = default;

void Worker::add_nodes(const Program& program) {
  for (const std::string& name : part_.nodes) {
    const auto slash = name.rfind('/');
    for (const GroupSpec& spec : program.groups()) {
      if (spec.options.label == name.substr(0, slash)) {
        nodes_.emplace(name, make_node(spec, std::stoi(name.substr(slash + 1))));
      }
    }
  }
}

Worker::NodePtr Worker::make_node(const GroupSpec& spec, int index) {
  const std::string& label = spec.options.label;
  const std::string name = node_name(label, index);
  auto node = std::make_shared<Node>(
      Identity{
          .name = name,
          .group = label,
          .index = index,
          .seed = seed_of(options_.seed, name),
      },
      spec,
      std::make_shared<Front>(name, runtime_),
      registry_.add({{"program", program_name_}, {"group", label}, {"node", name}}));
  node->group_size = spec.options.replicas;
  node->has_run = runs_loop(spec, options_);
  return node;
}

Worker::NodePtr Worker::find(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : found->second;
}

void Worker::run() {
  runtime_->set_directory(
      [self = weak_from_this()](const std::string& node) -> std::shared_ptr<Front> {
        const auto worker = std::static_pointer_cast<Worker>(self.lock());
        return worker ? worker->bind(Front(node, 0)) : nullptr;
      });
  connect();
  launcher_.call<&LauncherControl::join>(Join{
      .process = part_.process,
      .life = part_.life,
      .port = network_->port(),
      .graph = fingerprint_,
  });
  watch();
  finish();
}

void Worker::connect() {
  const auto self = std::static_pointer_cast<Worker>(shared_from_this());
  network_ = Network::open(
      runtime_,
      {.process = fmt::format("{}.{}", part_.process, part_.life), .token = part_.token},
      {.on_end =
           [self = weak_from_this()](const std::shared_ptr<Link>& link) {
             const auto worker = std::static_pointer_cast<Worker>(self.lock());
             if (worker && process_of(*link) == launcher_process) {
               const std::lock_guard lock(worker->mutex_);
               worker->orphaned_ = true;
               worker->changed_.notify_all();
             }
           },
       .on_lost =
           [self = weak_from_this()](const std::shared_ptr<Link>& link) {
             const auto worker = std::static_pointer_cast<Worker>(self.lock());
             if (worker && worker->routes_ && process_of(*link) != launcher_process) {
               worker->routes_->lost(link);
             } else {
               end_link(*link, {.code = Code::unavailable, .message = "the launcher is gone"});
             }
           }});
  control_ = std::make_shared<Front>(worker_node, runtime_);
  control_->serve({
      .interface = &interface_of<WorkerControl>(),
      .service = static_cast<WorkerControl*>(this),
      .owner = self,
  });
  network_->expose(control_, interface_of<WorkerControl>(), part_.life);
  for (const auto& [name, node] : nodes_) {
    network_->expose(node->front, *node->spec.factory->interface, part_.life);
  }
  const auto deadline = std::chrono::steady_clock::now() + defaults::call_deadline;
  const auto link = network_->connect(part_.launcher, deadline);
  launcher_front_ = std::make_shared<Front>(launcher_node, runtime_);
  lead_over(link, launcher_front_, 1);
  launcher_ = Client<LauncherControl>(launcher_front_);
  routes_ = std::make_unique<NodeRoutes>(network_, part_.process, launcher_);
}

/// Waits for the end, and reports meanwhile.
void Worker::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, report_period, [this] { return over_ || orphaned_; })) {
    lock.unlock();
    report();
    lock.lock();
  }
  if (orphaned_ && !over_) {
    throw CallError(Code::unavailable, "the launcher is gone");
  }
}

void Worker::finish() {
  const Error reason{.code = Code::unavailable, .message = "the process ends"};
  for (const auto& [name, node] : nodes_) {
    if (node->life) {
      node->life->join();
    }
  }
  routes_->close(reason);
  control_->close(reason);
  network_->close();
}

// -------------------------------------------------------------------------------------- for nodes

std::shared_ptr<Front> Worker::bind(const Front& unbound) const {
  const auto node = find(unbound.node());
  return node ? node->front : routes_->front(unbound.node());
}

void Worker::stop(const std::string& node, const std::string& reason, int status) {
  launcher_.tell<&LauncherControl::stop>(node, reason, status);
}

void Worker::node_serves(Node& node) {
  {
    const std::lock_guard lock(mutex_);
    node.ready = true;
  }
  launcher_.tell<&LauncherControl::serves>(node.name(), node.incarnation);
}

void Worker::node_failed(Node& node, Error cause) {
  if (cause.node.empty()) {
    cause.node = node.name();
  }
  launcher_.tell<&LauncherControl::failed>(node.name(), node.incarnation, cause);
}

void Worker::node_run_over(Node& node) {
  launcher_.tell<&LauncherControl::run_over>(node.name(), node.incarnation);
}

void Worker::node_closed(Node& node) {
  launcher_.tell<&LauncherControl::report>(std::vector{report_of(node)}); // its last
  launcher_.tell<&LauncherControl::closed>(node.name(), node.incarnation);
}

void Worker::node_changed() {
  for (const auto& [name, node] : nodes_) {
    std::shared_ptr<Life> life;
    {
      const std::lock_guard lock(mutex_);
      life = node->told ? node->life : nullptr;
    }
    if (life && life->handlers_finished()) {
      launcher_.tell<&LauncherControl::handlers_over>(name, node->incarnation);
    }
  }
}

std::optional<Error> Worker::node_waits(Node& node, const Front& target) {
  return launcher_.call<&LauncherControl::waits>(node.name(), target.node());
}

void Worker::node_waits_no_more(Node& node) {
  launcher_.tell<&LauncherControl::waits_no_more>(node.name());
}

// ------------------------------------------------------------------------------- for the launcher

void Worker::start(const std::string& name, std::int32_t incarnation) {
  const auto node = find(name);
  if (node->life) {
    node->life->join();
  }
  std::shared_ptr<Life> life;
  {
    const std::lock_guard lock(mutex_);
    node->told = node->ready = false;
    node->incarnation = incarnation;
    life = node->life = std::make_shared<LocalLife>(*this, node);
  }
  life->start();
}

void Worker::ask_to_stop(const std::string& name) {
  const auto node = find(name);
  {
    const std::lock_guard lock(mutex_);
    node->told = true;
  }
  node->life->ask_to_stop();
  node_changed();
}

void Worker::hold(const std::string& name) {
  find(name)->life->hold();
}

void Worker::close(const std::string& name, const Error& reason) {
  find(name)->front->close(reason);
}

void Worker::located(const Location& location) {
  routes_->located(location);
}

void Worker::gone(const std::string& node, std::int32_t life, const Error& reason) {
  routes_->gone(node, life, reason);
}

void Worker::end() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

NodeReport Worker::report_of(const Node& node) const {
  const FrontCounts counts = node.front->counts();
  NodeReport report{
      .node = node.name(),
      .incarnation = node.incarnation,
      .calls = counts.calls,
      .waiting = counts.waiting,
      .failed = counts.failed,
  };
  for (const MetricSample& sample : node.metrics->snapshot()) {
    if (MetricValue value = value_of(sample); !value.name.empty()) {
      report.metrics.push_back(std::move(value));
    }
  }
  return report;
}

void Worker::report() {
  std::vector<NodeReport> all;
  for (const auto& [name, node] : nodes_) {
    all.push_back(report_of(*node));
  }
  launcher_.tell<&LauncherControl::report>(all);
}

} // namespace callboard::detail
