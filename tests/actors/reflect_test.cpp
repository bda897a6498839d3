// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/walk.hpp>
#include <callboard/reflect.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace app {

struct ParameterServer {};

} // namespace app

namespace callboard {

struct Public {};

namespace {

using testing::ElementsAre;

struct Inner {
  int deep = 1;
  std::string text;
};

struct Config {
  Inner first{};
  int workers = 4;
  float learning_rate = 0.01F;
  std::string name = "apex";
  std::vector<float> layers{};
  double grid[3] = {};
  const long fixed = 7;
  std::unique_ptr<int> unique{};
};

struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
};

struct Awkward {
  NoDefault one;
  NoDefault two;
  char letters[4];
  Inner inners[2];
  std::optional<NoDefault> three;
};

struct Empty {};

struct Only {
  std::string only;
};

struct Wide {
  int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5;
  int c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, last;
};

struct Reference {
  int first;
  int& second;
};

struct ConstReference {
  const std::string& name;
  int more;
};

struct Derived : Inner {
  int more = 0;
};

template <class T>
struct Box {
  T content;
};

class Point {
public:
  Point(int x, int y) : x_(x), y_(y) {}
  friend void inspect(auto& fields, Point& p) { fields(field("x", p.x_), field("y", p.y_)); }

private:
  int x_;
  int y_;
};

template <class T>
std::vector<std::string> names_of(T&& value) {
  std::vector<std::string> names;
  for_each_field(value, [&](std::string_view name, auto&) { names.emplace_back(name); });
  return names;
}

TEST(ReflectTest, NamesTheFieldsOfAnAggregate) {
  const Config config;
  EXPECT_THAT(
      names_of(config),
      ElementsAre(
          "first", "workers", "learning_rate", "name", "layers", "grid", "fixed", "unique"));
}

TEST(ReflectTest, NamesFieldsThatHaveNoDefaultConstructor) {
  EXPECT_THAT(
      names_of(Awkward{NoDefault(1), NoDefault(2), {}, {}, {}}),
      ElementsAre("one", "two", "letters", "inners", "three"));
}

TEST(ReflectTest, CountsFromNoneToThirtyTwoFields) {
  EXPECT_EQ(detail::field_count<Empty>, 0U);
  EXPECT_EQ(detail::field_count<Only>, 1U);
  EXPECT_EQ(detail::field_count<Wide>, 32U);
  EXPECT_TRUE(names_of(Empty{}).empty());
  EXPECT_EQ(names_of(Wide{}).back(), "last");
}

TEST(ReflectTest, NamesFieldsOfTemplatesAndLocalTypes) {
  struct Local {
    int here;
    Box<std::map<int, std::string>> there;
  };
  EXPECT_THAT(names_of(Box<std::vector<std::string>>{}), ElementsAre("content"));
  EXPECT_THAT(names_of(Local{}), ElementsAre("here", "there"));
}

TEST(ReflectTest, ReachesPrivateFieldsThroughInspect) {
  const Point point(3, 4);
  std::map<std::string, int> seen;
  for_each_field(point, [&](std::string_view name, auto& value) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(value)>>);
    seen.emplace(name, value);
  });
  EXPECT_THAT(seen, ElementsAre(testing::Pair("x", 3), testing::Pair("y", 4)));
}

TEST(ReflectTest, WritesThroughFieldsOfWhatIsNotConst) {
  Point point(3, 4);
  for_each_field(point, [](std::string_view, int& value) { value *= 10; });
  int sum = 0;
  for_each_field(std::as_const(point), [&](std::string_view, const int& value) { sum += value; });
  EXPECT_EQ(sum, 70);
}

TEST(ReflectTest, TellsReflectedTypesFromOthers) {
  static_assert(Reflected<Config> && Reflected<const Config> && Reflected<Point>);
  static_assert(Reflected<Awkward> && Reflected<Empty>);
  static_assert(!Reflected<std::array<int, 3>> && !Reflected<std::vector<int>>);
  static_assert(!Reflected<std::string> && !Reflected<int> && !Reflected<int[3]>);
  static_assert(!Reflected<std::pair<int, int>> && !Reflected<NoDefault>);
  static_assert(!Reflected<Derived> && !Reflected<Reference> && !Reflected<ConstReference>);
}

TEST(TypeNameTest, ReadsAsAPersonWouldWriteIt) {
  EXPECT_EQ(type_name<int>(), "int");
  EXPECT_EQ(type_name<std::string>(), "std::string");
  EXPECT_EQ(type_name<std::vector<float>>(), "std::vector<float>");
  EXPECT_EQ(type_name<app::ParameterServer>(), "app::ParameterServer");
  EXPECT_EQ(type_name<Public>(), "Public");
  EXPECT_EQ(type_name<Config>(), "(anonymous namespace)::Config");
  EXPECT_EQ(
      (type_name<std::map<std::string, std::vector<std::vector<Public>>>>()),
      "std::map<std::string, std::vector<std::vector<Public>>>");
}

class Leaf {
public:
  explicit Leaf(int id) : id_(id) {}
  int id() const { return id_; }
  void mark() { id_ = -id_; }

private:
  int id_;
};

template <class T>
struct IsLeaf : std::is_same<T, Leaf> {};

struct Arguments {
  std::vector<float> weights;
  Leaf direct;
  std::vector<std::optional<Leaf>> optionals;
  std::map<std::string, std::pair<int, Leaf>> by_name;
  std::variant<int, Leaf> variant;
  std::array<Leaf, 1> array;
  std::tuple<int, Box<Leaf>> tuple;
  std::unique_ptr<Leaf> owned;
  std::shared_ptr<const Leaf> shared_const;
  Leaf plain_array[2];
};

struct Tree {
  std::vector<Tree> children;
  std::vector<Leaf> leaves;
};

struct Chain {
  std::unique_ptr<Chain> next;
  int weight = 0;
};

class Hidden {
public:
  friend void inspect(auto& fields, Hidden& h) { fields(field("leaf", h.leaf_)); }

private:
  Leaf leaf_{9};
};

template <class T>
std::vector<int> leaves_of(T& value) {
  std::vector<int> ids;
  detail::walk<IsLeaf>(value, [&](const Leaf& leaf) { ids.push_back(leaf.id()); });
  return ids;
}

Arguments arguments() {
  return {
      .weights = {1, 2},
      .direct = Leaf(1),
      .optionals = {Leaf(2), std::nullopt, Leaf(3)},
      .by_name = {{"a", {0, Leaf(4)}}},
      .variant = Leaf(5),
      .array = {Leaf(6)},
      .tuple = {0, {Leaf(7)}},
      .owned = std::make_unique<Leaf>(8),
      .shared_const = std::make_shared<Leaf>(-1),
      .plain_array = {Leaf(9), Leaf(10)},
  };
}

TEST(WalkTest, FindsLeavesInEverythingThatHoldsValues) {
  const Arguments constant = arguments();
  EXPECT_THAT(leaves_of(constant), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST(WalkTest, ChangesLeavesInPlace) {
  Arguments changed = arguments();
  detail::walk<IsLeaf>(changed, [](Leaf& leaf) { leaf.mark(); });
  EXPECT_THAT(leaves_of(changed), ElementsAre(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10));
  EXPECT_EQ(changed.shared_const->id(), -1) << "what a pointer to const shares is left alone";
}

TEST(WalkTest, SkipsEmptyHolders) {
  std::tuple<std::optional<Leaf>, std::unique_ptr<Leaf>, std::variant<int, Leaf>> empty;
  EXPECT_TRUE(leaves_of(empty).empty());
}

TEST(WalkTest, FollowsTypesThatHoldThemselves) {
  Tree tree{.children = {{.children = {}, .leaves = {Leaf(1)}}}, .leaves = {Leaf(2)}};
  EXPECT_THAT(leaves_of(tree), ElementsAre(1, 2));
}

TEST(WalkTest, LooksBehindInspect) {
  std::vector<Hidden> hidden(2);
  EXPECT_THAT(leaves_of(hidden), ElementsAre(9, 9));
}

TEST(WalkTest, KnowsWhichTypesCannotHoldALeaf) {
  using detail::contains;
  static_assert(contains<IsLeaf, Arguments>() && contains<IsLeaf, Tree>());
  static_assert(contains<IsLeaf, std::vector<Hidden>>());
  static_assert(!contains<IsLeaf, std::vector<float>>() && !contains<IsLeaf, Config>());
  static_assert(!contains<IsLeaf, Chain>() && !contains<IsLeaf, std::string>());
  static_assert(!contains<IsLeaf, std::map<int, std::vector<Inner>>>());
}

} // namespace
} // namespace callboard
