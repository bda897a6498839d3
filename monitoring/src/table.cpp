// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <callboard/terminal.hpp>

#include <algorithm>
#include <numeric>

namespace callboard {
namespace {

constexpr int gap = 2;           ///< columns between columns
constexpr int least_of_text = 8; ///< columns that a text keeps before its column is dropped

using Cells = std::vector<std::string>;

std::string_view sequence_of(TextStyle style) {
  switch (style) {
  case TextStyle::plain: return "";
  case TextStyle::good: return "\x1b[32m";
  case TextStyle::warning: return "\x1b[33m";
  case TextStyle::bad: return "\x1b[31m";
  case TextStyle::dim: return "\x1b[2m";
  case TextStyle::bold: return "\x1b[1m";
  }
  return "";
}

Cells safe_cells(const Cells& cells, std::size_t count) {
  Cells result(count);
  for (std::size_t i = 0; i < std::min(count, cells.size()); ++i)
    result[i] = detail::terminal_text(cells[i]);
  return result;
}

Cells titles_of(const TextTable& table) {
  Cells result;
  for (const TextColumn& column : table.columns)
    result.push_back(detail::terminal_text(column.title));
  return result;
}

std::vector<int> natural_widths(const Cells& titles, const std::vector<Cells>& rows) {
  std::vector<int> widths(titles.size());
  const auto widen = [&](const Cells& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], display_width(cells[i]));
  };
  widen(titles);
  std::for_each(rows.begin(), rows.end(), widen);
  return widths;
}

int least_width(int natural, Alignment alignment) {
  return alignment == Alignment::right ? natural : std::min(natural, least_of_text);
}

int total_width(const std::vector<int>& widths) {
  return std::accumulate(
      widths.begin(), widths.end(), -gap, [](int sum, int width) { return sum + width + gap; });
}

/// Makes the widest of them narrower until they fit, the last one of several, none narrower than
/// its least width.
void shrink(std::vector<int>& widths, const std::vector<int>& least, int width) {
  while (total_width(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] >= widths[widest]))
        widest = i;
    }
    if (widest == widths.size())
      return;
    --widths[widest];
  }
}

/// The widths of the columns that are kept.
std::vector<int> fit(std::vector<int> widths, const std::vector<TextColumn>& columns, int width) {
  std::vector<int> least;
  for (std::size_t i = 0; i < widths.size(); ++i)
    least.push_back(least_width(widths[i], columns[i].alignment));
  while (least.size() > 1 && total_width(least) > width)
    least.pop_back();
  widths.resize(least.size());
  shrink(widths, least, width);
  if (widths.size() == 1)
    widths.front() = std::min(widths.front(), width);
  return widths;
}

std::string padded(const std::string& text, int width, Alignment alignment) {
  std::string cell = detail::cut(text, width);
  const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  return alignment == Alignment::right ? space + cell : cell + space;
}

std::string line_of(
    const Cells& cells, const std::vector<int>& widths, const std::vector<TextColumn>& columns) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i)
    line += std::string(i == 0 ? 0 : gap, ' ') + padded(cells[i], widths[i], columns[i].alignment);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string styled(const std::string& line, TextStyle style, bool colour) {
  const std::string_view sequence = sequence_of(style);
  if (!colour || sequence.empty())
    return line + '\n';
  return std::string(sequence) + line + "\x1b[0m\n";
}

} // namespace

std::string render(const TextTable& table, int width, bool colour) {
  if (table.columns.empty())
    return "";
  const Cells titles = titles_of(table);
  std::vector<Cells> rows;
  for (const TextRow& row : table.rows)
    rows.push_back(safe_cells(row.cells, titles.size()));
  const std::vector<int> widths =
      fit(natural_widths(titles, rows), table.columns, std::max(0, width));
  std::string text = styled(line_of(titles, widths, table.columns), TextStyle::bold, colour);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += styled(line_of(rows[i], widths, table.columns), table.rows[i].style, colour);
  return text;
}

} // namespace callboard
