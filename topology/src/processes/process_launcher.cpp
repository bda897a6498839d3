// SPDX-License-Identifier: Apache-2.0
#include "process_launcher.hpp"

#include "../program_run.hpp"
#include "fingerprint.hpp"
#include "launcher_control.hpp"
#include "remote_life.hpp"

#include <callboard/log.hpp>
#include <callboard/output.hpp>

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>

namespace callboard::detail {
namespace {

/// How long a process may take to end when nothing is left for it to do.
constexpr std::chrono::seconds end_patience{2};

/// 128 bits that nobody can guess.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw CallError(Code::internal, "the system gives no random numbers");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

/// What was to be said to a process that has ended is said to nobody, and that is no failure.
Error taken_back(Error reason) {
  reason.code = Code::cancelled;
  return reason;
}

std::string life_name(const WorkerProcess& process) {
  return fmt::format("{}.{}", process.name, process.life);
}

} // namespace

ProcessLauncher::ProcessLauncher(ProcessSetup setup)
    : setup_(std::move(setup)), token_(random_token()) {}

ProcessLauncher::~ProcessLauncher() = default;

void ProcessLauncher::begin(ProgramRun& program) {
  program_ = &program;
  fingerprint_ = fingerprint_of(program.program());
  network_ = Network::open(
      program.runtime(),
      {.process = launcher_process, .token = token_},
      {.on_link = [this](const std::shared_ptr<Link>& link) { linked(link); }});
  control_front_ = std::make_shared<Front>(launcher_node, program.runtime());
  const auto control = std::make_shared<Control>(*this, program);
  control_front_->serve({
      .interface = &interface_of<LauncherControl>(),
      .service = static_cast<LauncherControl*>(control.get()),
      .owner = control,
  });
  network_->expose(control_front_, interface_of<LauncherControl>(), 1);
}

std::shared_ptr<Life> ProcessLauncher::make_life(NodeHost& /*host*/, std::shared_ptr<Node> node) {
  return std::make_shared<RemoteLife>(*this, std::move(node));
}

/// One process for each node.
ProcessLauncher::ProcessPtr ProcessLauncher::process_of_node(const Node& node) {
  ProcessPtr& process = of_node_[node.name()];
  if (!process) {
    process = std::make_shared<WorkerProcess>();
    process->name = node.name();
    process->nodes = {node.name()};
    processes_[process->name] = process;
  }
  return process;
}

void ProcessLauncher::start_node(Node& node) {
  Client<WorkerControl> control;
  ProcessPtr to_spawn;
  {
    const Lock lock(mutex_);
    const ProcessPtr process = process_of_node(node);
    if (process->state == WorkerProcess::State::down) {
      process->state = WorkerProcess::State::starting;
      process->control_front = std::make_shared<Front>(worker_node, program_->runtime());
      process->control = Client<WorkerControl>(process->control_front);
      process->asked.clear();
      process->refusal.clear();
      ++process->life;
      to_spawn = process;
    }
    control = process->control;
  }
  // Waits in the front until the process has joined.
  control.tell<&WorkerControl::start>(node.name(), node.incarnation);
  if (to_spawn) {
    spawn(to_spawn, node);
  }
}

/// Starts the process's next life.
void ProcessLauncher::spawn(const ProcessPtr& process, Node& node) {
  const std::int32_t life = process->life; // no other life is begun before this one has ended
  try {
    const auto file = std::make_shared<OutputFile>(log_path(setup_.folder, process->name, life));
    const JobId job = backend_.start(
        job_of(*process, node.spec),
        {
            .on_line =
                [this, name = process->name, file](Stream stream, std::string_view line) {
                  file->write(line);
                  setup_.on_line(name, stream, line);
                },
            .on_end = [this, process, life](const JobEnd& end) { ended(process, life, end); },
        });
    const Lock lock(mutex_);
    if (process->life == life && process->state != WorkerProcess::State::down) {
      process->job = job;
    }
  } catch (const CallError& error) {
    {
      const Lock lock(mutex_);
      process->state = WorkerProcess::State::down;
      process->control_front->close(taken_back(error.error()));
      process->control = {};
    }
    program_->node_failed(node, error.error());
    program_->node_run_over(node);
  }
}

JobSpec ProcessLauncher::job_of(const WorkerProcess& process, const GroupSpec& spec) const {
  const StartOptions& options = program_->options();
  const Part part{
      .run = backend_.run(),
      .process = process.name,
      .life = process.life,
      .nodes = process.nodes,
      .launcher = network_->port(),
      .token = token_,
      .seed = options.seed,
      .deadline = std::chrono::nanoseconds(options.deadline).count(),
      .grace = std::chrono::nanoseconds(options.grace).count(),
      .log_level = static_cast<std::uint8_t>(setup_.log_level),
      .configuration = setup_.configuration,
  };
  const auto bytes = encoded(part);
  return {
      .name = process.name,
      .command = setup_.command,
      .environment = spec.options.environment,
      .cpus = spec.options.resources.cpus,
      .memory = spec.options.resources.memory,
      .part = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
  };
}

Client<WorkerControl> ProcessLauncher::control_of(const std::string& node) {
  const Lock lock(mutex_);
  const auto found = of_node_.find(node);
  return found == of_node_.end() || found->second->state == WorkerProcess::State::down
      ? Client<WorkerControl>()
      : found->second->control;
}

// --------------------------------------------------------------------------- what processes tell

/// A worker has come to the door. It says who it is before it may do anything.
void ProcessLauncher::linked(const std::shared_ptr<Link>& link) {
  const Lock lock(mutex_);
  links_[process_of(*link)] = link;
}

void ProcessLauncher::joined(const Join& worker) {
  std::shared_ptr<Front> control;
  std::shared_ptr<Link> link;
  {
    const Lock lock(mutex_);
    const auto found = processes_.find(worker.process);
    if (found == processes_.end() || found->second->life != worker.life) {
      throw CallError(Code::failed_precondition, "the run does not wait for this process");
    }
    WorkerProcess& process = *found->second;
    if (const auto what = difference(fingerprint_, worker.graph)) {
      process.refusal = "it has built another program than the launcher: " + *what;
      throw CallError(Code::failed_precondition, process.refusal);
    }
    process.state = WorkerProcess::State::joined;
    process.port = worker.port;
    process.link = link = links_[life_name(process)];
    links_.erase(life_name(process));
    control = process.control_front;
  }
  lead_over(link, control, worker.life);
}

void ProcessLauncher::node_serves(Node& node) {
  std::vector<Client<WorkerControl>> to_tell;
  Location location;
  std::shared_ptr<Link> link;
  std::int32_t life = 0;
  {
    const Lock lock(mutex_);
    const ProcessPtr& process = of_node_[node.name()];
    if (process->state != WorkerProcess::State::joined) {
      return;
    }
    link = process->link;
    life = process->life;
    location = location_of(node.name());
    for (const auto& [name, other] : processes_) {
      if (other->state == WorkerProcess::State::joined && other->asked.contains(node.name())) {
        to_tell.push_back(other->control);
      }
    }
  }
  if (!node.front->is_away()) {
    lead_over(link, node.front, life);
  }
  for (const auto& control : to_tell) {
    control.tell<&WorkerControl::located>(location);
  }
}

/// Where the node is, if calls may go there: once it is ready, or is being started anew in a
/// process that lives.
Location ProcessLauncher::location_of(const std::string& node) const {
  const auto found = of_node_.find(node);
  if (found == of_node_.end() || found->second->state != WorkerProcess::State::joined) {
    return {.node = node};
  }
  const WorkerProcess& process = *found->second;
  return {.node = node, .process = process.name, .life = process.life, .port = process.port};
}

Location ProcessLauncher::locate(const std::string& process, const std::string& node) {
  const Lock lock(mutex_);
  if (const auto found = processes_.find(process); found != processes_.end()) {
    found->second->asked.insert(node);
  }
  return location_of(node);
}

std::shared_ptr<RemoteLife> ProcessLauncher::life_of(
    const std::string& node, std::int32_t incarnation) const {
  auto life = std::static_pointer_cast<RemoteLife>(program_->life_of(node));
  return life && life->incarnation() == incarnation ? life : nullptr;
}

// ------------------------------------------------------------------------------------- their ends

Error ProcessLauncher::end_of(const WorkerProcess& process, const JobEnd& end) const {
  if (!process.refusal.empty()) {
    return {.code = Code::failed_precondition, .message = process.refusal, .node = process.name};
  }
  return {
      .code = Code::aborted,
      .message = fmt::format("its process ended: {}", to_string(end)),
      .node = process.name,
  };
}

void ProcessLauncher::ended(const ProcessPtr& process, std::int32_t life, const JobEnd& end) {
  std::vector<Client<WorkerControl>> to_tell;
  std::shared_ptr<Link> link;
  std::shared_ptr<Front> control;
  std::vector<std::string> nodes;
  Error reason;
  {
    const Lock lock(mutex_);
    if (process->life != life) {
      return;
    }
    process->state = WorkerProcess::State::down;
    process->job.reset();
    link.swap(process->link);
    control.swap(process->control_front);
    process->control = {};
    nodes = process->nodes;
    reason = end_of(*process, end);
    links_.erase(life_name(*process));
    for (const auto& [name, other] : processes_) {
      if (other->state == WorkerProcess::State::joined && !finishing_) {
        to_tell.push_back(other->control);
      }
    }
  }
  if (link) {
    end_link(*link, reason);
  }
  if (control) {
    control->close(taken_back(reason));
  }
  for (const std::string& name : nodes) {
    for (const auto& other : to_tell) {
      other.tell<&WorkerControl::gone>(name, life, reason);
    }
    if (const auto node = program_->find(name)) {
      program_->node_lost(*node, reason);
    }
  }
}

void ProcessLauncher::kill_process_of(const std::string& node) {
  const Lock lock(mutex_);
  if (const auto found = of_node_.find(node); found != of_node_.end() && found->second->job) {
    backend_.kill(*found->second->job);
  }
}

void ProcessLauncher::finish() {
  std::vector<std::pair<JobId, Client<WorkerControl>>> left;
  {
    const Lock lock(mutex_);
    finishing_ = true;
    for (const auto& [name, process] : processes_) {
      if (process->job) {
        left.emplace_back(*process->job, process->control);
      }
    }
  }
  for (const auto& [job, control] : left) {
    control.tell<&WorkerControl::end>();
  }
  const TimePoint deadline = std::chrono::steady_clock::now() + end_patience;
  for (const auto& [job, control] : left) {
    if (!backend_.wait(job, deadline)) {
      backend_.kill(job);
      backend_.wait(job, std::chrono::steady_clock::now() + end_patience);
    }
  }
  if (network_) {
    control_front_->close({.code = Code::unavailable, .message = "the run is over"});
    network_->close();
  }
}

} // namespace callboard::detail
