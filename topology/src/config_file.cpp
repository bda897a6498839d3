// SPDX-License-Identifier: Apache-2.0
#include "config_file.hpp"

#include "flag_table.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace callboard::detail {
namespace {

bool is_struct(std::span<const Flag> fields, const std::string& name) {
  return std::any_of(fields.begin(), fields.end(), [&](const Flag& field) {
    return plain_name(field.name).starts_with(plain_name(name) + ".");
  });
}

/// The only document of the file; null if it has none.
YAML::Node load(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw YAML::BadFile(path);
  }
  const std::vector<YAML::Node> documents = YAML::LoadAllFromFile(path);
  if (documents.size() > 1) {
    throw YAML::Exception(documents[1].Mark(), "a second document; expected one");
  }
  return documents.empty() ? YAML::Node() : documents[0];
}

class Reader {
public:
  Reader(const std::string& path, std::span<const Flag> fields) : path_(path), fields_(fields) {}

  void read_map(const YAML::Node& map, const std::string& prefix) {
    if (map.IsNull()) {
      return;
    }
    if (!map.IsMap()) {
      const std::string what = prefix.empty() ? "the file" : prefix.substr(0, prefix.size() - 1);
      refuse(map.Mark(), fmt::format("{} is no map; expected lines \"name: value\"", what));
    }
    for (const auto& entry : map) {
      read_entry(prefix + name_of(entry.first), entry.first.Mark(), entry.second);
    }
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& text) const {
    throw UsageError(fmt::format("{}:{}: {}", path_, mark.line + 1, text));
  }

private:
  std::string name_of(const YAML::Node& key) const {
    if (!key.IsScalar()) {
      refuse(key.Mark(), "a key that is no name");
    }
    return key.Scalar();
  }

  void read_entry(const std::string& name, const YAML::Mark& mark, const YAML::Node& value) {
    const Flag* field = find_flag(fields_, name);
    if (field == nullptr && is_struct(fields_, name)) {
      return read_map(value, name + ".");
    }
    if (field == nullptr) {
      refuse(mark, fmt::format("unknown key {}{}", name, suggestion(fields_, name)));
    }
    if (!seen_.insert(field->name).second) {
      refuse(mark, fmt::format("{} is given twice", name));
    }
    if (!set(*field, value)) {
      const std::string given = value.IsScalar() ? value.Scalar() : YAML::Dump(value);
      refuse(
          mark, fmt::format("bad value \"{}\" for {}: expected {}", given, name, field->expects));
    }
  }

  static bool set(const Flag& field, const YAML::Node& value) {
    if (value.IsNull()) {
      return field.is_optional && field.set("none");
    }
    if (!value.IsSequence()) {
      return value.IsScalar() && field.set(value.Scalar());
    }
    const bool scalars = std::all_of(
        value.begin(), value.end(), [](const YAML::Node& item) { return item.IsScalar(); });
    return scalars && field.set_items && field.set_items(value.as<std::vector<std::string>>());
  }

  const std::string& path_;
  std::span<const Flag> fields_;
  std::set<std::string> seen_;
};

} // namespace

void read_config_file(const std::string& path, std::span<const Flag> fields) {
  Reader reader(path, fields);
  try {
    reader.read_map(load(path), "");
  } catch (const YAML::BadFile&) {
    throw UsageError(fmt::format("--config={}: the file can't be read", path));
  } catch (const YAML::Exception& error) {
    reader.refuse(error.mark, "no YAML: " + error.msg);
  }
}

} // namespace callboard::detail
