// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: how much memory calls leave behind.
#pragma once

#include <callboard/testing/serve.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

namespace callboard {

/// In MiB.
inline double resident_memory() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

class Echo {
public:
  int echo(int n) const { return n; }
  using exposed = methods<&Echo::echo>;
};

/// Calls that wait, each with a deadline far away.
inline void call_often(const Client<Echo>& client, int calls) {
  for (int i = 0; i < calls; ++i) {
    ASSERT_EQ(client.call<&Echo::echo>(i), i);
  }
}

/// Calls that nobody waits for, so that their deadlines are watched.
inline void continue_often(const Client<Echo>& client, int calls) {
  constexpr int at_once = 500;
  for (int done = 0; done < calls; done += at_once) {
    std::vector<Future<int>> futures;
    for (int i = 0; i < std::min(at_once, calls - done); ++i) {
      futures.push_back(client.async<&Echo::echo>(i).then([](int n) { return n + 1; }));
    }
    ASSERT_EQ(when_all(std::move(futures)).get().front(), 1);
  }
}

/// Makes `calls` calls, of which every tenth is watched, and expects that memory does not grow.
inline void expect_flat_memory(int calls) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps what was freed";
#endif
  constexpr double few_mib = 4;
  auto served = testing::serve_with<Echo>({.recode = false});
  const Client<Echo> client = served.client().with({.deadline = std::chrono::minutes(10)});
  call_often(client, 10'000);
  continue_often(client, 10'000);
  const double before = resident_memory();
  call_often(client, calls - calls / 10);
  continue_often(client, calls / 10);
  EXPECT_LT(resident_memory() - before, few_mib);
}

} // namespace callboard
