// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/factory.hpp>

#include <map>
#include <mutex>

namespace callboard::detail {
namespace {

struct FactoryTable {
  std::mutex mutex;
  std::map<std::string, const Factory*> factories;
};

FactoryTable& table() {
  static FactoryTable instance;
  return instance;
}

} // namespace

bool register_factory(const Factory& factory) {
  const std::lock_guard lock(table().mutex);
  return table().factories.emplace(factory.name, &factory).second;
}

const Factory* find_factory(const std::string& name) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().factories.find(name);
  return found == table().factories.end() ? nullptr : found->second;
}

} // namespace callboard::detail
