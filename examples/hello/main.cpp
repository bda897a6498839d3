// SPDX-License-Identifier: Apache-2.0
#include <callboard/callboard.hpp>

#include <cstdio>

class Hello {
public:
  explicit Hello(std::string name) : name_(std::move(name)) {}
  void run() const { std::printf("Hello, %s!\n", name_.c_str()); }

private:
  std::string name_;
};

int main(int argc, char** argv) {
  return callboard::run("hello", argc, argv, [](callboard::Program& program) {
    program.add<Hello>("hello", "world");
  });
}
