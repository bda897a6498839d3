// SPDX-License-Identifier: Apache-2.0
//
//                 evaluate(generation, 0, 16)    ┌───────────┐
//   ┌──────────┐ ──────────────────────────────► │ worker/0  │
//   │ search/0 │ ◄────────────────────────────── │     …     │
//   └──────────┘     16 losses of 64             │ worker/3  │
//                                                └───────────┘
#include <callboard/callboard.hpp>

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <random>
#include <vector>

using namespace callboard;

struct Config {
  int workers = 4;
  int population = 64; // evaluations in each generation; even
  int dimensions = 10;
  int generations = 50;
  double noise = 0.1;
  double learning_rate = 0.1;
};

using Point = std::vector<double>;

/// All that the points around `centre` are made from, wherever they are needed.
struct Generation {
  std::uint64_t seed = 0;
  int number = 0;
  double noise = 0;
  Point centre;
};

/// The distance of a point from (1, 2, 3, …), squared.
double loss(const Point& point) {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double difference = point[i] - static_cast<double>(i + 1);
    sum += difference * difference;
  }
  return sum;
}

/// The direction of candidate `index`: those of an even and the next odd one are opposite. Close to
/// a normal distribution, as the sum of twelve uniform numbers; unlike a logarithm's, its last bit
/// is the same on every machine.
Point direction(const Generation& generation, int index) {
  std::seed_seq seeds{
      static_cast<std::uint32_t>(generation.seed),
      static_cast<std::uint32_t>(generation.seed >> 32),
      static_cast<std::uint32_t>(generation.number),
      static_cast<std::uint32_t>(index / 2)};
  std::mt19937 random(seeds);
  Point direction(generation.centre.size());
  for (double& component : direction) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += random() * 0x1p-32;
    }
    component = index % 2 == 0 ? sum : -sum;
  }
  return direction;
}

class Worker {
public:
  /// The losses of the candidates `begin` to `end` - 1.
  std::vector<double> evaluate(const Generation& generation, int begin, int end) const {
    std::vector<double> losses;
    for (int index = begin; index < end; ++index) {
      Point candidate = direction(generation, index);
      for (std::size_t i = 0; i < candidate.size(); ++i) {
        candidate[i] = generation.centre[i] + generation.noise * candidate[i];
      }
      losses.push_back(loss(candidate));
    }
    return losses;
  }

  using exposed = methods<&Worker::evaluate>;
};

class Search {
public:
  Search(Context& context, Config config, std::vector<Client<Worker>> workers)
      : context_(context), config_(config), workers_(std::move(workers)) {}

  void run() {
    Generation generation{
        .seed = context_.seed(), .noise = config_.noise, .centre = Point(config_.dimensions)};
    print(generation);
    while (generation.number < config_.generations && !context_.stopping()) {
      descend(generation, evaluate(generation));
      if (++generation.number % 10 == 0) {
        print(generation);
      }
    }
  }

private:
  /// The losses of all candidates, in their order, whoever computed them.
  std::vector<double> evaluate(const Generation& generation) const {
    const int size = static_cast<int>(workers_.size());
    std::vector<Future<std::vector<double>>> parts;
    for (int i = 0; i < size; ++i) {
      const int begin = config_.population * i / size;
      const int end = config_.population * (i + 1) / size;
      parts.push_back(workers_[i].async<&Worker::evaluate>(generation, begin, end));
    }
    std::vector<double> losses;
    for (const auto& part : when_all(std::move(parts)).get()) {
      losses.insert(losses.end(), part.begin(), part.end());
    }
    return losses;
  }

  /// Salimans et al. (2017), "Evolution strategies as a scalable alternative to reinforcement
  /// learning", algorithm 1 with mirrored sampling. Sums in the order of the candidates.
  void descend(Generation& generation, const std::vector<double>& losses) const {
    Point gradient(generation.centre.size());
    for (int index = 0; index < config_.population; ++index) {
      const Point towards = direction(generation, index);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] += losses[index] * towards[i];
      }
    }
    const double scale = config_.learning_rate / (config_.population * config_.noise);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      generation.centre[i] -= scale * gradient[i];
    }
  }

  /// The loss also as it is in memory, to the last bit.
  static void print(const Generation& generation) {
    const double present = loss(generation.centre);
    std::cout << "generation " << std::setw(2) << generation.number << "  loss " << std::scientific
              << std::setprecision(4) << present << "  " << std::hexfloat << present << '\n';
  }

  Context& context_;
  Config config_;
  std::vector<Client<Worker>> workers_;
};

void build(Program& program, const Config& config) {
  auto workers = program.add_group<Worker>({.label = "worker", .replicas = config.workers});
  program.add<Search>("search", config, workers);
}

int main(int argc, char** argv) {
  return run<Config>("evolution_strategies", argc, argv, build);
}
