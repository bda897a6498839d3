// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a program shows in a terminal while it runs: tables, progress bars, and a view that is
/// redrawn in place. Rendering is pure; only `LiveView` writes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callboard {

enum class Alignment : unsigned char { left, right };

struct TextColumn {
  std::string title{};
  Alignment alignment = Alignment::left; ///< numbers go right: they are never cut, which would lie
};

enum class TextStyle : unsigned char { plain, good, warning, bad, dim, bold };

struct TextRow {
  std::vector<std::string> cells{}; ///< UTF-8; missing ones are empty, those too many are left out
  TextStyle style = TextStyle::plain;
};

/// The most important column stands first: it is the last to be dropped.
struct TextTable {
  std::vector<TextColumn> columns{};
  std::vector<TextRow> rows{};
};

/// Lines of at most `width` columns, each with its line break, the titles first. In a narrow
/// terminal columns are dropped from the right until the rest can be had with 8 columns of each
/// text, and the widest texts are cut with `…`. Cells cannot move the cursor or set colours:
/// control characters are replaced. Without `colour` styles are left out.
std::string render(const TextTable& table, int width, bool colour);

/// One line of at most `width` columns, without a line break: label, bar and percentage, such as
/// "env_steps ██████▌░░░  65%". `fraction` is held to [0, 1], NaN is 0; 100% means all of it.
/// Without room for a bar it is left out.
std::string progress_bar(double fraction, int width, std::string_view label = {});

/// Columns that a terminal needs for UTF-8 text: 2 for wide characters and emoji, 0 for combining
/// marks. Sequences of emoji that are drawn as one count as each of them.
int display_width(std::string_view text);

/// Whether the descriptor is a terminal that understands cursor movements (not TERM=dumb).
bool is_terminal(int fd);

/// Whether to colour what goes there: a terminal, and NO_COLOR is not set (https://no-color.org).
bool wants_colour(int fd);

/// Columns and lines of the terminal; else of COLUMNS and LINES in the environment; else 80 and 24.
int terminal_width(int fd);
int terminal_height(int fd);

struct LiveViewOptions {
  std::chrono::nanoseconds plain_period = std::chrono::seconds(5); ///< between lines elsewhere
  std::optional<bool> terminal{}; ///< whether to redraw in place; none: as `is_terminal` says
};

/// Shows frame after frame in one place of a terminal, each with one write and without flicker.
/// Anywhere else, such as in a log file, it writes one plain line now and then.
///
/// Not thread-safe. Errors of writing are ignored: a view is no reason to fail. The descriptor is
/// not closed.
class LiveView {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// What shows the cursor and wraps lines again. A handler of a signal that ends the program may
  /// write it.
  static constexpr std::string_view restore = "\x1b[?7h\x1b[?25h";

  explicit LiveView(int fd, LiveViewOptions options = {});
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;
  /// Leaves the last frame where it is and shows the cursor again, below it.
  ~LiveView();

  /// In a terminal draws `frame` over the one before, cut at the terminal's height and width;
  /// elsewhere writes `plain_line` if it is the first one or `plain_period` has passed.
  void show(std::string_view frame, std::string_view plain_line, Time now);

  /// Writes lines, for instance of a log, above the frame, which stays below them.
  void print_above(std::string_view lines);

private:
  std::string to_the_top() const;
  std::string drawing();

  int fd_;
  std::chrono::nanoseconds plain_period_;
  bool terminal_;
  std::string frame_{};              ///< the last one
  int drawn_ = 0;                    ///< its lines on the screen
  std::optional<Time> last_plain_{}; ///< when the last plain line was written
};

} // namespace callboard
