// SPDX-License-Identifier: Apache-2.0
#include "calls/callboard_loads.hpp"

#include <callboard/client.hpp>
#include <callboard/detail/front.hpp>
#include <callboard/tensor.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace callboard::bench {
namespace {

class Echo {
public:
  int echo(int value) const { return value; }
  Tensor pass(const Tensor& tensor) const { return tensor; }
  using exposed = methods<&Echo::echo, &Echo::pass>;
};

class Sink {
public:
  void add(int value) { sum_ += value; }
  long sum() const { return sum_; }
  using exposed = methods<&Sink::add, &Sink::sum>;

private:
  long sum_ = 0;
};

/// Makes calls from inside its methods.
class Driver {
public:
  Deferred<void> call_with_then(const Client<Echo>& echo, int calls) {
    echo_ = echo;
    unsent_ = calls;
    unanswered_ = calls;
    finished_ = {};
    for (int i = 0; i < window; ++i) {
      send_one();
    }
    return finished_;
  }

  Task<void> call_in_task(Client<Echo> echo, int calls) {
    for (int i = 0; i < calls; ++i) {
      co_await echo.async<&Echo::echo>(i);
    }
  }

  void tell(const Client<Sink>& sink, int tells) {
    for (int i = 0; i < tells; ++i) {
      sink.tell<&Sink::add>(1);
    }
  }

  using exposed = methods<&Driver::call_with_then, &Driver::call_in_task, &Driver::tell>;

private:
  void send_one() {
    if (unsent_ == 0) {
      return;
    }
    --unsent_;
    static_cast<void>(echo_.async<&Echo::echo>(unsent_).then([this](int) { finish_one(); }));
  }

  void finish_one() {
    if (--unanswered_ == 0) {
      finished_.set();
    } else {
      send_one();
    }
  }

  Client<Echo> echo_;
  int unsent_ = 0;
  int unanswered_ = 0;
  Deferred<void> finished_;
};

/// Nodes of one runtime, as in a program of one process.
class Nodes {
public:
  Nodes() = default;
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  ~Nodes() {
    for (const auto& front : fronts_) {
      front->close({.code = Code::unavailable, .message = "the benchmark has ended"});
    }
    runtime_->close(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  }

  template <class S>
  Client<S> add(std::string name) {
    auto service = std::make_shared<S>();
    auto front = std::make_shared<detail::Front>(std::move(name), runtime_);
    front->serve(
        {.interface = &detail::interface_of<S>(), .service = service.get(), .owner = service});
    fronts_.push_back(front);
    return Client<S>(std::move(front)).with({.deadline = std::chrono::seconds(60)});
  }

private:
  std::shared_ptr<detail::ActorRuntime> runtime_ = detail::ActorRuntime::make({});
  std::vector<std::shared_ptr<detail::Front>> fronts_;
};

/// A service runs on callers' threads once it has been seen to be short.
constexpr int warm_up = 1000;

Cost time_passing(const Client<Echo>& echo, const Tensor& tensor, int calls) {
  const Stopwatch stopwatch;
  for (int i = 0; i < calls; ++i) {
    echo.call<&Echo::pass>(tensor);
  }
  return stopwatch.per_operation(calls);
}

} // namespace

Cost call_from_thread(int calls) {
  Nodes nodes;
  const auto echo = nodes.add<Echo>("echo");
  for (int i = 0; i < warm_up; ++i) {
    echo.call<&Echo::echo>(i);
  }
  const Stopwatch stopwatch;
  for (int i = 0; i < calls; ++i) {
    echo.call<&Echo::echo>(i);
  }
  return stopwatch.per_operation(calls);
}

Cost pipeline_from_thread(int calls) {
  Nodes nodes;
  const auto echo = nodes.add<Echo>("echo");
  std::deque<Future<int>> under_way;
  const Stopwatch stopwatch;
  for (int i = 0; i < calls; ++i) {
    if (under_way.size() == window) {
      under_way.front().get();
      under_way.pop_front();
    }
    under_way.push_back(echo.async<&Echo::echo>(i));
  }
  for (auto& future : under_way) {
    future.get();
  }
  return stopwatch.per_operation(calls);
}

Cost pipeline_from_service(int calls) {
  Nodes nodes;
  const auto echo = nodes.add<Echo>("echo");
  const auto driver = nodes.add<Driver>("driver");
  const Stopwatch stopwatch;
  driver.call<&Driver::call_with_then>(echo, calls);
  return stopwatch.per_operation(calls);
}

Cost pipeline_from_tasks(int calls) {
  Nodes nodes;
  const auto echo = nodes.add<Echo>("echo");
  const auto driver = nodes.add<Driver>("driver");
  std::vector<Future<void>> tasks;
  const Stopwatch stopwatch;
  for (int i = 0; i < window; ++i) {
    tasks.push_back(driver.async<&Driver::call_in_task>(echo, calls / window));
  }
  when_all(std::move(tasks)).get();
  return stopwatch.per_operation(calls / window * window);
}

Cost tell_from_thread(int tells) {
  Nodes nodes;
  const auto sink = nodes.add<Sink>("sink");
  const Stopwatch stopwatch;
  for (int i = 0; i < tells; ++i) {
    sink.tell<&Sink::add>(1);
  }
  sink.call<&Sink::sum>();
  return stopwatch.per_operation(tells);
}

Cost tell_from_service(int tells) {
  Nodes nodes;
  const auto sink = nodes.add<Sink>("sink");
  const auto driver = nodes.add<Driver>("driver");
  const Stopwatch stopwatch;
  driver.call<&Driver::tell>(sink, tells);
  sink.call<&Sink::sum>();
  return stopwatch.per_operation(tells);
}

Cost pass_value(int calls, std::size_t bytes) {
  Nodes nodes;
  const auto echo = nodes.add<Echo>("echo");
  const auto tensor = Tensor::from(std::vector<float>(bytes / sizeof(float)));
  time_passing(echo, tensor, warm_up);
  return time_passing(echo, tensor, calls);
}

} // namespace callboard::bench
