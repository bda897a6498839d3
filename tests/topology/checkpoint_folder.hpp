// SPDX-License-Identifier: Apache-2.0
/// @file
/// For tests: a folder for a store of checkpoints, and what is done to it.
#pragma once

#include <callboard/checkpoint_store.hpp>
#include <callboard/log.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace callboard {

class CheckpointFolderTest : public testing::Test {
protected:
  CheckpointFolderTest() {
    std::string pattern = testing::TempDir() + "checkpoints_XXXXXX";
    folder = mkdtemp(pattern.data());
    set_log_level(LogLevel::off);
  }
  ~CheckpointFolderTest() override {
    set_log_level(LogLevel::info);
    std::filesystem::remove_all(folder);
  }

  static Checkpoint numbered(int number) {
    Checkpoint checkpoint;
    checkpoint.put("number", number);
    checkpoint.put("weights", Tensor::from<float>(std::vector<float>(5, float(number))));
    return checkpoint;
  }

  /// That of the newest good one; 0 if there is none.
  static int latest_number(const CheckpointStore& store, const std::string& node = "learner/0") {
    const auto stored = store.latest(node);
    if (!stored) {
      return 0;
    }
    const int number = stored->checkpoint.get<int>("number");
    EXPECT_EQ(stored->checkpoint.get<Tensor>("weights"), numbered(number).get<Tensor>("weights"));
    return number;
  }

  static std::vector<std::string> names_in(const std::filesystem::path& path) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static void write(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::filesystem::path folder;
};

} // namespace callboard
