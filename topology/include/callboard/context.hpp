// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a node knows of itself and its program.
#pragma once

#include <callboard/log.hpp>
#include <callboard/metrics.hpp>
#include <callboard/time.hpp>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace callboard {

namespace detail {
class LocalLife;
} // namespace detail

/// A node's place in its group.
struct Rank {
  int index = 0; ///< from 0
  int size = 1;  ///< of the group at present: `Running::resize` changes it
};

/// What a node knows of itself and its program. A service whose constructor begins with a
/// `Context&` is given its node's, which lives as long as the service. Thread-safe.
class Context {
public:
  explicit Context(detail::LocalLife& life) : life_(life) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() = default;

  /// The node's name, such as "actor/3".
  const std::string& node() const;
  Rank rank() const;
  /// Counts the lives of the node, from 1.
  int incarnation() const;
  /// A number of this node alone, from the program's seed: the same in each run with that seed, and
  /// in each incarnation.
  std::uint64_t seed() const;
  /// The seed that the program was started with (`--seed`), for what all nodes must agree on.
  std::uint64_t program_seed() const;
  /// The GPUs given to the node; empty if it has none.
  std::vector<int> gpus() const;

  /// Whether the node is asked to end. A `run` loop ends soon after.
  bool stopping() const;
  /// Waits until the node is asked to end; false if `patience` ran out first. 0 polls.
  bool wait_for_stop(Duration patience = forever) const;
  /// For `std::condition_variable_any`, `std::stop_callback` and your own loops.
  std::stop_token stop_token() const;
  /// Runs `handler` once when the node is asked to end (at once if it has been), on a thread of its
  /// own, in the order of registration. What it throws is logged.
  void on_stop(std::function<void()> handler);

  /// Stops the whole program. @param reason what `run` says at its end  @param status of `run`, 0
  /// for success
  void stop(const std::string& reason = {}, int status = 0);

  /// Counters, gauges and histograms of this node.
  MetricSet& metrics() const;
  Log log() const;

  // For Callboard's own use.
  detail::LocalLife& life() const noexcept { return life_; }

private:
  detail::LocalLife& life_;
};

} // namespace callboard
