// SPDX-License-Identifier: Apache-2.0
/// @file
/// How well a policy did over the time of its training: a table and its picture.
#pragma once

#include <callboard/chart.hpp>
#include <callboard/csv.hpp>

#include <cstdint>
#include <filesystem>

namespace cartpole {

/// One evaluation.
struct CurvePoint {
  double seconds = 0; ///< since the start
  std::uint64_t env_steps = 0;
  std::uint64_t version = 0;
  float mean_return = 0;
  float min = 0;
  float max = 0;
};

/// Keeps `learning_curve.csv` and `learning_curve.svg` up to date in a folder. Not thread-safe.
class LearningCurve {
public:
  /// Begins both anew; makes the folder if there is none.
  /// @throws std::system_error  that is not possible
  explicit LearningCurve(const std::filesystem::path& folder);

  /// @throws std::system_error  one of the files can't be written
  void add(const CurvePoint& point);

  const std::filesystem::path& csv() const { return csv_path_; }
  const std::filesystem::path& svg() const { return svg_path_; }

private:
  void draw() const;

  std::filesystem::path csv_path_;
  std::filesystem::path svg_path_;
  callboard::CsvWriter table_;
  callboard::Chart chart_;
};

} // namespace cartpole
