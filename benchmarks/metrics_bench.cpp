// SPDX-License-Identifier: Apache-2.0
// What counting costs, alone and with a second thread at the same metric; a plain shared atomic for
// comparison.
#include <callboard/registry.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

callboard::MetricSet& set() {
  static callboard::MetricSet set(callboard::Labels{{"node", "actor/0"}});
  return set;
}

void increment(benchmark::State& state) {
  callboard::CounterMetric& counter = set().counter("env_steps");
  for (auto _ : state)
    counter.increment();
}
BENCHMARK(increment)->ThreadRange(1, 2);

void find_and_increment(benchmark::State& state) {
  set().gauge("queue_length");
  for (auto _ : state)
    set().counter("env_steps").increment();
}
BENCHMARK(find_and_increment)->ThreadRange(1, 2);

void observe(benchmark::State& state) {
  callboard::HistogramMetric& histogram = set().histogram("seconds");
  double value = 1e-6;
  for (auto _ : state) {
    histogram.observe(value);
    value = value > 1 ? 1e-6 : value * 1.1;
  }
}
BENCHMARK(observe)->ThreadRange(1, 2);

void increment_one_shared_atomic(benchmark::State& state) {
  static std::atomic<std::uint64_t> shared{0};
  for (auto _ : state)
    shared.fetch_add(1, std::memory_order_relaxed);
}
BENCHMARK(increment_one_shared_atomic)->ThreadRange(1, 2);

void find_under_a_shared_mutex(benchmark::State& state) {
  static std::shared_mutex mutex;
  static std::unordered_map<std::string_view, std::atomic<std::uint64_t>> counters;
  if (state.thread_index() == 0)
    counters["env_steps"];
  for (auto _ : state) {
    const std::shared_lock lock(mutex);
    counters.find("env_steps")->second.fetch_add(1, std::memory_order_relaxed);
  }
}
BENCHMARK(find_under_a_shared_mutex)->ThreadRange(1, 2);

void text_of_100_nodes(benchmark::State& state) {
  callboard::Registry registry;
  for (int node = 0; node < 100; ++node) {
    const auto one = registry.add({{"group", "actor"}, {"node", std::to_string(node)}});
    for (const char* name : {"a", "b", "c", "d", "e"})
      one->counter(name).increment();
    one->histogram("seconds").observe(0.1);
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(registry.text());
}
BENCHMARK(text_of_100_nodes)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
