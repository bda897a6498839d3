// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the lines go that the processes of a run write.
#pragma once

#include <callboard/output.hpp>

#include <mutex>
#include <string_view>

namespace callboard::detail {

class LiveTable;

/// Prints lines, each with the node that wrote it; above the live table while there is one.
/// Thread-safe.
class LineRouter {
public:
  /// While it lives, lines are printed above `table`.
  class Above {
  public:
    Above(LineRouter* lines, LiveTable& table);
    Above(const Above&) = delete;
    Above& operator=(const Above&) = delete;
    ~Above();

  private:
    LineRouter* const lines_;
  };

  void print(std::string_view process, Stream stream, std::string_view line);

private:
  std::mutex mutex_;
  LiveTable* table_ = nullptr;
  OutputView view_;
};

} // namespace callboard::detail
