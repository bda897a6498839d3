// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests with GoogleTest: a program that runs until the end of the scope, one served service,
/// stand-ins made of lambdas.
#pragma once

#include <callboard/callboard.hpp>
#include <callboard/testing/serve.hpp>
#include <callboard/testing/stub.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace callboard::detail {

/// A stub stands for its client, also among the arguments of a node.
template <class S>
struct Kept<testing::Stub<S>> {
  using Type = Client<S>;
};

} // namespace callboard::detail

namespace callboard::testing {

/// How `ProgramTest` runs its program.
struct ProgramTestOptions {
  std::vector<std::string> disable_run{}; ///< groups whose `run` is not called
  bool recode = true;         ///< arguments and calls pass through bytes, as between processes
  bool deterministic = false; ///< one thread and virtual time; no `run`, no own threads
  Duration deadline = defaults::call_deadline; ///< of calls that name none
  Duration grace = std::chrono::seconds(5);
  std::uint64_t seed = 1;
};

/// Runs a program until the end of the scope, and fails the test if one of its nodes fails or would
/// not end. Services are stepped through their clients: with `disable_run` a loop stands still, and
/// the test calls its steps.
///
///     ProgramTest test(program, {.disable_run = {"consumer"}});
///     EXPECT_EQ(test.client(consumer).call<&Consumer::step>(), 3);
///
/// When a node fails, calls of the test end at once with that node's own error.
class ProgramTest {
public:
  explicit ProgramTest(const Program& program, const ProgramTestOptions& options = {})
      : running_(start(program, start_options(options))) {}
  ProgramTest(const ProgramTest&) = delete;
  ProgramTest& operator=(const ProgramTest&) = delete;
  ~ProgramTest() {
    running_.stop("the test has ended");
    running_.wait();
    for (const Failure& failure : running_.failures()) {
      if (!expected_) {
        ADD_FAILURE() << to_string(failure);
      }
    }
    for (const std::string& node : running_.stubborn()) {
      ADD_FAILURE() << node << " did not end within the grace";
    }
  }

  template <class S>
  Client<S> client(const Handle<S>& handle) const {
    return running_.client(handle);
  }
  template <class S>
  Client<S> client(const std::string& node) const {
    return running_.client<S>(node);
  }

  Running& running() noexcept { return running_; }

  /// Deterministic only: lets virtual time pass.
  void advance(Duration duration) { running_.advance(duration); }

  /// A failure of a node is what the test is about: the end of the scope does not report it.
  void expect_failure() noexcept { expected_ = true; }

private:
  static StartOptions start_options(const ProgramTestOptions& options) {
    return {
        .deadline = options.deadline,
        .grace = options.grace,
        .seed = options.seed,
        .revive = false, // a failure is to be seen at once
        .recode = options.recode,
        .deterministic = options.deterministic,
        .disable_run = options.disable_run,
    };
  }

  Running running_;
  bool expected_ = false;
};

} // namespace callboard::testing
