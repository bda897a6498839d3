// SPDX-License-Identifier: Apache-2.0
/// @file
/// Measures ways of doing the same thing against each other, in one run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace callboard::bench {

/// What one operation cost, in seconds.
struct Cost {
  double wall = 0;
  double cpu = 0; ///< of all threads of the process
};

/// Measures from its making on.
class Stopwatch {
public:
  Stopwatch();
  /// The cost of each of `operations` since then.
  Cost per_operation(int operations) const;

private:
  Cost start_;
};

/// One way of doing it: sets itself up, does `operations` of them and says what each cost.
struct Load {
  std::string name;
  std::function<Cost(int operations)> run;
};

/// How a result is written.
enum class Unit { microseconds, per_second };

/// One measurement: ours against the best of the baselines.
struct Contest {
  std::string name;
  Unit unit = Unit::microseconds;
  int operations = 0;          ///< of ours, a round
  int baseline_operations = 0; ///< of each baseline, a round
  Load ours;
  std::vector<Load> baselines;
};

/// Runs all contests `rounds` times, one load after another, so that what else the machine does
/// falls on all alike; the best round of each counts. Prints a table, or with `--json` one object a
/// line: {"benchmark","value","unit","baseline","ratio"}. The ratio is ours / baseline; smaller is
/// better, unless the baseline's name ends in "_rate". Another argument is a part of the names of
/// the benchmarks to run. @returns the exit status of `main`
int run_contests(int argc, char** argv, int rounds, const std::vector<Contest>& contests);

} // namespace callboard::bench
