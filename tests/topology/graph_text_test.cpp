// SPDX-License-Identifier: Apache-2.0
#include <callboard/callboard.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <unordered_map>

namespace callboard {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Store {
public:
  explicit Store(int size = 0) : size_(size) {}
  int get(std::string key) const { return size_ + static_cast<int>(key.size()); }
  void clear() {}
  using exposed = methods<&Store::get, &Store::clear>;

private:
  int size_;
};

class Reader {
public:
  explicit Reader(std::vector<Client<Store>> stores) : stores_(std::move(stores)) {}
  void run() {}

private:
  std::vector<Client<Store>> stores_;
};

Program readers() {
  Program program("readers");
  auto stores = program.add_group<Store>({.label = "store", .replicas = 3}, 5);
  program.add_group<Reader>({.label = "reader", .replicas = 2}, stores);
  program.add<Store>(
      {.label = "log",
       .own_thread = true,
       .on_failure = OnFailure::ignore,
       .policy = {.restart = Restart::permanent, .intensity = 2, .period = std::chrono::seconds(9)},
       .resources = {.cpus = 0.5, .memory = 1024, .gpus = 1},
       .environment = {{"KEY", "a \"value\""}},
       .stop_after = {"reader"}});
  return program;
}

TEST(GraphTextTest, WritesDotWithOneBoxForEachGroup) {
  const std::string dot = readers().to_dot();
  EXPECT_THAT(dot, HasSubstr("digraph \"readers\" {\n"));
  EXPECT_THAT(dot, HasSubstr("  \"store\" [label=\"store × 3\\n"));
  EXPECT_THAT(dot, HasSubstr("  \"reader\" [label=\"reader × 2\\n"));
  EXPECT_THAT(dot, HasSubstr("  \"log\" [label=\"log\\n"));
  EXPECT_THAT(dot, HasSubstr("  \"reader\" -> \"store\" [label=\"3 each\"];\n"));
  EXPECT_TRUE(dot.ends_with("}\n"));
}

TEST(GraphTextTest, WritesJsonThatOthersCanRead) {
  const Program program = readers();
  const json graph = json::parse(program.to_json());
  EXPECT_EQ(graph.at("name"), "readers");
  EXPECT_EQ(graph.at("fingerprint").get<std::string>().size(), 16U);
  EXPECT_EQ(graph.at("nodes").size(), 6U);
  EXPECT_EQ(graph.at("edges").size(), 6U);
  EXPECT_EQ(graph.at("nodes").at(0), (json{{"name", "store/0"}, {"group", "store"}}));
  EXPECT_EQ(graph.at("edges").at(5), (json{{"caller", "reader/1"}, {"service", "store/2"}}));
  EXPECT_EQ(graph.at("groups").at(0).at("replicas"), 3);
  EXPECT_TRUE(graph.at("groups").at(1).at("has_run").get<bool>());
}

TEST(GraphTextTest, WritesTheOptionsOfAGroup) {
  const json log = json::parse(readers().to_json()).at("groups").at(2);
  EXPECT_EQ(log.at("label"), "log");
  EXPECT_TRUE(log.at("own_thread").get<bool>());
  EXPECT_EQ(log.at("on_failure"), "ignore");
  EXPECT_EQ(log.at("policy").at("restart"), "permanent");
  EXPECT_EQ(log.at("policy").at("period_seconds"), 9);
  EXPECT_EQ(log.at("resources").at("cpus"), 0.5);
  EXPECT_EQ(log.at("resources").at("memory"), "1024"); // as Protocol Buffers write 64 bits
  EXPECT_EQ(log.at("environment").at("KEY"), "a \"value\"");
  EXPECT_EQ(log.at("stop_after"), json::array({"reader"}));
}

TEST(GraphTextTest, ListsTheMethodsOfEachService) {
  const json graph = json::parse(readers().to_json());
  std::vector<std::string> names;
  for (const json& method : graph.at("groups").at(0).at("methods")) {
    names.push_back(method.at("name"));
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_THAT(names[0], HasSubstr("Store::get"));
  EXPECT_THAT(names[1], HasSubstr("Store::clear"));
  EXPECT_FALSE(graph.at("groups").at(1).contains("methods"));
}

class Other {
public:
  explicit Other(int size = 0) : size_(size) {}
  int size() const { return size_; }
  using exposed = methods<&Other::size>;

private:
  int size_;
};

struct Settings {
  double rate = 0.1;
  std::vector<int> layers{64, 64};
  friend bool operator==(const Settings&, const Settings&) = default;
};

class Learner {
public:
  Learner(Settings settings, std::unordered_map<std::string, int> sizes)
      : settings_(std::move(settings)), sizes_(std::move(sizes)) {}

private:
  Settings settings_;
  std::unordered_map<std::string, int> sizes_;
};

std::uint64_t learner_print(const Settings& settings, std::unordered_map<std::string, int> sizes) {
  Program program("p");
  program.add<Learner>("learner", settings, std::move(sizes));
  return program.fingerprint();
}

template <class S = Store>
std::uint64_t print(NodeOptions options, int argument) {
  Program program("p");
  options.label = options.label.empty() ? "s" : options.label;
  program.add_group<S>(std::move(options), argument);
  program.add<Store>("other", 0);
  return program.fingerprint();
}

TEST(FingerprintTest, IsEqualForEqualGraphs) {
  EXPECT_EQ(readers().fingerprint(), readers().fingerprint());
  EXPECT_EQ(print({}, 1), print({}, 1));
  EXPECT_EQ(learner_print({}, {{"a", 1}, {"b", 2}}), learner_print({}, {{"a", 1}, {"b", 2}}));
}

TEST(FingerprintTest, IsEqualWhateverTheOrderInWhichAMapWithoutOrderWasFilled) {
  std::unordered_map<std::string, int> upwards;
  std::unordered_map<std::string, int> downwards(1000);
  for (int i = 0; i < 50; ++i) {
    upwards.emplace(std::to_string(i), i);
    downwards.emplace(std::to_string(49 - i), 49 - i);
  }
  EXPECT_EQ(learner_print({}, upwards), learner_print({}, downwards));
}

TEST(FingerprintTest, DiffersWithTheValueOfAnArgument) {
  EXPECT_NE(print({}, 1), print({}, 2));
  EXPECT_NE(learner_print({}, {}), learner_print({.rate = 0.2}, {}));
  EXPECT_NE(learner_print({}, {}), learner_print({.layers = {64, 65}}, {}));
}

TEST(FingerprintTest, DiffersWithTheShapeOfTheGraph) {
  const auto plain = print({}, 1);
  EXPECT_NE(print({.label = "t"}, 1), plain);
  EXPECT_NE(print({.replicas = 2}, 1), plain);
  EXPECT_NE(print({.own_thread = true}, 1), plain);
  EXPECT_NE(print({.on_failure = OnFailure::ignore}, 1), plain);
  EXPECT_NE(print({.stop_after = {"other"}}, 1), plain);
  EXPECT_NE(print({.environment = {{"A", "b"}}}, 1), plain);
  EXPECT_NE(print<Other>({}, 1), plain) << "another interface";
}

TEST(FingerprintTest, DiffersWithTheEdges) {
  const auto print_to = [](int target) {
    Program program("p");
    auto stores = program.add_group<Store>({.label = "store", .replicas = 2}, 0);
    program.add<Reader>("reader", std::vector<Handle<Store>>{stores[target]});
    return program.fingerprint();
  };
  EXPECT_EQ(print_to(0), print_to(0));
  EXPECT_NE(print_to(0), print_to(1));
}

} // namespace
} // namespace callboard
