// SPDX-License-Identifier: Apache-2.0
#include "conformance/backend_conformance.hpp"

#include <callboard/thread_backend.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

namespace callboard::conformance {
namespace {

/// Holds up threads that ignore being told.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;

  void pass() {
    std::unique_lock lock(mutex);
    opened.wait(lock, [this] { return open; });
  }
  void let_pass() {
    const std::lock_guard lock(mutex);
    open = true;
    opened.notify_all();
  }
};

int wait_for_stop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any told;
  std::unique_lock lock(mutex);
  told.wait(lock, stop, [&] { return stop.stop_requested(); });
  return 0;
}

int do_deed(const JobSpec& spec, const std::stop_token& stop, Gate& gate) {
  switch (static_cast<Deed>(std::stoi(spec.command.at(0)))) {
  case Deed::ends_with_3: return 3;
  case Deed::until_told: return wait_for_stop(stop);
  case Deed::ignores_being_told: return gate.pass(), 0;
  case Deed::needs_its_part: return spec.part == std::string("a part\0of bytes", 15) ? 0 : 1;
  case Deed::needs_a_variable: return spec.environment.at("CALLBOARD_TEST") == "a = b" ? 0 : 1;
  default: return 0;
  }
}

BackendKit threads() {
  auto gate = std::make_shared<Gate>();
  return {
      .name = "threads",
      .make =
          [gate] {
            gate->open = false;
            return std::make_unique<ThreadBackend>(
                [gate](const JobSpec& spec, const std::stop_token& stop) {
                  return do_deed(spec, stop, *gate);
                });
          },
      .job = [](Deed deed) { return JobSpec{.command = {std::to_string(static_cast<int>(deed))}}; },
      .release = [gate] { gate->let_pass(); }};
}

INSTANTIATE_TEST_SUITE_P(
    Threads, BackendConformance, ::testing::Values(threads()), [](const auto& each) {
      return each.param.name;
    });

} // namespace
} // namespace callboard::conformance
