// SPDX-License-Identifier: Apache-2.0
/// @file
/// A program: a named graph of nodes, built by an ordinary function.
#pragma once

#include <callboard/detail/factory.hpp>
#include <callboard/node_options.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace callboard {

template <auto behavior>
class CafNode;

/// A rule of the graph was broken while it was built. The text begins with file and line of the
/// call that broke it; for `define`, of the node's declaration.
class GraphError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// A node of a graph, to be read.
struct NodeInfo {
  std::string name;    ///< "actor/3"
  std::string group;   ///< "actor"
  std::string service; ///< the type's name
};

/// An edge of a graph, to be read: `caller` holds a client of `service`, both names of nodes.
struct EdgeInfo {
  std::string caller;
  std::string service;
  friend bool operator==(const EdgeInfo&, const EdgeInfo&) = default;
};

/// How the live table of a program looks beyond node, state and calls.
struct Display {
  struct Column {
    std::string title;
    std::string metric; ///< of the nodes
    bool rate = false;  ///< a counter's growth per second; else a gauge's value
  };
  std::vector<Column> columns{};
  std::string progress{}; ///< gauge that grows towards `goal`; empty: no bar
  double goal = 0;
};

namespace detail {

class ActorRuntime;

/// Nodes of one kind, as data.
struct GroupSpec {
  NodeOptions options;
  std::string service;
  const Factory* factory = nullptr; ///< null for a group that is declared but not yet defined
  std::shared_ptr<const void> arguments{};
  std::vector<std::string>
      targets{}; ///< names of the nodes whose clients it holds, in order, once each
};

std::string node_name(const std::string& group, int index);

} // namespace detail

/// A named graph of nodes. Building it starts nothing. Copies are graphs of their own whose handles
/// are interchangeable. Not thread-safe.
class Program {
public:
  /// @throws GraphError  the name is empty or has other characters than letters, digits, '_', '-',
  /// '.'
  explicit Program(std::string name, std::source_location where = std::source_location::current());

  /// Adds one node with a service `S` made from `arguments` (after a leading `Context&`, if its
  /// constructor wants one). Handles among the arguments become clients, and edges.
  /// @throws GraphError  a label that is empty, taken or ill-formed, a handle of another program
  template <class S, class... A>
  Handle<S> add(Label label, A&&... arguments) {
    return add<S>(options_of(std::move(label)), std::forward<A>(arguments)...);
  }
  template <class S, class... A>
  Handle<S> add(NodeOptions options, A&&... arguments) {
    require_single(options);
    return add_group<S>(std::move(options), std::forward<A>(arguments)...)[0];
  }

  /// Adds `options.replicas` nodes of one kind; each knows its place from `Context::rank`.
  /// @throws GraphError  as `add`
  template <class S, class... A>
  Group<S> add_group(NodeOptions options, A&&... arguments) {
    std::string label = options.label;
    const int size = options.replicas;
    const std::source_location where = options.where;
    declare_group(std::move(options), type_name<S>());
    try {
      fill<S>(label, std::forward<A>(arguments)...);
    } catch (...) {
      groups_.pop_back(); // what could not be added leaves no trace
      throw;
    }
    return Group<S>(number_, std::move(label), size, where);
  }

  /// A node that is to be defined later, so that graphs can have cycles.
  /// @throws GraphError  as `add`
  template <class S>
  Handle<S> declare(Label label) {
    return declare<S>(options_of(std::move(label)));
  }
  template <class S>
  Handle<S> declare(NodeOptions options) {
    require_single(options);
    std::string label = options.label;
    const std::source_location where = options.where;
    declare_group(std::move(options), type_name<S>());
    return Handle<S>(number_, std::move(label), 0, where);
  }

  /// Gives a declared node its arguments.
  /// @throws GraphError  it has them already, or is of another program
  template <class S, class... A>
  void define(const Handle<S>& handle, A&&... arguments) {
    require_declared(handle.group(), handle.program(), handle.where());
    fill<S>(handle.group(), std::forward<A>(arguments)...);
  }

  /// Adds a node that is a plain CAF actor, `caf::behavior(caf::event_based_actor*, A…)`, made from
  /// `arguments`. Needs `<callboard/caf_node.hpp>`.
  /// @throws GraphError  as `add`
  template <auto behavior, class... A>
  Handle<CafNode<behavior>> add_actor(Label label, A&&... arguments) {
    return add<CafNode<behavior>>(std::move(label), std::forward<A>(arguments)...);
  }
  template <auto behavior, class... A>
  Handle<CafNode<behavior>> add_actor(NodeOptions options, A&&... arguments) {
    return add<CafNode<behavior>>(std::move(options), std::forward<A>(arguments)...);
  }

  /// How the program is shown while it runs.
  void display(Display display) { display_ = std::move(display); }

  const std::string& name() const noexcept { return name_; }
  std::vector<NodeInfo> nodes() const;
  std::vector<EdgeInfo> edges() const;

  /// @throws GraphError  a node was declared and never defined, an edge or `stop_after` leads
  /// nowhere
  void check() const;

  /// The graph for Graphviz; groups of several nodes are drawn as one.
  std::string to_dot() const;
  /// The graph as JSON, as `topology/proto/program.proto` has it.
  std::string to_json() const;
  /// A hash of all that the graph is: topology, types, values of arguments, interfaces. Equal in
  /// every process that builds the same graph with the same binary.
  std::uint64_t fingerprint() const;
  /// The same by parts, each with what it is: "the values of the arguments of actor".
  std::vector<std::pair<std::string, std::uint64_t>> fingerprints() const;

  // For Callboard's own use.
  /// The same program without its nodes, to be added to it while it runs in `runtime`: its clients
  /// serve as handles.
  Program extension(const detail::ActorRuntime& runtime) const;
  /// As `check`, for an extension of a program that has those nodes.
  void check(const std::vector<NodeInfo>& present) const;
  const std::vector<detail::GroupSpec>& groups() const noexcept { return groups_; }
  std::uint64_t number() const noexcept { return number_; }
  const Display& display() const noexcept { return display_; }

private:
  static NodeOptions options_of(Label label);
  static void require_single(const NodeOptions& options);
  void declare_group(NodeOptions options, std::string service);
  void require_declared(
      const std::string& group, std::uint64_t program, const std::source_location& where) const;
  void define_group(
      const std::string& label,
      const detail::Factory& factory,
      std::shared_ptr<const void> arguments);
  detail::GroupSpec& group(const std::string& label);

  template <class S, class... A>
  void fill(const std::string& label, A&&... arguments) {
    using Arguments = std::tuple<detail::KeptAs<A>...>;
    if constexpr (detail::check_node<S, detail::KeptAs<A>...>()) {
      static_cast<void>(detail::registered<S, detail::KeptAs<A>...>);
      define_group(
          label,
          detail::factory_of<S, detail::KeptAs<A>...>(),
          std::make_shared<const Arguments>(
              detail::keep<detail::KeptAs<A>>(std::forward<A>(arguments))...));
    }
  }

  std::string name_;
  std::uint64_t number_;
  const detail::ActorRuntime* runtime_ = nullptr; ///< of an extension
  std::vector<detail::GroupSpec> groups_;
  Display display_;
};

} // namespace callboard
