// SPDX-License-Identifier: Apache-2.0
/// @file
/// The table that `run` shows of a program that asks for it.
#pragma once

#include "live_frame.hpp"

#include <mutex>

namespace callboard::detail {

/// Shows nodes, their states and rates on standard error while the program runs, if it asked for a
/// `Display`: redrawn in place on a terminal, a plain line now and then elsewhere. Log lines appear
/// above it; the last frame stays.
class LiveTable {
public:
  explicit LiveTable(Running& running);
  LiveTable(const LiveTable&) = delete;
  LiveTable& operator=(const LiveTable&) = delete;
  ~LiveTable();

  /// Shows the table until the program has ended. @returns its exit status
  int wait();

  /// Whether it stands on a terminal and is drawn anew in place.
  bool is_redrawn() const { return wanted() && terminal_; }
  void print_above(const std::string& line);

  /// What brings the terminal back to its senses when the process ends in the middle of a frame.
  static void restore_terminal();

private:
  bool wanted() const;
  FrameText frame(LiveFrame::Time now);
  void show();

  Running& running_;
  const bool terminal_;
  LiveFrame frame_;
  std::mutex mutex_; ///< the view is for one thread at a time, and logs come from all
  LiveView view_;
};

} // namespace callboard::detail
