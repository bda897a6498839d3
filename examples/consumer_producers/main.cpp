// SPDX-License-Identifier: Apache-2.0
//
//                     work(i)   ┌────────────┐
//   ┌────────────┐ ───────────► │ producer/0 │
//   │ consumer/0 │              ├────────────┤
//   └────────────┘ ───────────► │ producer/1 │
//                               └────────────┘
#include <callboard/callboard.hpp>

#include <iostream>
#include <vector>

using namespace callboard;

struct Config {
  int producers = 2;
};

class Producer {
public:
  int work(int x) const { return x; }
  using exposed = methods<&Producer::work>;
};

class Consumer {
public:
  explicit Consumer(std::vector<Client<Producer>> producers) : producers_(std::move(producers)) {}

  void run() {
    for (int step = 0; step < 10; ++step) {
      std::cout << "step " << step << ':';
      for (const int result : ask_all()) {
        std::cout << ' ' << result;
      }
      std::cout << '\n';
    }
  }

private:
  /// All producers work at the same time; the results come in the order of the producers.
  std::vector<int> ask_all() {
    std::vector<Future<int>> results;
    for (const Client<Producer>& producer : producers_) {
      results.push_back(producer.async<&Producer::work>(static_cast<int>(results.size())));
    }
    return when_all(std::move(results)).get();
  }

  std::vector<Client<Producer>> producers_;
};

void build(Program& program, const Config& config) {
  auto producers = program.add_group<Producer>({.label = "producer", .replicas = config.producers});
  program.add<Consumer>("consumer", producers);
}

int main(int argc, char** argv) {
  return run<Config>("consumer_producers", argc, argv, build);
}
