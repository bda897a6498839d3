// SPDX-License-Identifier: Apache-2.0
/// @file
/// What every backend must do. To have one checked, compile backend_conformance_test.cpp together
/// with
///
///     INSTANTIATE_TEST_SUITE_P(Mine, BackendConformance, ::testing::Values(kit_of_mine()));
///
/// docs/backends.md lists the cases.
#pragma once

#include <callboard/backend.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace callboard::conformance {

/// What a job of the suite does.
enum class Deed {
  ends_well,          ///< exit code 0
  ends_with_3,        ///< exit code 3
  until_told,         ///< goes on until it is told to end, then exit code 0, or the signal's end
  ignores_being_told, ///< prints "ready" where output is captured, and goes on until it is killed,
                      ///< or `BackendKit::release` is called
  needs_its_part,     ///< exit code 0 if its part is "a part\0of bytes", else 1
  needs_a_variable,   ///< exit code 0 if CALLBOARD_TEST is "a = b" in its environment, else 1
  prints,             ///< "one" and "two" to its output, "three" to its errors, all with line break
                      ///< but the "two"; where output is not captured: not used
  uses_signal,       ///< prints "ready", then "told" at SIGUSR1 and ends with 3; where there are no
                     ///< signals: not used
  uses_64_mebibytes, ///< exit code 0 if it gets them; where memory isn't limited: not used
};

struct BackendKit {
  std::string name{};
  std::function<std::unique_ptr<Backend>()> make{};
  /// Without name and limits.
  std::function<JobSpec(Deed)> job{};
  /// Ends jobs that ignore being told, where they can't be killed.
  std::function<void()> release = [] {};
};

/// The deeds as scripts of sh, for backends that start commands.
JobSpec shell_job(Deed deed);

inline void PrintTo(const BackendKit& kit, std::ostream* stream) {
  *stream << kit.name;
}

class BackendConformance : public ::testing::TestWithParam<BackendKit> {
protected:
  ~BackendConformance() override { GetParam().release(); }

  JobSpec job(Deed deed) const {
    JobSpec spec = GetParam().job(deed);
    spec.name = "job/0";
    return spec;
  }

  std::unique_ptr<Backend> backend = GetParam().make();
};

} // namespace callboard::conformance
