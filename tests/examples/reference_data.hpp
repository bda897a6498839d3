// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expected values that other programs computed, from tests/data.
#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

namespace cartpole {

/// The content of `tests/data/<name>`.
inline nlohmann::json reference_data(const std::string& name) {
  const std::string path = CALLBOARD_TEST_DATA "/" + name;
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  return nlohmann::json::parse(file);
}

} // namespace cartpole
