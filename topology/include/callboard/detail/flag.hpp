// SPDX-License-Identifier: Apache-2.0
/// @file
/// Turns the fields of a configuration into a table of flags; the rest works on that table alone.
#pragma once

#include <callboard/detail/flag_text.hpp>
#include <callboard/reflect.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace callboard::detail {

/// One thing that can be set by name. Refers to the object that it sets.
struct Flag {
  std::string name;           ///< as in "optimizer.learning_rate"
  std::string type{};         ///< a word for the help, as in "integer"
  std::string expects{};      ///< as in "a whole number from 0 to 255"
  std::string default_text{}; ///< the value that the object had when the table was made
  std::string help{};         ///< one line, for Callboard's own flags
  bool is_switch = false;     ///< --name and --no-name do without a value
  bool is_optional = false;   ///< has the value "none"

  /// Sets it from the text of a flag; false if that isn't what is expected.
  std::function<bool(std::string_view)> set{};
  /// For lists: sets it from the items of a list.
  std::function<bool(std::span<const std::string>)> set_items{};
};

template <Settable T>
Flag make_flag(std::string name, T& target) {
  using Text = FlagText<T>;
  Flag flag{
      .name = std::move(name),
      .type = Text::type(),
      .expects = Text::expects(),
      .default_text = Text::print(target),
      .is_switch = std::is_same_v<T, bool>,
      .is_optional = OptionalField<T>,
      .set = [&target](std::string_view text) { return Text::parse(text, target); },
  };
  if constexpr (ListField<T>) {
    flag.set_items = [&target](std::span<const std::string> items) {
      return Text::assign(items, target);
    };
  }
  return flag;
}

template <class T>
inline constexpr bool cannot_be_set = false;

/// Adds a flag for each field of `config`, and of the structs in it.
template <class Config>
void add_flags(std::vector<Flag>& flags, const std::string& prefix, Config& config) {
  for_each_field(config, [&]<class T>(std::string_view name, T& field) {
    std::string path = prefix + std::string(name);
    if constexpr (Settable<T>) {
      flags.push_back(make_flag(std::move(path), field));
    } else if constexpr (Reflected<T>) {
      add_flags(flags, path + ".", field);
    } else {
      static_assert(
          cannot_be_set<T>,
          "callboard: a field of the configuration has a type that no flag can set; use numbers, "
          "bool, enums, std::string, std::chrono durations, std::optional and std::vector of "
          "these, or structs of such fields");
    }
  });
}

} // namespace callboard::detail
