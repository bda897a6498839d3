// SPDX-License-Identifier: Apache-2.0
#include <callboard/metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CALLBOARD_COUNTS_ALLOCATIONS

namespace {
thread_local std::uint64_t allocations = 0;
} // namespace

// Not inlined: GCC would see free() in one place and new in another, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size))
    return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif

namespace callboard {
namespace {

using testing::HasSubstr;

template <class Act>
std::string text_of_invalid_argument(Act act) {
  try {
    act();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string name_of(int i) {
  return std::string("c").append(std::to_string(i));
}

/// Runs `act(index)` in so many threads at the same time.
template <class Act>
void in_threads(int count, Act act) {
  std::barrier start(count);
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      act(i);
    });
}

TEST(CounterTest, AddsUpExactlyWhatManyThreadsCount) {
  MetricSet set({});
  constexpr int threads = 24; // more than there are copies, so some share one
  constexpr int rounds = 20'000;
  in_threads(threads, [&](int) {
    for (int i = 0; i < rounds; ++i) {
      set.counter("env_steps").increment();
      set.counter("bytes").increment(3);
    }
  });
  EXPECT_EQ(set.counter("env_steps").value(), std::uint64_t{threads} * rounds);
  EXPECT_EQ(set.counter("bytes").value(), std::uint64_t{threads} * rounds * 3);
}

TEST(CounterTest, NeverFallsWhileItIsCounted) {
  CounterMetric counter;
  std::jthread counting([&](const std::stop_token& stop) {
    while (!stop.stop_requested())
      counter.increment();
  });
  std::uint64_t before = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t now = counter.value();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(GaugeTest, KeepsWhatWasSetAndAdded) {
  GaugeMetric gauge;
  EXPECT_EQ(gauge.value(), 0);
  gauge.set(2.5);
  gauge.add(-4);
  EXPECT_EQ(gauge.value(), -1.5);
}

TEST(GaugeTest, LosesNoAdditionOfTwoThreads) {
  GaugeMetric gauge;
  in_threads(2, [&](int i) {
    for (int n = 0; n < 10'000; ++n)
      gauge.add(i == 0 ? 2 : -1);
  });
  EXPECT_EQ(gauge.value(), 10'000);
}

TEST(MetricSetTest, GivesTheSameMetricForTheSameName) {
  MetricSet set(Labels{{"node", "actor/3"}});
  CounterMetric& steps = set.counter("steps", "Steps taken.");
  EXPECT_EQ(&set.counter("steps"), &steps);
  EXPECT_EQ(&set.counter("steps_total"), &steps) << "the suffix is added anyway";
  EXPECT_EQ(&set.counter("callboard_steps_total"), &steps) << "the prefix is added anyway";
  EXPECT_NE(&set.counter("other"), &steps);
  EXPECT_EQ(&set.gauge("callboard_length"), &set.gauge("length"));
}

TEST(MetricSetTest, KeepsReferencesGoodWhileItGrows) {
  MetricSet set({});
  std::vector<CounterMetric*> counters;
  for (int i = 0; i < 1000; ++i)
    counters.push_back(&set.counter(name_of(i)));
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(&set.counter(name_of(i)), counters[static_cast<std::size_t>(i)]);
  EXPECT_EQ(set.snapshot().size(), 1000);
}

TEST(MetricSetTest, MakesEachMetricOnceWhenThreadsAskForThemTogether) {
  MetricSet set({});
  in_threads(4, [&](int) {
    for (int i = 0; i < 300; ++i)
      set.counter(name_of(i)).increment();
  });
  const std::vector<MetricSample> samples = set.snapshot();
  ASSERT_EQ(samples.size(), 300);
  for (const MetricSample& sample : samples)
    EXPECT_EQ(std::get<std::uint64_t>(sample.value), 4) << sample.name;
}

TEST(MetricSetTest, ShowsNamesTextsAndValuesInASnapshot) {
  MetricSet set({});
  set.counter("callboard_steps_total", "Steps taken.").increment(7);
  set.gauge("length").set(1.5);
  set.histogram("seconds").observe(0.25);
  const std::vector<MetricSample> samples = set.snapshot();
  ASSERT_EQ(samples.size(), 3);
  EXPECT_EQ(samples[0].name, "steps");
  EXPECT_EQ(samples[0].help, "Steps taken.");
  EXPECT_EQ(std::get<std::uint64_t>(samples[0].value), 7);
  EXPECT_EQ(std::get<double>(samples[1].value), 1.5);
  EXPECT_EQ(std::get<HistogramSnapshot>(samples[2].value).count, 1);
}

TEST(MetricSetTest, TellsACountersValueIfThereIsOne) {
  MetricSet set({});
  set.counter("steps").increment(2);
  set.gauge("length");
  EXPECT_EQ(set.counter_value("steps_total"), 2);
  EXPECT_EQ(set.counter_value("length"), std::nullopt);
  EXPECT_EQ(set.counter_value("nothing"), std::nullopt);
}

TEST(MetricSetTest, RefusesNamesThatPrometheusRefuses) {
  MetricSet set({});
  for (const char* name : {"", "env steps", "3d", "caf\xc3\xa9", "a-b", "a{b}", "\n", "callboard_"})
    EXPECT_THROW(set.counter(name), std::invalid_argument) << name;
  for (const char* name : {"a", "_", "A9", ":x:y", "total", "callboard_9"})
    EXPECT_NO_THROW(set.counter(name)) << name;
}

TEST(MetricSetTest, SuggestsANameThatFits) {
  MetricSet set({});
  const std::string text = text_of_invalid_argument([&] { set.gauge("3 queue-length"); });
  EXPECT_THAT(text, HasSubstr("gauge \"3 queue-length\""));
  EXPECT_THAT(text, HasSubstr("\"n_3_queue_length\""));
}

TEST(MetricSetTest, RefusesANameOfAnotherKindAndNamesBoth) {
  MetricSet set({});
  set.gauge("steps");
  const std::string text = text_of_invalid_argument([&] { set.counter("steps"); });
  EXPECT_THAT(text, HasSubstr("counter \"steps\""));
  EXPECT_THAT(text, HasSubstr("gauge(\"steps\")"));
}

TEST(MetricSetTest, RefusesNamesThatWouldWriteAnotherMetricsLines) {
  MetricSet set({});
  set.counter("steps");
  EXPECT_THROW(set.gauge("steps_total"), std::invalid_argument);
  set.histogram("seconds");
  EXPECT_THROW(set.gauge("seconds_count"), std::invalid_argument);
  EXPECT_THROW(set.gauge("seconds_bucket"), std::invalid_argument);
  set.gauge("bytes_sum");
  EXPECT_THROW(set.histogram("bytes"), std::invalid_argument);
  EXPECT_EQ(set.snapshot().size(), 3) << "nothing is made by a call that throws";
}

TEST(MetricSetTest, RefusesLabelsThatPrometheusRefuses) {
  for (const char* name : {"", "a b", "1a", "a:b", "__name__", "le"})
    EXPECT_THROW(MetricSet(Labels{{name, "x"}}), std::invalid_argument) << name;
  EXPECT_NO_THROW(MetricSet(Labels{{"node", "any \xff bytes\n"}}));
}

TEST(MetricSetTest, RefusesARangeThatIsNoneAndMakesNothing) {
  MetricSet set({});
  EXPECT_THROW(set.histogram("h", {}, {.smallest = 0}), std::invalid_argument);
  EXPECT_TRUE(set.snapshot().empty());
  EXPECT_NO_THROW(set.gauge("h")) << "the name was not taken";
}

#ifdef CALLBOARD_COUNTS_ALLOCATIONS
TEST(MetricSetTest, AllocatesNothingToFindAMetric) {
  MetricSet set({});
  const std::string name = "a_name_that_is_longer_than_what_a_string_holds_in_itself_total";
  set.counter(name);
  set.histogram("seconds").observe(1);
  const std::uint64_t before = allocations;
  set.counter(name).increment();
  set.histogram("seconds").observe(2);
  EXPECT_EQ(allocations - before, 0);
}
#endif

} // namespace
} // namespace callboard
