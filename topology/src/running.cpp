// SPDX-License-Identifier: Apache-2.0
#include "program_run.hpp"

#include <callboard/running.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace callboard {
namespace {

bool exposes(const detail::Interface& interface, const detail::MethodEntry& entry) {
  return std::any_of(
      interface.methods.begin(), interface.methods.end(), [&](const detail::MethodEntry& each) {
        return each.info->tag == entry.info->tag;
      });
}

} // namespace

std::string_view to_string(NodeState state) {
  constexpr std::array<std::string_view, 8> names{
      "waiting", "starting", "serving", "running", "stopping", "stopped", "failed", "restarting"};
  return names.at(static_cast<std::size_t>(state));
}

std::string to_string(const Failure& failure) {
  const double seconds = std::chrono::duration<double>(failure.at).count();
  Error cause = failure.cause;
  if (cause.method.empty() && cause.node == failure.node) {
    cause.node.clear(); // it is named already
  }
  return fmt::format(
      "{} (incarnation {}) failed {:.2f} s after the start: {}",
      failure.node,
      failure.incarnation,
      seconds,
      to_string(cause));
}

Running start(const Program& program, const StartOptions& options) {
  program.check();
  auto run = std::make_shared<detail::ProgramRun>(program, options, detail::make_thread_launcher());
  run->start();
  return Running(std::move(run));
}

Running::~Running() {
  if (run_) {
    run_->finish();
  }
}

int Running::wait() {
  return run_->wait();
}

bool Running::wait_for(Duration patience) {
  return run_->wait_for(patience);
}

void Running::wait(const std::string& group) {
  run_->wait_group(group);
}

void Running::stop(const std::string& reason, int status) {
  run_->stop("", reason, status);
}

std::string Running::stop_reason() const {
  return run_->stop_reason();
}

std::vector<NodeStatus> Running::status() const {
  return run_->status();
}

std::vector<Failure> Running::failures() const {
  return run_->failures();
}

std::vector<std::string> Running::stubborn() const {
  return run_->stubborn();
}

void Running::resize(const std::string& group, int replicas) {
  run_->resize(group, replicas);
}

void Running::advance(Duration duration) {
  run_->advance(duration);
}

const Registry& Running::metrics() const {
  return run_->registry();
}

const Program& Running::program() const {
  return run_->program();
}

std::shared_ptr<MetricSet> Running::metrics(const std::string& node) const {
  return node_of(node)->metrics;
}

void Running::require_own(std::uint64_t program, const std::string& node) const {
  if (program != run_->program().number()) {
    throw CallError(
        Code::not_found,
        fmt::format(
            "the handle of {} is of another program than \"{}\"", node, run_->program().name()));
  }
}

std::shared_ptr<detail::Node> Running::node_of(const std::string& node) const {
  auto found = run_->find(node);
  if (!found) {
    throw CallError(
        Code::not_found,
        fmt::format("program \"{}\" has no node {}", run_->program().name(), node));
  }
  return found;
}

std::shared_ptr<detail::Front> Running::front_of(
    const std::string& node, const detail::Interface& interface) const {
  const auto found = node_of(node);
  const detail::Factory& factory = *found->spec.factory;
  for (const detail::MethodEntry& entry : interface.methods) {
    if (!exposes(*factory.interface, entry)) {
      throw CallError(
          Code::not_found,
          fmt::format(
              "{} is a {}, which does not expose {}", node, factory.service, entry.info->name));
    }
  }
  return found->front;
}

Program Running::extension() const {
  return run_->program().extension(*run_->runtime());
}

void Running::start_more(const Program& more) {
  run_->start_more(more);
}

} // namespace callboard
