// SPDX-License-Identifier: Apache-2.0
#include "components.hpp"

#include <algorithm>
#include <limits>

namespace callboard::detail {
namespace {

constexpr std::size_t unseen = std::numeric_limits<std::size_t>::max();

class Search {
public:
  explicit Search(const Adjacency& graph)
      : graph_(graph),
        order_(graph.size(), unseen),
        lowest_(graph.size(), 0),
        component_(graph.size(), unseen) {}

  std::vector<std::size_t> run() && {
    for (std::size_t node = 0; node < graph_.size(); ++node) {
      if (order_[node] == unseen) {
        visit(node);
      }
    }
    return std::move(component_);
  }

private:
  struct Step {
    std::size_t node;
    std::size_t next = 0; ///< which of its edges comes next
  };

  void visit(std::size_t root) {
    std::vector<Step> path{enter(root)};
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next < graph_[step.node].size()) {
        const std::size_t target = graph_[step.node][step.next++];
        if (order_[target] == unseen) {
          path.push_back(enter(target));
        } else if (component_[target] == unseen) {
          lowest_[step.node] = std::min(lowest_[step.node], order_[target]);
        }
        continue;
      }
      const std::size_t node = step.node;
      path.pop_back();
      leave(node, path);
    }
  }

  Step enter(std::size_t node) {
    order_[node] = lowest_[node] = count_++;
    open_.push_back(node);
    return {.node = node};
  }

  void leave(std::size_t node, const std::vector<Step>& path) {
    if (!path.empty()) {
      lowest_[path.back().node] = std::min(lowest_[path.back().node], lowest_[node]);
    }
    if (lowest_[node] != order_[node]) {
      return;
    }
    std::size_t member = unseen;
    while (member != node) {
      member = open_.back();
      open_.pop_back();
      component_[member] = components_;
    }
    ++components_;
  }

  const Adjacency& graph_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> lowest_;
  std::vector<std::size_t> component_;
  std::vector<std::size_t> open_;
  std::size_t count_ = 0;
  std::size_t components_ = 0;
};

} // namespace

std::vector<std::size_t> components(const Adjacency& graph) {
  return Search(graph).run();
}

} // namespace callboard::detail
