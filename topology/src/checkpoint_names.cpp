// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_names.hpp"

#include <callboard/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <random>
#include <string_view>

namespace callboard::detail {
namespace {

constexpr std::string_view incoming = "incoming-";
constexpr std::string_view outgoing = "outgoing-";

/// A number as we write it, and nothing else.
template <class N>
std::optional<N> number_in(std::string_view text) {
  N number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && fmt::format("{}", number) == text ? std::optional(number) : std::nullopt;
}

bool is_label(std::string_view text) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// `label`, `separator` and a number, the separator replaced.
std::optional<std::string> with_separator(std::string_view name, char separator, char other) {
  const std::size_t at = name.rfind(separator);
  if (at == std::string_view::npos || !is_label(name.substr(0, at))) {
    return std::nullopt;
  }
  const auto index = number_in<std::uint32_t>(name.substr(at + 1));
  return index ? std::optional(fmt::format("{}{}{}", name.substr(0, at), other, *index))
               : std::nullopt;
}

} // namespace

std::string node_folder(const std::string& node) {
  const auto folder = with_separator(node, '/', '-');
  if (!folder) {
    throw CallError(
        Code::invalid_argument,
        fmt::format(
            "\"{}\" is no node's name; expected a label and a number, such as learner/0",
            clean_text(node)));
  }
  return *folder;
}

std::optional<std::string> node_of_folder(const std::string& folder) {
  return with_separator(folder, '-', '/');
}

std::optional<std::uint64_t> sequence_of_folder(const std::string& folder) {
  constexpr std::uint64_t highest = std::uint64_t{1} << 62; // there is always a next one
  const auto sequence = number_in<std::uint64_t>(folder);
  return sequence && *sequence <= highest ? sequence : std::nullopt;
}

std::vector<std::uint64_t> sequences_in(const std::vector<std::string>& folders) {
  std::vector<std::uint64_t> sequences;
  for (const std::string& folder : folders) {
    if (const auto sequence = sequence_of_folder(folder)) {
      sequences.push_back(*sequence);
    }
  }
  std::sort(sequences.begin(), sequences.end(), std::greater<>());
  return sequences;
}

std::string incoming_folder(int incarnation) {
  std::random_device random;
  return fmt::format("{}{}-{:08x}{:08x}", incoming, incarnation, random(), random());
}

std::string outgoing_folder(std::uint64_t sequence) {
  return fmt::format("{}{}", outgoing, sequence);
}

bool is_leftover(const std::string& folder, int incarnation) {
  if (!folder.starts_with(incoming)) {
    return folder.starts_with(outgoing);
  }
  const std::string rest = folder.substr(incoming.size());
  const auto writer = number_in<int>(rest.substr(0, rest.find('-')));
  return writer && *writer <= incarnation;
}

} // namespace callboard::detail
