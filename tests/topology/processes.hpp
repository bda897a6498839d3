// SPDX-License-Identifier: Apache-2.0
/// @file
/// What tests see of this host's processes, read from /proc without the code under test.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace callboard::testing {

inline std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Numbers of the processes in whose `file` of /proc (such as "environ") the text occurs.
inline std::vector<int> processes_with(const std::string& file, const std::string& text) {
  std::vector<int> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    if (name.find_first_not_of("0123456789") == name.npos
        && file_text(it->path() / file).find(text) != std::string::npos) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

/// Those of a run, but for zombies, whose environment is gone.
inline std::vector<int> processes_of(const std::string& run) {
  return processes_with("environ", "CALLBOARD_RUN=" + run + '\0');
}

/// Whether the condition comes true within `patience`; asked every millisecond, as nothing tells.
template <class Condition>
bool comes_true(Condition condition, std::chrono::steady_clock::duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

} // namespace callboard::testing
