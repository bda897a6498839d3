// SPDX-License-Identifier: Apache-2.0
/// @file
/// The node that counts environment steps.
#pragma once

#include <callboard/service.hpp>

#include <cstdint>

namespace cartpole {

/// Adds up what all actors did. Its methods run one after another: no lock.
class CounterNode {
public:
  void add(std::uint64_t steps) { total_ += steps; }
  std::uint64_t total() const { return total_; }

  using exposed = callboard::methods<&CounterNode::add, &CounterNode::total>;

private:
  std::uint64_t total_ = 0;
};

} // namespace cartpole
