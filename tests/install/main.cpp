// SPDX-License-Identifier: Apache-2.0
// Prints a greeting that one node asks of another, if the installed headers and libraries belong
// together.
#include <callboard/callboard.hpp>

#include <iostream>
#include <string>

using namespace callboard;

struct Config {
  std::string name = "package";
};

class Greeter {
public:
  std::string greet(const std::string& name) const { return "Hello, " + name + "!"; }
  using exposed = methods<&Greeter::greet>;
};

class Guest {
public:
  Guest(const Config& config, Client<Greeter> greeter)
      : name_(config.name), greeter_(std::move(greeter)) {}
  void run() { std::cout << greeter_.call<&Greeter::greet>(name_) << '\n'; }

private:
  std::string name_;
  Client<Greeter> greeter_;
};

int main(int argc, char** argv) {
  return run<Config>("outside", argc, argv, [](Program& program, const Config& config) {
    auto greeter = program.add<Greeter>("greeter");
    program.add<Guest>("guest", config, greeter);
  });
}
