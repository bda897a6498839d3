// SPDX-License-Identifier: Apache-2.0
// A program that ends in the way that its flags ask for.
#include <callboard/callboard.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace {

using namespace callboard; // NOLINT(google-build-using-namespace): as users do

struct Config {
  bool fails = false;
  bool stubborn = false;
  bool ends = false;
  bool bad_graph = false;
  bool starts_a_shell = false;
  int status = 0; ///< given to stop
};

bool ended_by_sigterm(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
}

void start_children() {
  if (ended_by_sigterm(std::system("kill -TERM $$"))) {
    std::cout << "a shell ended by SIGTERM" << std::endl;
  }
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (ended_by_sigterm(status)) {
    std::cout << "a fork ended by SIGTERM" << std::endl;
  }
}

class Node {
public:
  Node(Context& context, Config config) : context_(context), config_(config) {}
  void run() {
    std::cout << "runs" << std::endl;
    if (config_.fails) {
      throw std::runtime_error("as was asked");
    }
    if (config_.status != 0) {
      context_.stop("as was asked", config_.status);
    }
    if (config_.starts_a_shell) {
      start_children();
      return;
    }
    if (config_.ends) {
      return;
    }
    context_.wait_for_stop();
    std::cout << "told" << std::endl;
    while (config_.stubborn) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    std::cout << "ends" << std::endl;
  }

private:
  Context& context_;
  Config config_;
};

} // namespace

int main(int argc, char** argv) {
  return run<Config>("exit_program", argc, argv, [](Program& program, const Config& config) {
    program.add<Node>(
        {
            .label = config.bad_graph ? "no label" : "node",
            .on_failure = OnFailure::stop_program,
        },
        config);
  });
}
