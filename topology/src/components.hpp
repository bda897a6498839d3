// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which nodes hang together in cycles.
#pragma once

#include <cstddef>
#include <vector>

namespace callboard::detail {

/// For each node the nodes that it points to.
using Adjacency = std::vector<std::vector<std::size_t>>;

/// The number of each node's strongly connected component. (Tarjan, 1972, without recursion.)
std::vector<std::size_t> components(const Adjacency& graph);

} // namespace callboard::detail
