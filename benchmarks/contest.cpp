// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <string_view>
#include <thread>

namespace callboard::bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Cost now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {
      .wall = std::chrono::duration<double>(wall).count(),
      .cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
  };
}

/// The best rounds so far; wall and CPU time each on its own.
struct Best {
  std::string name;
  Cost cost{.wall = std::numeric_limits<double>::max(), .cpu = std::numeric_limits<double>::max()};

  void take(const Cost& round) {
    cost.wall = std::min(cost.wall, round.wall);
    cost.cpu = std::min(cost.cpu, round.cpu);
  }
};

struct Score {
  Best ours;
  std::vector<Best> baselines;
};

Score empty_score(const Contest& contest) {
  Score score{.ours = {.name = contest.ours.name}, .baselines = {}};
  for (const Load& load : contest.baselines) {
    score.baselines.push_back({.name = load.name});
  }
  return score;
}

void play_round(const Contest& contest, Score& score) {
  score.ours.take(contest.ours.run(contest.operations));
  for (std::size_t i = 0; i < contest.baselines.size(); ++i) {
    score.baselines[i].take(contest.baselines[i].run(contest.baseline_operations));
  }
}

struct Row {
  std::string benchmark;
  double value;
  std::string_view unit;
  std::string baseline;
  double baseline_value;

  double ratio() const { return value / baseline_value; }
};

const Best& best_of(const std::vector<Best>& baselines, double Cost::*part) {
  return *std::min_element(
      baselines.begin(), baselines.end(), [part](const Best& a, const Best& b) {
        return a.cost.*part < b.cost.*part;
      });
}

Row wall_row(const Contest& contest, const Score& score) {
  const Best& baseline = best_of(score.baselines, &Cost::wall);
  if (contest.unit == Unit::per_second) {
    return {
        contest.name,
        1 / score.ours.cost.wall,
        "1/s",
        baseline.name + "_rate",
        1 / baseline.cost.wall};
  }
  return {contest.name, 1e6 * score.ours.cost.wall, "us", baseline.name, 1e6 * baseline.cost.wall};
}

Row cpu_row(const Contest& contest, const Score& score) {
  const Best& baseline = best_of(score.baselines, &Cost::cpu);
  return {
      contest.name + "_cpu",
      1e6 * score.ours.cost.cpu,
      "us",
      baseline.name,
      1e6 * baseline.cost.cpu};
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(": ") + 2);
    }
  }
  return "unknown processor";
}

void print_heading(int argc, char** argv, int rounds) {
  std::string command;
  for (int i = 0; i < argc; ++i) {
    command += (i == 0 ? "" : " ") + std::string(argv[i]);
  }
  fmt::print("machine  {}, {} cores\n", processor(), std::thread::hardware_concurrency());
  fmt::print("date     {:%Y-%m-%d %H:%M}\n", fmt::localtime(std::time(nullptr)));
  fmt::print("command  {}\n", command);
  fmt::print("rounds   {}, interleaved, the best counts; ratio = ours / baseline\n\n", rounds);
  fmt::print(
      "{:<26}{:>12} {:<4}{:>12}  {:<38}{:>9}\n", "benchmark", "ours", "", "baseline", "", "ratio");
}

std::string readable(double value) {
  return value >= 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.3f}", value);
}

void print_row(const Row& row) {
  fmt::print(
      "{:<26}{:>12} {:<4}{:>12}  {:<38}{:>9.4f}\n",
      row.benchmark,
      readable(row.value),
      row.unit,
      readable(row.baseline_value),
      row.baseline,
      row.ratio());
}

void print_json(const Row& row) {
  fmt::print(
      R"({{"benchmark":"{}","value":{:.6g},"unit":"{}","baseline":"{}","ratio":{:.6g}}})"
      "\n",
      row.benchmark,
      row.value,
      row.unit,
      row.baseline,
      row.ratio());
}

/// What the command line asks for.
struct Wishes {
  bool json = false;
  std::string name; ///< only benchmarks with this in their name
};

Wishes parse(int argc, char** argv) {
  Wishes wishes;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    argument == "--json" ? void(wishes.json = true) : void(wishes.name = argument);
  }
  return wishes;
}

} // namespace

Stopwatch::Stopwatch() : start_(now()) {}

Cost Stopwatch::per_operation(int operations) const {
  const Cost end = now();
  return {
      .wall = (end.wall - start_.wall) / operations, .cpu = (end.cpu - start_.cpu) / operations};
}

int run_contests(int argc, char** argv, int rounds, const std::vector<Contest>& contests) {
  const Wishes wishes = parse(argc, argv);
  std::vector<Contest> chosen;
  std::copy_if(
      contests.begin(), contests.end(), std::back_inserter(chosen), [&](const Contest& contest) {
        return contest.name.find(wishes.name) != std::string::npos;
      });
  std::vector<Score> scores;
  std::transform(chosen.begin(), chosen.end(), std::back_inserter(scores), empty_score);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      play_round(chosen[i], scores[i]);
    }
  }
  if (!wishes.json) {
    print_heading(argc, argv, rounds);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const Row& row : {wall_row(chosen[i], scores[i]), cpu_row(chosen[i], scores[i])}) {
      wishes.json ? print_json(row) : print_row(row);
    }
  }
  return chosen.empty() ? 1 : 0;
}

} // namespace callboard::bench
