// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <callboard/output.hpp>
#include <callboard/terminal.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace callboard {
namespace {

/// The same for all nodes of a group, in every run: FNV-1a of the group's name.
int colour_of(std::string_view node) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : node.substr(0, node.find('/'))) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  // Red is for failures, black and white may be the background.
  constexpr std::array<int, 10> colours{32, 33, 34, 35, 36, 92, 93, 94, 95, 96};
  return colours.at(hash % colours.size());
}

} // namespace

OutputView::OutputView(OutputViewOptions options)
    : options_(options),
      colour_output_(options.colour.value_or(wants_colour(options.output))),
      colour_errors_(options.colour.value_or(wants_colour(options.errors))) {}

void OutputView::print(std::string_view node, Stream stream, std::string_view line) {
  const bool output = stream == Stream::output;
  std::string text = fmt::format("[{}]", node);
  if (output ? colour_output_ : colour_errors_) {
    text = fmt::format("\x1b[{}m{}\x1b[0m", colour_of(node), text);
  }
  text.append(" ").append(shown_line(line)).append("\n");
  const std::lock_guard lock(mutex_);
  detail::write_whole(output ? options_.output : options_.errors, text);
}

} // namespace callboard
