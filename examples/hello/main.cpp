// SPDX-License-Identifier: Apache-2.0
//
//   ┌─────────┐
//   │ hello/0 │   one node, called by nobody
//   └─────────┘
#include <callboard/callboard.hpp>

#include <iostream>
#include <string>

class Hello {
public:
  explicit Hello(std::string name) : name_(std::move(name)) {}
  void run() const { std::cout << "Hello, " << name_ << "!\n"; }

private:
  std::string name_;
};

int main(int argc, char** argv) {
  return callboard::run("hello", argc, argv, [](callboard::Program& program) {
    program.add<Hello>("hello", "world");
  });
}
