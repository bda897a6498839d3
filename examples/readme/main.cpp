// SPDX-License-Identifier: Apache-2.0
// The program of the README at the top of the project.
#include <callboard/callboard.hpp>

#include <cstdio>

using namespace callboard;

struct Config {
  int actors = 4; // a flag: --actors=8
};

class Counter { // a plain class is a service
public:
  long add(long steps) { return total_ += steps; }
  using exposed = methods<&Counter::add>; // what other nodes may call

private:
  long total_ = 0;
};

class Actor { // a node with a loop of its own
public:
  Actor(Context& context, Client<Counter> counter) : context_(context), counter_(counter) {}

  void run() {
    long total = 0;
    while (!context_.stopping() && total < 1'000'000) {
      total = counter_.call<&Counter::add>(1); // waits, has a deadline, throws CallError
    }
    std::printf("%s saw %ld steps\n", context_.node().c_str(), total);
  }

private:
  Context& context_;
  Client<Counter> counter_;
};

void build(Program& program, const Config& config) {
  auto counter = program.add<Counter>("counter");
  program.add_group<Actor>({.label = "actor", .replicas = config.actors}, counter);
}

int main(int argc, char** argv) {
  return run<Config>("count", argc, argv, build);
}
