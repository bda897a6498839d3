// SPDX-License-Identifier: Apache-2.0
/// @file
/// References to nodes that do not exist yet, from which graphs are built.
#pragma once

#include <callboard/client.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace callboard {

namespace detail {
template <class T, class S>
concept SameOrBase = std::is_same_v<T, S> || ServesAs<S, T>;
} // namespace detail

/// A reference, while the graph is built, to a node whose service will be an `S`. Passed to `add`
/// it makes an edge, and the new node's constructor gets a `Client<S>`. Nothing can be called
/// through it. Also stands for a `Client` of a base of `S`.
template <class S>
class Handle {
public:
  using Service = S;

  Handle(std::uint64_t program, std::string group, int index, std::source_location where)
      : program_(program), group_(std::move(group)), index_(index), where_(where) {}

  /// The node's name, such as "replay/0".
  std::string node() const { return group_ + "/" + std::to_string(index_); }
  const std::string& group() const noexcept { return group_; }
  std::uint64_t program() const noexcept { return program_; }
  /// Where the node was added, for errors.
  const std::source_location& where() const noexcept { return where_; }

  /// A client that is bound when the node that holds it starts.
  template <class T>
    requires detail::SameOrBase<T, S>
  // NOLINTNEXTLINE(google-explicit-constructor): passed where the client will be
  operator Client<T>() const { return Client<T>(detail::unbound_front(node(), program_)); }

private:
  std::uint64_t program_;
  std::string group_;
  int index_;
  std::source_location where_;
};

/// The handles of a group. Passed to `add` it makes an edge to each of its nodes, and the new
/// node's constructor gets a `std::vector<Client<S>>`.
template <class S>
class Group {
public:
  Group(std::uint64_t program, std::string label, int size, std::source_location where)
      : program_(program), label_(std::move(label)), size_(size), where_(where) {}

  const std::string& label() const noexcept { return label_; }
  int size() const noexcept { return size_; }
  Handle<S> operator[](int index) const { return Handle<S>(program_, label_, index, where_); }

  template <class T>
    requires detail::SameOrBase<T, S>
  // NOLINTNEXTLINE(google-explicit-constructor): passed where the clients will be
  operator std::vector<Client<T>>() const {
    std::vector<Client<T>> clients;
    for (int i = 0; i < size_; ++i) {
      clients.push_back((*this)[i]);
    }
    return clients;
  }

private:
  std::uint64_t program_;
  std::string label_;
  int size_;
  std::source_location where_;
};

} // namespace callboard
