// SPDX-License-Identifier: Apache-2.0
// What a node's constructor can be given.
#include <callboard/testing.hpp>

#include <map>
#include <optional>

namespace callboard {
namespace {

using ::testing::ElementsAre;

class Base {
public:
  explicit Base(int value) : value_(value) {}
  virtual ~Base() = default;
  int value() const { return value_; }
  using exposed = methods<&Base::value>;

private:
  int value_;
};

class Derived : public Base {
public:
  explicit Derived(int value) : Base(value) {}
  int twice() const { return 2 * value(); }
  using exposed = methods<Base::exposed{}, &Derived::twice>;
};

struct Links {
  std::string name = "links";
  Client<Base> first;
  std::vector<Client<Base>> many{};
  std::optional<Client<Base>> maybe{};
  std::optional<Client<Base>> none{};
  std::map<std::string, Client<Base>> named{};
};

class Reader {
public:
  explicit Reader(Links links) : links_(std::move(links)) {}

  Task<std::vector<int>> read() {
    std::vector<Client<Base>> all{links_.first};
    all.insert(all.end(), links_.many.begin(), links_.many.end());
    all.push_back(links_.maybe.value());
    all.push_back(links_.named.at("x"));
    std::vector<int> values;
    for (const Client<Base>& client : all) {
      values.push_back(co_await client.async<&Base::value>());
    }
    values.push_back(links_.none ? 1 : 0);
    co_return values;
  }
  using exposed = methods<&Reader::read>;

private:
  Links links_;
};

class ArgumentsTest : public ::testing::TestWithParam<bool> {
protected:
  testing::ProgramTestOptions options() const { return {.recode = GetParam()}; }
  Program program_{"arguments"};
};

INSTANTIATE_TEST_SUITE_P(Recode, ArgumentsTest, ::testing::Bool());

TEST_P(ArgumentsTest, FindClientsInsideAStruct) {
  auto group = program_.add_group<Derived>({.label = "b", .replicas = 2}, 7);
  auto one = program_.add<Base>("one", 1);
  auto two = program_.add<Base>("two", 2);
  Links links{.first = one, .many = group, .maybe = two, .named = {{"x", group[1]}}};
  auto reader = program_.add<Reader>("reader", links);
  EXPECT_THAT(
      program_.edges(),
      ElementsAre(
          EdgeInfo{"reader/0", "one/0"},
          EdgeInfo{"reader/0", "b/0"},
          EdgeInfo{"reader/0", "b/1"},
          EdgeInfo{"reader/0", "two/0"}));
  testing::ProgramTest test(program_, options());
  EXPECT_THAT(test.client(reader).call<&Reader::read>(), ElementsAre(1, 7, 7, 2, 7, 0));
}

class Sum {
public:
  Sum(std::vector<Client<Base>> many, std::optional<Client<Base>> more, std::string name)
      : many_(std::move(many)), more_(std::move(more)), name_(std::move(name)) {}

  Task<int> sum() {
    int sum = more_ ? co_await more_->async<&Base::value>() : 0;
    for (const Client<Base>& client : many_) {
      sum += co_await client.async<&Base::value>();
    }
    co_return sum;
  }
  std::string name() const { return name_; }
  using exposed = methods<&Sum::sum, &Sum::name>;

private:
  std::vector<Client<Base>> many_;
  std::optional<Client<Base>> more_;
  std::string name_;
};

TEST_P(ArgumentsTest, AreHandlesAndGroupsWhereClientsAreWanted) {
  auto group = program_.add_group<Base>({.label = "b", .replicas = 3}, 5);
  auto all = program_.add<Sum>("all", group, group[0], "text");
  auto some = program_.add<Sum>(
      "some",
      std::vector<Handle<Base>>{group[0], group[2]},
      std::optional<Client<Base>>(),
      std::string("other"));
  testing::ProgramTest test(program_, options());
  EXPECT_EQ(test.client(all).call<&Sum::sum>(), 20);
  EXPECT_EQ(test.client(some).call<&Sum::sum>(), 10);
  EXPECT_EQ(test.client(all).call<&Sum::name>(), "text");
}

TEST_P(ArgumentsTest, CanBeHandlesOfADerivedService) {
  auto derived = program_.add<Derived>("derived", 4);
  auto group = program_.add_group<Derived>({.label = "group", .replicas = 2}, 3);
  auto sum =
      program_.add<Sum>("sum", std::vector<Client<Base>>(group), Client<Base>(derived), "name");
  testing::ProgramTest test(program_, options());
  EXPECT_EQ(test.client(sum).call<&Sum::sum>(), 10);
  EXPECT_EQ(test.client(derived).call<&Derived::twice>(), 8);
  EXPECT_EQ(Client<Base>(test.client(derived)).call<&Base::value>(), 4);
}

class Ranked {
public:
  Ranked(Context& context, int offset) : context_(context), offset_(offset) {}
  int index() const { return context_.rank().index + offset_; }
  int size() const { return context_.rank().size; }
  std::string node() const { return context_.node(); }
  std::uint64_t seed() const { return context_.seed(); }
  int incarnation() const { return context_.incarnation(); }
  using exposed =
      methods<&Ranked::index, &Ranked::size, &Ranked::node, &Ranked::seed, &Ranked::incarnation>;

private:
  Context& context_;
  int offset_;
};

TEST_P(ArgumentsTest, BeginWithTheContextIfTheConstructorWantsIt) {
  auto group = program_.add_group<Ranked>({.label = "ranked", .replicas = 3}, 10);
  testing::ProgramTest test(program_, options());
  for (int i = 0; i < 3; ++i) {
    const auto client = test.client(group[i]);
    EXPECT_EQ(client.call<&Ranked::index>(), 10 + i);
    EXPECT_EQ(client.call<&Ranked::size>(), 3);
    EXPECT_EQ(client.call<&Ranked::node>(), "ranked/" + std::to_string(i));
    EXPECT_EQ(client.call<&Ranked::incarnation>(), 1);
  }
}

std::vector<std::uint64_t> seeds(std::uint64_t seed) {
  Program program("seeds");
  auto group = program.add_group<Ranked>({.label = "ranked", .replicas = 3}, 0);
  auto other = program.add<Ranked>("other", 0);
  testing::ProgramTest test(program, {.seed = seed});
  std::vector<std::uint64_t> all{test.client(other).call<&Ranked::seed>()};
  for (int i = 0; i < 3; ++i) {
    all.push_back(test.client(group[i]).call<&Ranked::seed>());
  }
  return all;
}

TEST(SeedTest, IsTheNodesOwnAndFollowsFromTheProgramsSeed) {
  const auto first = seeds(1);
  EXPECT_EQ(seeds(1), first);
  auto all = seeds(2);
  all.insert(all.end(), first.begin(), first.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "two seeds are equal";
}

} // namespace
} // namespace callboard
