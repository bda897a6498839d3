// SPDX-License-Identifier: Apache-2.0
// A program that ends in the way that its flags ask for.
#include <callboard/callboard.hpp>

#include <iostream>
#include <thread>

namespace {

using namespace callboard;

struct Config {
  bool fails = false;
  bool stubborn = false;
  bool ends = false;
  bool bad_graph = false;
  int status = 0; ///< given to stop
};

class Node {
public:
  Node(Context& context, Config config) : context_(context), config_(config) {}
  void run() {
    std::cout << "runs" << std::endl; // NOLINT(performance-avoid-endl): the test waits for it
    if (config_.fails) {
      throw std::runtime_error("as was asked");
    }
    if (config_.status != 0) {
      context_.stop("as was asked", config_.status);
    }
    if (config_.ends) {
      return;
    }
    context_.wait_for_stop();
    std::cout << "told" << std::endl; // NOLINT(performance-avoid-endl)
    while (config_.stubborn) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    std::cout << "ends" << std::endl; // NOLINT(performance-avoid-endl)
  }

private:
  Context& context_;
  Config config_;
};

} // namespace

int main(int argc, char** argv) {
  return run<Config>("exit_program", argc, argv, [](Program& program, const Config& config) {
    program.add<Node>(config.bad_graph ? "no label" : "node", config);
  });
}
