// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/front.hpp>
#include <callboard/program.hpp>
#include <callboard/testing/serve.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

namespace callboard {
namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

[[noreturn]] void refuse(const std::source_location& where, const std::string& text) {
  throw GraphError(fmt::format("{}:{}: {}", where.file_name(), where.line(), text));
}

bool well_formed(const std::string& name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.find_first_not_of(allowed) == name.npos;
}

void require_well_formed(
    const std::string& what, const std::string& name, const std::source_location& where) {
  if (!well_formed(name)) {
    refuse(
        where,
        fmt::format(
            "{} \"{}\" must be of letters, digits, '_', '-' and '.', at least one", what, name));
  }
}

void require_sensible(const NodeOptions& options) {
  const auto& [where, label] = std::tie(options.where, options.label);
  if (options.replicas < 1) {
    refuse(
        where,
        fmt::format("group \"{}\" has {} replicas; it needs at least 1", label, options.replicas));
  }
  if (options.resources.cpus <= 0 || options.resources.gpus < 0) {
    refuse(
        where, fmt::format("group \"{}\" must have cpus above 0 and no fewer than 0 gpus", label));
  }
  if (options.policy.intensity < 0 || options.policy.period.count() < 1) {
    refuse(
        where,
        fmt::format(
            "group \"{}\" must have an intensity of 0 or more and a period of 1 s or more", label));
  }
  for (const auto& [name, value] : options.environment) {
    if (name.empty() || name.find('=') != name.npos) {
      refuse(
          where,
          fmt::format(
              "group \"{}\" sets an environment variable \"{}\"; a name has no '='", label, name));
    }
  }
}

void require_complete(
    const detail::GroupSpec& group,
    const std::set<std::string>& nodes,
    const std::set<std::string>& labels) {
  const auto& [where, label] = std::tie(group.options.where, group.options.label);
  if (group.factory == nullptr) {
    refuse(
        where,
        fmt::format("\"{}\" is declared and never defined; call program.define for it", label));
  }
  for (const std::string& target : group.targets) {
    if (!nodes.contains(target)) {
      refuse(where, fmt::format("\"{}\" is given {}, and there is no such node", label, target));
    }
  }
  for (const std::string& first : group.options.stop_after) {
    if (first == label || !labels.contains(first)) {
      refuse(
          where,
          fmt::format("\"{}\" is to stop after \"{}\", which is no other group", label, first));
    }
  }
}

/// A stub or a served service of a test: a stand-in for a node, which runs by itself.
bool is_stand_in(const detail::Front& front) {
  return front.runtime() && testing::detail::find_served(front.node()).get() == &front;
}

} // namespace

namespace detail {

std::string node_name(const std::string& group, int index) {
  return fmt::format("{}/{}", group, index);
}

} // namespace detail

Program::Program(std::string name, std::source_location where)
    : name_(std::move(name)), number_(next_number()) {
  require_well_formed("the program's name", name_, where);
}

NodeOptions Program::options_of(Label label) {
  return {.label = std::move(label.label), .where = label.where};
}

void Program::require_single(const NodeOptions& options) {
  if (options.replicas != 1) {
    refuse(
        options.where,
        fmt::format(
            "node \"{}\" has {} replicas; add_group makes several",
            options.label,
            options.replicas));
  }
}

void Program::declare_group(NodeOptions options, std::string service) {
  require_well_formed("the label", options.label, options.where);
  require_sensible(options);
  const auto same =
      std::find_if(groups_.begin(), groups_.end(), [&](const detail::GroupSpec& group) {
        return group.options.label == options.label;
      });
  if (same != groups_.end()) {
    const auto& first = same->options.where;
    refuse(
        options.where,
        fmt::format(
            "program \"{}\": the label \"{}\" is taken (at {}:{}); choose another, or use "
            "add_group for several "
            "nodes of one kind",
            name_,
            options.label,
            first.file_name(),
            first.line()));
  }
  groups_.push_back({.options = std::move(options), .service = std::move(service)});
}

detail::GroupSpec& Program::group(const std::string& label) {
  return *std::find_if(groups_.begin(), groups_.end(), [&](const detail::GroupSpec& each) {
    return each.options.label == label;
  });
}

void Program::require_declared(
    const std::string& label, std::uint64_t program, const std::source_location& where) const {
  const auto same = [&](const detail::GroupSpec& group) { return group.options.label == label; };
  if (program != number_ || std::none_of(groups_.begin(), groups_.end(), same)) {
    refuse(
        where,
        fmt::format(
            "\"{}\", declared here, is not of program \"{}\" and can't be defined in it",
            label,
            name_));
  }
}

void Program::define_group(
    const std::string& label,
    const detail::Factory& factory,
    std::shared_ptr<const void> arguments) {
  detail::GroupSpec& spec = group(label);
  if (spec.factory != nullptr) {
    refuse(spec.options.where, fmt::format("\"{}\", added here, is defined twice", label));
  }
  factory.visit_clients(arguments.get(), [&](const detail::Front& front) {
    if (is_stand_in(front)) {
      return;
    }
    const bool ours =
        front.runtime() ? front.runtime().get() == runtime_ : front.origin() == number_;
    if (!ours) {
      refuse(
          spec.options.where,
          fmt::format(
              "\"{}\" is given a {} of {}, which belongs to another program",
              label,
              front.runtime() ? "client" : "handle",
              front.node()));
    }
    if (std::find(spec.targets.begin(), spec.targets.end(), front.node()) == spec.targets.end()) {
      spec.targets.push_back(front.node());
    }
  });
  spec.factory = &factory;
  spec.arguments = std::move(arguments);
}

Program Program::extension(const detail::ActorRuntime& runtime) const {
  Program more = *this;
  more.runtime_ = &runtime;
  more.groups_.clear();
  return more;
}

std::vector<NodeInfo> Program::nodes() const {
  std::vector<NodeInfo> nodes;
  for (const detail::GroupSpec& group : groups_) {
    for (int i = 0; i < group.options.replicas; ++i) {
      const std::string& label = group.options.label;
      nodes.push_back(
          {.name = detail::node_name(label, i), .group = label, .service = group.service});
    }
  }
  return nodes;
}

std::vector<EdgeInfo> Program::edges() const {
  std::vector<EdgeInfo> edges;
  for (const detail::GroupSpec& group : groups_) {
    for (int i = 0; i < group.options.replicas; ++i) {
      for (const std::string& target : group.targets) {
        edges.push_back({.caller = detail::node_name(group.options.label, i), .service = target});
      }
    }
  }
  return edges;
}

void Program::check() const {
  check({});
}

void Program::check(const std::vector<NodeInfo>& present) const {
  std::set<std::string> names;
  std::set<std::string> labels;
  for (const std::vector<NodeInfo>& some : {present, nodes()}) {
    for (const NodeInfo& node : some) {
      names.insert(node.name);
      labels.insert(node.group);
    }
  }
  for (const detail::GroupSpec& group : groups_) {
    require_complete(group, names, labels);
  }
}

} // namespace callboard
