// SPDX-License-Identifier: Apache-2.0
#include "metric_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace callboard::detail {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(std::string_view text, bool colons) {
  const auto fits = [&](char c) { return is_letter(c) || is_digit(c) || (colons && c == ':'); };
  return !text.empty() && !is_digit(text.front()) && std::all_of(text.begin(), text.end(), fits);
}

/// The nearest name that would be accepted.
std::string suggestion(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (!is_letter(c) && !is_digit(c))
      c = '_';
  }
  return result.empty() || is_digit(result.front()) ? "n_" + result : result;
}

/// Every name of a line that such a metric writes, and its own.
std::vector<std::string> shown_names(const std::string& base, MetricKind kind) {
  switch (kind) {
  case MetricKind::counter: return {base, base + "_total"};
  case MetricKind::gauge: return {base};
  case MetricKind::histogram: return {base, base + "_bucket", base + "_count", base + "_sum"};
  }
  return {};
}

} // namespace

std::string_view to_string(MetricKind kind) {
  switch (kind) {
  case MetricKind::counter: return "counter";
  case MetricKind::gauge: return "gauge";
  case MetricKind::histogram: return "histogram";
  }
  return "";
}

std::string_view base_name(std::string_view name, MetricKind kind) {
  constexpr std::string_view prefix = "callboard_";
  constexpr std::string_view suffix = "_total";
  if (name.starts_with(prefix))
    name.remove_prefix(prefix.size());
  if (kind == MetricKind::counter && name.ends_with(suffix))
    name.remove_suffix(suffix.size());
  return name;
}

void check_metric_name(std::string_view name, MetricKind kind) {
  if (!is_name(name, true)) {
    throw std::invalid_argument(fmt::format(
        "{0} \"{1}\": a metric's name is of letters, digits, _ and :, and does not begin with a "
        "digit; rename it, for instance to \"{2}\"",
        to_string(kind),
        name,
        suggestion(name)));
  }
  if (base_name(name, kind).empty()) {
    throw std::invalid_argument(fmt::format(
        "{0} \"{1}\": nothing is left of this name without callboard_ and _total, which are added "
        "anyway; say what is measured, for instance \"env_steps\"",
        to_string(kind),
        name));
  }
}

void check_label_name(std::string_view name) {
  if (is_name(name, false) && !name.starts_with("__") && name != "le")
    return;
  throw std::invalid_argument(fmt::format(
      "label \"{}\": a label's name is of letters, digits and _, does not begin with a digit or "
      "with __, and is not le, which histograms use; rename it",
      name));
}

void MetricNames::claim(std::string_view base, MetricKind kind) {
  const std::vector<std::string> names = shown_names(std::string(base), kind);
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names) {
    const auto found = owners_.find(name);
    if (found == owners_.end())
      continue;
    const Owner& owner = found->second;
    if (owner.kind != kind || owner.base != base)
      throw std::invalid_argument(clash_text(base, kind, owner.base, owner.kind));
  }
  for (const std::string& name : names)
    owners_.insert_or_assign(name, Owner{std::string(base), kind});
}

std::string clash_text(
    std::string_view name, MetricKind asked, std::string_view owner, MetricKind kind) {
  return fmt::format(
      "{0} \"{1}\": Prometheus would show it under a name of the {2} \"{3}\", which exists; ask "
      "for "
      "{2}(\"{3}\"), or rename one of the two",
      to_string(asked),
      name,
      to_string(kind),
      owner);
}

} // namespace callboard::detail
