// SPDX-License-Identifier: Apache-2.0
// The graph as text: for people, for programs, and as a fingerprint.
#include "program.pb.h"

#include <callboard/program.hpp>

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <map>

namespace callboard {
namespace {

std::string_view to_text(OnFailure policy) {
  switch (policy) {
  case OnFailure::restart: return "restart";
  case OnFailure::ignore: return "ignore";
  case OnFailure::stop_program: break;
  }
  return "stop_program";
}

std::string_view to_text(Restart restart) {
  switch (restart) {
  case Restart::permanent: return "permanent";
  case Restart::transient: return "transient";
  case Restart::temporary: break;
  }
  return "temporary";
}

void write_group(proto::Group& out, const detail::GroupSpec& group) {
  const NodeOptions& options = group.options;
  out.set_label(options.label);
  out.set_service(group.service);
  out.set_replicas(static_cast<std::uint32_t>(options.replicas));
  out.set_own_thread(options.own_thread);
  out.set_on_failure(std::string(to_text(options.on_failure)));
  out.mutable_policy()->set_restart(std::string(to_text(options.policy.restart)));
  out.mutable_policy()->set_intensity(static_cast<std::uint32_t>(options.policy.intensity));
  out.mutable_policy()->set_period_seconds(
      static_cast<std::uint32_t>(options.policy.period.count()));
  out.mutable_resources()->set_cpus(options.resources.cpus);
  out.mutable_resources()->set_memory(options.resources.memory);
  out.mutable_resources()->set_gpus(static_cast<std::uint32_t>(options.resources.gpus));
  out.mutable_environment()->insert(options.environment.begin(), options.environment.end());
  for (const std::string& label : options.stop_after) {
    out.add_stop_after(label);
  }
  if (group.factory == nullptr) {
    return;
  }
  out.set_has_run(group.factory->has_run);
  for (const detail::MethodEntry& entry : group.factory->interface->methods) {
    proto::Method& method = *out.add_methods();
    method.set_name(std::string(entry.info->name));
    method.set_layout(entry.layout());
  }
}

proto::Program to_message(const Program& program) {
  proto::Program message;
  message.set_name(program.name());
  for (const detail::GroupSpec& group : program.groups()) {
    write_group(*message.add_groups(), group);
  }
  for (const NodeInfo& node : program.nodes()) {
    proto::Node& out = *message.add_nodes();
    out.set_name(node.name);
    out.set_group(node.group);
  }
  for (const EdgeInfo& edge : program.edges()) {
    proto::Edge& out = *message.add_edges();
    out.set_caller(edge.caller);
    out.set_service(edge.service);
  }
  message.set_fingerprint(fmt::format("{:016x}", program.fingerprint()));
  return message;
}

/// FNV-1a, 64 bits.
class Hash {
public:
  void add(std::string_view text) {
    for (const char c : text) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    value_ = (value_ ^ 0xFFU) * 1099511628211ULL; // so that "ab", "c" is not "a", "bc"
  }
  void add(const std::vector<std::byte>& bytes) {
    add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::uint64_t value() const { return value_; }

private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

void add_options(Hash& hash, const NodeOptions& options) {
  const RestartPolicy& policy = options.policy;
  hash.add(fmt::format(
      "{} {} {} {} {} {}",
      options.replicas,
      options.own_thread,
      to_text(options.on_failure),
      to_text(policy.restart),
      policy.intensity,
      policy.period.count()));
  const Resources& resources = options.resources;
  hash.add(fmt::format("{} {} {}", resources.cpus, resources.memory, resources.gpus));
  for (const auto& [name, value] : options.environment) {
    hash.add(name);
    hash.add(value);
  }
  for (const std::string& label : options.stop_after) {
    hash.add(label);
  }
}

std::string group_of(const std::string& node) {
  return node.substr(0, node.rfind('/'));
}

/// How many nodes of each other group a node of `group` calls.
std::map<std::string, int> edges_by_group(const detail::GroupSpec& group) {
  std::map<std::string, int> edges;
  for (const std::string& target : group.targets) {
    ++edges[group_of(target)];
  }
  return edges;
}

} // namespace

std::string Program::to_json() const {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status =
      google::protobuf::util::MessageToJsonString(to_message(*this), &text, options);
  if (!status.ok()) {
    throw CallError(
        Code::internal, "the graph can't be written as JSON: " + std::string(status.message()));
  }
  return text;
}

std::string Program::to_dot() const {
  std::string text =
      fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", name_);
  for (const detail::GroupSpec& group : groups_) {
    const NodeOptions& options = group.options;
    const std::string count = options.replicas == 1 ? "" : fmt::format(" × {}", options.replicas);
    text +=
        fmt::format("  \"{0}\" [label=\"{0}{1}\\n{2}\"];\n", options.label, count, group.service);
  }
  for (const detail::GroupSpec& group : groups_) {
    for (const auto& [target, count] : edges_by_group(group)) {
      const std::string each = count == 1 ? "" : fmt::format(" [label=\"{} each\"]", count);
      text += fmt::format("  \"{}\" -> \"{}\"{};\n", group.options.label, target, each);
    }
  }
  return text + "}\n";
}

std::vector<std::pair<std::string, std::uint64_t>> Program::fingerprints() const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  const auto add = [&](const std::string& what, auto&&... parts) {
    Hash hash;
    (hash.add(parts), ...);
    all.emplace_back(what, hash.value());
  };
  add("the names of the programs", name_);
  for (const detail::GroupSpec& group : groups_) {
    const std::string& label = group.options.label;
    Hash options;
    add_options(options, group.options);
    all.emplace_back("the options of " + label, options.value());
    add("the services of " + label, group.service);
    if (group.factory == nullptr) {
      continue;
    }
    const detail::Factory& factory = *group.factory;
    add("the types of the arguments of " + label, factory.name, factory.layout());
    add("the values of the arguments of " + label, factory.encode(group.arguments.get()));
    Hash methods;
    for (const detail::MethodEntry& entry : factory.interface->methods) {
      methods.add(entry.info->name);
      methods.add(entry.layout());
    }
    all.emplace_back("the methods of " + label, methods.value());
  }
  return all;
}

std::uint64_t Program::fingerprint() const {
  Hash hash;
  for (const auto& [what, value] : fingerprints()) {
    hash.add(what);
    hash.add(fmt::format("{:016x}", value));
  }
  return hash.value();
}

} // namespace callboard
