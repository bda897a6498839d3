// SPDX-License-Identifier: Apache-2.0
#include <callboard/registry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace callboard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

/// A page as a scraper reads it, after "Exposition formats" of Prometheus's documentation: text
/// format 0.0.4. Throws where that would be refused.
struct Page {
  using Key = std::pair<std::string, Labels>;

  std::map<std::string, std::string> types;
  std::map<std::string, std::string> helps;
  std::map<Key, double> samples;
};

class Reader {
public:
  explicit Reader(std::string_view line) : rest_(line) {}

  std::string name() {
    const std::size_t end =
        rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789");
    return take(std::min(end, rest_.size()));
  }

  bool accept(char c) {
    if (!rest_.starts_with(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c))
      throw std::runtime_error("expected " + std::string(1, c) + " before " + std::string(rest_));
  }

  /// A text in which \\, \n and, if it ends with one, \" are escaped.
  std::string text(bool ends_with_quote) {
    std::string result;
    while (!rest_.empty() && !(ends_with_quote && rest_.front() == '"')) {
      if (!accept('\\'))
        result += take(1);
      else if (accept('n'))
        result += '\n';
      else if (rest_.starts_with('\\') || (ends_with_quote && rest_.starts_with('"')))
        result += take(1);
      else
        throw std::runtime_error("unknown escape before " + std::string(rest_));
    }
    return result;
  }

  Labels labels() {
    Labels result;
    while (!accept('}')) {
      const std::string label = name();
      expect('=');
      expect('"');
      if (!result.emplace(label, text(true)).second)
        throw std::runtime_error("label twice: " + label);
      expect('"');
      accept(',');
    }
    return result;
  }

  double number() {
    expect(' ');
    if (rest_ == "+Inf")
      return std::numeric_limits<double>::infinity();
    std::size_t used = 0;
    const double value = std::stod(std::string(rest_), &used);
    if (used != rest_.size())
      throw std::runtime_error("not a number: " + std::string(rest_));
    return value;
  }

private:
  std::string take(std::size_t count) {
    const std::string result(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return result;
  }

  std::string_view rest_;
};

void read_comment(Page& page, const std::string& line) {
  std::istringstream words(line);
  std::string hash;
  std::string what;
  std::string name;
  std::string rest;
  words >> hash >> what >> name >> std::ws;
  std::getline(words, rest);
  auto& texts = what == "TYPE" ? page.types : page.helps;
  if (!texts.emplace(name, what == "TYPE" ? rest : Reader(rest).text(false)).second)
    throw std::runtime_error("twice: " + line);
}

Page read(const std::string& text) {
  Page page;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('\0') != std::string::npos)
      throw std::runtime_error("NUL in a line");
    if (line.starts_with('#')) {
      read_comment(page, line);
      continue;
    }
    Reader reader(line);
    const std::string name = reader.name();
    const Labels labels = reader.accept('{') ? reader.labels() : Labels{};
    if (!page.samples.emplace(Page::Key{name, labels}, reader.number()).second)
      throw std::runtime_error("a series twice: " + line);
  }
  return page;
}

TEST(RegistryTest, ShowsNothingWhenItIsEmpty) {
  Registry registry;
  EXPECT_EQ(registry.text(), "");
  registry.add({{"node", "a/0"}});
  EXPECT_EQ(registry.text(), "");
}

TEST(RegistryTest, ShowsEachSetsCounterUnderOneFamily) {
  Registry registry;
  registry.add({{"node", "actor/0"}})->counter("env_steps", "Steps of all environments.");
  registry.add({{"node", "actor/1"}})->counter("env_steps_total").increment(5);
  const Page page = read(registry.text());
  EXPECT_THAT(page.types, ElementsAre(Pair("callboard_env_steps_total", "counter")));
  EXPECT_THAT(
      page.helps, ElementsAre(Pair("callboard_env_steps_total", "Steps of all environments.")));
  EXPECT_THAT(
      page.samples,
      UnorderedElementsAre(
          Pair(Page::Key("callboard_env_steps_total", {{"node", "actor/0"}}), 0),
          Pair(Page::Key("callboard_env_steps_total", {{"node", "actor/1"}}), 5)));
}

TEST(RegistryTest, ShowsGaugesWithTheirValues) {
  Registry registry;
  registry.add({})->gauge("queue_length").set(-2.5);
  const Page page = read(registry.text());
  EXPECT_EQ(page.types.at("callboard_queue_length"), "gauge");
  EXPECT_EQ(page.samples.at({"callboard_queue_length", {}}), -2.5);
}

TEST(RegistryTest, ShowsAHistogramsCumulativeBuckets) {
  Registry registry;
  const auto set = registry.add({{"node", "r/0"}});
  HistogramMetric& sizes = set->histogram("sizes", {}, {.smallest = 1, .largest = 4});
  for (const double value : {0.5, 1.0, 3.0, 100.0})
    sizes.observe(value);
  const Page page = read(registry.text());
  const auto bucket = [&](const char* bound) {
    return page.samples.at({"callboard_sizes_bucket", {{"node", "r/0"}, {"le", bound}}});
  };
  EXPECT_EQ(page.types.at("callboard_sizes"), "histogram");
  EXPECT_EQ(bucket("1"), 2);
  EXPECT_EQ(bucket("2"), 2);
  EXPECT_EQ(bucket("4"), 3);
  EXPECT_EQ(bucket("+Inf"), 4);
  EXPECT_EQ(page.samples.at({"callboard_sizes_count", {{"node", "r/0"}}}), 4);
  EXPECT_EQ(page.samples.at({"callboard_sizes_sum", {{"node", "r/0"}}}), 104.5);
  EXPECT_EQ(page.samples.size(), 6);
}

TEST(RegistryTest, BringsLabelsOfAnyBytesThrough) {
  Registry registry;
  const std::string wild = "a\"b\\c\nd{e=\"f\",}\r\t# caf\xc3\xa9 \xf0\x9f\x8e\xb2";
  registry.add({{"node", wild}, {"host", ""}})->counter("x", "Two\nlines \\n of \"text\".");
  const Page page = read(registry.text());
  const Page::Key key{"callboard_x_total", {{"host", ""}, {"node", wild}}};
  EXPECT_EQ(page.samples.count(key), 1);
  EXPECT_EQ(page.helps.at("callboard_x_total"), "Two\nlines \\n of \"text\".");
}

TEST(RegistryTest, WritesLabelBytesThatAreNotUtf8AsNumbers) {
  Registry registry;
  registry.add({{"node", std::string("a\xff\0b\xc3", 5)}})->gauge("x");
  const Page page = read(registry.text());
  EXPECT_EQ(page.samples.begin()->first.second.at("node"), "a\\xff\\x00b\\xc3");
}

TEST(RegistryTest, ShowsARemovedSetNoLongerAndLeavesItUsable) {
  Registry registry;
  const auto set = registry.add({{"node", "a/0"}});
  CounterMetric& counter = set->counter("x");
  registry.remove(set);
  registry.remove(set);
  registry.remove(nullptr);
  counter.increment();
  EXPECT_EQ(registry.text(), "");
  EXPECT_EQ(registry.total("x"), 0);
  EXPECT_EQ(set->counter("x").value(), 1);
}

TEST(RegistryTest, OutlivedByASetLeavesItUsable) {
  std::shared_ptr<MetricSet> set;
  {
    Registry registry;
    set = registry.add({});
  }
  set->counter("x").increment();
  EXPECT_EQ(set->counter_value("x"), 1);
}

TEST(RegistryTest, ShowsTheLaterOfTwoSetsWithTheSameLabels) {
  Registry registry;
  const auto first = registry.add({{"node", "a/0"}});
  first->counter("x").increment(10);
  const auto second = registry.add({{"node", "a/0"}});
  second->counter("x").increment(3);
  first->counter("x").increment();
  EXPECT_EQ(read(registry.text()).samples.at({"callboard_x_total", {{"node", "a/0"}}}), 3);
  registry.remove(first);
  EXPECT_EQ(registry.total("x"), 3) << "the first one's end does not take the second away";
}

TEST(RegistryTest, RefusesANameThatIsOfAnotherKindInAnotherSet) {
  Registry registry;
  const auto actor = registry.add({{"node", "actor/0"}});
  const auto learner = registry.add({{"node", "learner/0"}});
  actor->histogram("steps");
  EXPECT_THROW(learner->gauge("steps"), std::invalid_argument);
  EXPECT_THROW(learner->gauge("steps_sum"), std::invalid_argument);
  EXPECT_NO_THROW(learner->histogram("steps"));
}

TEST(RegistryTest, SumsACounterOverTheSetsWithTheLabelsAskedFor) {
  Registry registry;
  int amount = 1;
  for (const auto& [node, group] : {std::pair("a/0", "a"), {"a/1", "a"}, {"b/0", "b"}}) {
    const auto set = registry.add({{"node", node}, {"group", group}});
    set->counter("x").increment(static_cast<std::uint64_t>(amount));
    amount *= 10;
  }
  EXPECT_EQ(registry.total("x"), 111);
  EXPECT_EQ(registry.total("callboard_x_total"), 111);
  EXPECT_EQ(registry.total("x", {{"group", "a"}}), 11);
  EXPECT_EQ(registry.total("x", {{"group", "b"}, {"node", "b/0"}}), 100);
  EXPECT_EQ(registry.total("x", {{"group", "c"}}), 0);
  EXPECT_EQ(registry.total("x", {{"host", "h"}}), 0);
  EXPECT_EQ(registry.total("y"), 0);
}

TEST(RegistryTest, CanBeReadWhileNodesComeCountAndGo) {
  Registry registry;
  const auto stays = registry.add({{"node", "stays/0"}});
  {
    std::jthread node([&] {
      for (int i = 0; i < 200; ++i) {
        const auto set = registry.add({{"node", "comes/0"}});
        set->counter(std::string("c").append(std::to_string(i % 40))).increment();
        set->histogram("h").observe(i);
        stays->counter("c").increment();
        registry.remove(set);
      }
    });
    for (int i = 0; i < 50; ++i)
      ASSERT_NO_THROW(read(registry.text()));
  }
  EXPECT_EQ(registry.total("c"), 200);
}

TEST(RegistryTest, IsWhatPrometheusExposerCollects) {
  Registry registry;
  registry.add({{"node", "a/0"}})->counter("x").increment();
  const prometheus::Collectable& collectable = registry;
  const auto families = collectable.Collect();
  ASSERT_EQ(families.size(), 1);
  EXPECT_EQ(families[0].name, "callboard_x_total");
  EXPECT_EQ(families[0].metric.at(0).counter.value, 1);
}

} // namespace
} // namespace callboard
