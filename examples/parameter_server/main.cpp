// SPDX-License-Identifier: Apache-2.0
//
//   ┌──────────┐  pull()            ┌──────────┐
//   │ worker/0 │ ─────────────────► │ server/0 │  weights 0 … 511     ┌──────────┐
//   │    …     │  push(gradient)    ├──────────┤ ◄─────────────────── │ report/0 │
//   │ worker/3 │ ─────────────────► │ server/1 │  weights 512 … 1023  └──────────┘
//   └──────────┘                    └──────────┘                           ▲
//        └───────────────────── finished() ────────────────────────────────┘
#include <callboard/callboard.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <vector>

using namespace callboard;

struct Config {
  int servers = 2;
  int workers = 4;
  int weights = 512; // of each server
  int steps = 100;   // of each worker
  float learning_rate = 0.25f;
};

/// Keeps one part of the weights.
class ParameterServer {
public:
  explicit ParameterServer(int size) : weights_(DType::f32, {size}) {}

  Tensor pull() const { return weights_; }

  void push(const Tensor& gradient, float learning_rate) {
    gradient.expect(DType::f32, weights_.shape());
    const auto slope = gradient.span<float>();
    const auto weights = weights_.mutable_span<float>();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] -= learning_rate * slope[i];
    }
  }

  using exposed = methods<&ParameterServer::pull, &ParameterServer::push>;

private:
  Tensor weights_;
};

using Servers = std::vector<Client<ParameterServer>>;

/// Sums up all weights when the last worker has finished.
class Report {
public:
  Report(const Config& config, Servers servers)
      : working_(config.workers), servers_(std::move(servers)) {}

  Task<void> finished() {
    if (--working_ > 0) {
      co_return;
    }
    double sum = 0;
    for (const Client<ParameterServer>& server : servers_) {
      const Tensor weights = co_await server.async<&ParameterServer::pull>();
      const auto values = weights.span<float>();
      sum = std::accumulate(values.begin(), values.end(), sum);
    }
    std::cout << "sum of the weights: " << std::setprecision(15) << sum << '\n';
  }

  using exposed = methods<&Report::finished>;

private:
  int working_;
  Servers servers_;
};

/// Moves the weights towards a target that is too far to be reached: the gradient of |weight -
/// target| is -1 for each, so the sum at the end is exact, in whichever order the workers push.
class Worker {
public:
  Worker(Context& context, const Config& config, Servers servers, Client<Report> report)
      : context_(context),
        config_(config),
        servers_(std::move(servers)),
        report_(std::move(report)) {}

  void run() {
    for (int step = 0; step < config_.steps && !context_.stopping(); ++step) {
      for (const Client<ParameterServer>& server : servers_) {
        const Tensor weights = server.call<&ParameterServer::pull>();
        server.tell<&ParameterServer::push>(gradient(weights), config_.learning_rate);
      }
    }
    if (!context_.stopping()) {
      report_.call<&Report::finished>();
    }
  }

private:
  static Tensor gradient(const Tensor& weights) {
    constexpr float target = 1e6f;
    Tensor slope(DType::f32, weights.shape());
    const auto values = weights.span<float>();
    std::transform(values.begin(), values.end(), slope.mutable_data<float>(), [](float weight) {
      return weight < target ? -1.0f : 1.0f;
    });
    return slope;
  }

  Context& context_;
  Config config_;
  Servers servers_;
  Client<Report> report_;
};

void build(Program& program, const Config& config) {
  auto servers = program.add_group<ParameterServer>(
      {.label = "server", .replicas = config.servers}, config.weights);
  auto report = program.add<Report>("report", config, servers);
  program.add_group<Worker>(
      {.label = "worker", .replicas = config.workers}, config, servers, report);
}

int main(int argc, char** argv) {
  return run<Config>("parameter_server", argc, argv, build);
}
