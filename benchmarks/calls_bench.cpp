// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a call costs inside a process, against CAF's own actors.
#include "calls/callboard_loads.hpp"
#include "calls/raw_caf_loads.hpp"

using namespace callboard::bench; // NOLINT(google-build-using-namespace)

namespace {

using RawLoad = Cost (*)(Scheduling, int);

/// CAF with our settings and with its own: the better counts.
std::vector<Load> raw(const std::string& name, RawLoad load) {
  return {
      {name + "_sharing", [load](int n) { return load(Scheduling::sharing, n); }},
      {name + "_stealing", [load](int n) { return load(Scheduling::stealing, n); }},
  };
}

Contest rate(std::string name, int operations, Load ours, std::vector<Load> baselines) {
  return {
      std::move(name),
      Unit::per_second,
      operations,
      operations,
      std::move(ours),
      std::move(baselines)};
}

std::vector<Contest> contests() {
  constexpr int calls = 100'000;
  constexpr int slow_calls = 2'000;
  constexpr int tells = 100'000;
  const auto raw_pipelines = raw("raw_caf_request_then", raw_pipeline);
  const auto small = [](int n) { return pass_value(n, 4); };
  const auto large = [](int n) { return pass_value(n, std::size_t{16} << 20); };
  return {
      {"blocking_call",
       Unit::microseconds,
       calls,
       slow_calls,
       {"call", call_from_thread},
       raw("raw_caf_scoped_actor", raw_call_from_thread)},
      rate("pipelined_from_thread", calls, {"async", pipeline_from_thread}, raw_pipelines),
      rate("pipelined_from_then", calls, {"then", pipeline_from_service}, raw_pipelines),
      rate("pipelined_from_tasks", calls, {"co_await", pipeline_from_tasks}, raw_pipelines),
      rate(
          "tell_from_thread",
          tells,
          {"tell", tell_from_thread},
          raw("raw_caf_anon_send", raw_send_from_thread)),
      rate(
          "tell_from_method",
          tells,
          {"tell", tell_from_service},
          raw("raw_caf_send", raw_send_from_actor)),
      {"call_with_16_mib",
       Unit::microseconds,
       calls,
       calls,
       {"call", large},
       {{"call_with_4_bytes", small}}},
  };
}

} // namespace

int main(int argc, char** argv) {
  constexpr int rounds = 12;
  return run_contests(argc, argv, rounds, contests());
}
