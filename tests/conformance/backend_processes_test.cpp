// SPDX-License-Identifier: Apache-2.0
#include "conformance/backend_conformance.hpp"

#include <callboard/process_backend.hpp>

namespace callboard::conformance {
namespace {

BackendKit processes(std::string name, ProcessOptions options) {
  return {
      .name = std::move(name),
      .make = [options] { return std::make_unique<ProcessBackend>(options); },
      .job = shell_job};
}

INSTANTIATE_TEST_SUITE_P(
    Processes,
    BackendConformance,
    ::testing::Values(processes("usual", {}), processes("without_cgroups", {.use_cgroups = false})),
    [](const auto& each) { return each.param.name; });

} // namespace
} // namespace callboard::conformance
