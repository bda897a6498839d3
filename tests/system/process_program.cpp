// SPDX-License-Identifier: Apache-2.0
// A program for tests of processes: workers that count at a counter, each node saying in which
// process it is.
#include <callboard/callboard.hpp>

#include <unistd.h>

#include <csignal>
#include <iostream>
#include <thread>

namespace {

using namespace callboard;
using namespace std::chrono_literals;

struct Config {
  int workers = 2;
  int counts = 100;      ///< of each worker; 0: until the stop
  bool waits = false;    ///< workers go on until they are told to end
  int throws = 0;        ///< lives of worker/0 that end with an exception
  int dies = 0;          ///< lives of worker/0 that end with a signal
  int signal = 9;        ///< which
  bool stops = false;    ///< the death of a worker stops the program
  bool stubborn = false; ///< worker/0 does not end
  bool crooked = false;  ///< each process builds another graph
  bool slow = false;     ///< a call to the counter does not end
};

void say(const Context& context, const std::string& text) {
  std::cout << context.node() + "." + std::to_string(context.incarnation()) + " " + text + "\n"
            << std::flush;
}

class Counter {
public:
  explicit Counter(Context& context) : context_(context) {
    say(context, "in process " + std::to_string(getpid()));
  }
  ~Counter() { say(context_, "sum " + std::to_string(sum_)); }
  void add(int n) { sum_ += n; }
  int sum() const { return sum_; }
  Deferred<int> never() {
    say(context_, "is asked");
    return waiting_.emplace_back();
  }
  using exposed = methods<&Counter::add, &Counter::sum, &Counter::never>;

private:
  Context& context_;
  int sum_ = 0;
  std::vector<Deferred<int>> waiting_;
};

class Worker {
public:
  Worker(Context& context, Config config, int salt, Client<Counter> counter)
      : context_(context), config_(config), counter_(std::move(counter)) {
    static_cast<void>(salt);
  }

  void run() {
    say(context_, "in process " + std::to_string(getpid()));
    const bool first = context_.rank().index == 0;
    if (config_.slow) {
      report_end_of([&] { counter_.call<&Counter::never>(); });
    }
    for (int i = 0; i < config_.counts; ++i) {
      counter_.call<&Counter::add>(1);
      context_.metrics().counter("counted").increment();
    }
    if (first && context_.incarnation() <= config_.throws) {
      throw std::runtime_error("worker/0 can't go on");
    }
    if (first && context_.incarnation() <= config_.dies) {
      std::cerr << "the last words" << std::endl; // NOLINT(performance-avoid-endl)
      raise(config_.signal);
    }
    say(context_, "has counted");
    if (config_.waits) {
      context_.wait_for_stop();
    }
    while (first && config_.stubborn) {
      std::this_thread::sleep_for(1h);
    }
    say(context_, "ends");
  }

private:
  template <class F>
  void report_end_of(F f) {
    try {
      f();
    } catch (const CallError& error) {
      say(context_, "call ended: " + std::string(error.what()));
    }
  }

  Context& context_;
  const Config config_;
  Client<Counter> counter_;
};

} // namespace

int main(int argc, char** argv) {
  return run<Config>("process_program", argc, argv, [](Program& program, const Config& config) {
    auto counter = program.add<Counter>("counter");
    program.add_group<Worker>(
        {
            .label = "worker",
            .replicas = config.workers,
            .on_failure = config.stops ? OnFailure::stop_program : OnFailure::restart,
        },
        config,
        config.crooked ? static_cast<int>(getpid()) : 0,
        counter);
  });
}
