// SPDX-License-Identifier: Apache-2.0
#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace shop {

/// Its methods are of every kind that can be exposed.
class Till {
public:
  int plain(int x) { return sum_ += x; }
  int constant(int x) const { return sum_ + x; }
  int lvalue(int x) & { return sum_ += x; }
  int const_lvalue(int x) const& { return sum_ + x; }
  int quiet(int x) noexcept { return sum_ += x; }
  int const_quiet(int x) const noexcept { return sum_ + x; }
  int lvalue_quiet(int x) & noexcept { return sum_ += x; }
  int const_lvalue_quiet(int x) const& noexcept { return sum_ + x; }
  void reset() { sum_ = 0; }

  std::string by_value(std::string text) { return text + " by value"; }
  std::string by_const(const std::string& text) { return text + " by const&"; }
  std::string by_rvalue(std::string&& text) {
    const std::string taken = std::move(text);
    return taken + " by &&";
  }

  int twice(int x) { return 2 * x; }
  double twice(double x) const { return 2 * x; }
  std::string twice(const std::string& x, int times) {
    std::string text;
    for (int i = 0; i < 2 * times; ++i) {
      text += x;
    }
    return text;
  }

  using exposed = callboard::methods<
      &Till::plain,
      &Till::constant,
      &Till::lvalue,
      &Till::const_lvalue,
      &Till::quiet,
      &Till::const_quiet,
      &Till::lvalue_quiet,
      &Till::const_lvalue_quiet,
      &Till::reset,
      &Till::by_value,
      &Till::by_const,
      &Till::by_rvalue,
      callboard::method<int(int)>(&Till::twice),
      callboard::method<double(double) const>(&Till::twice),
      callboard::method<std::string(const std::string&, int)>(&Till::twice)>;

private:
  int sum_ = 0;
};

/// An interface only.
class Store {
public:
  virtual ~Store() = default;
  virtual int get(const std::string& key) const = 0;
  virtual void put(std::string key, int value) { last_ = std::move(key) + std::to_string(value); }
  std::string last() const { return last_; }
  using exposed = callboard::methods<&Store::get, &Store::put, &Store::last>;

protected:
  std::string last_;
};

class Padding {
public:
  virtual ~Padding() = default;
  long filler = 7;
};

class MapStore : public Padding, public Store {
public:
  int get(const std::string& key) const override { return entries_.at(key); }
  void put(std::string key, int value) override {
    last_ = key;
    entries_[std::move(key)] = value;
  }
  std::size_t size() const { return entries_.size(); }
  using exposed = callboard::methods<Store::exposed{}, &MapStore::size>;

private:
  std::map<std::string, int> entries_;
};

/// Exposes nothing of its base.
class ClosedStore : public MapStore {
public:
  int nothing() const { return 0; }
  using exposed = callboard::methods<&ClosedStore::nothing>;
};

template <class T>
class Stack {
public:
  void push(T value) { values_.push_back(std::move(value)); }
  T pop() {
    T value = std::move(values_.back());
    values_.pop_back();
    return value;
  }
  using exposed = callboard::methods<&Stack::push, &Stack::pop>;

private:
  std::vector<T> values_;
};

struct Position {
  int row = 0;
  int column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

class Board {
public:
  std::vector<std::pair<Position, std::string>> pieces() const {
    return {{{1, 2}, "rook"}, {{3, 4}, "pawn"}};
  }
  using exposed = callboard::methods<&Board::pieces>;
};

class Silent {};

} // namespace shop

namespace callboard {
namespace {

using shop::MapStore;
using shop::Store;
using shop::Till;

class Unnamed {
public:
  int get() const { return 1; }
};

TEST(MethodTest, CallsMethodsOfEveryQualification) {
  auto served = testing::serve<Till>();
  const Client<Till> client = served.client();
  EXPECT_EQ(client.call<&Till::plain>(1), 1);
  EXPECT_EQ(client.call<&Till::lvalue>(2), 3);
  EXPECT_EQ(client.call<&Till::quiet>(3), 6);
  EXPECT_EQ(client.call<&Till::lvalue_quiet>(4), 10);
  EXPECT_EQ(client.call<&Till::constant>(1), 11);
  EXPECT_EQ(client.call<&Till::const_lvalue>(2), 12);
  EXPECT_EQ(client.call<&Till::const_quiet>(3), 13);
  EXPECT_EQ(client.call<&Till::const_lvalue_quiet>(4), 14);
  client.call<&Till::reset>();
  EXPECT_EQ(client.call<&Till::constant>(0), 0);
}

TEST(MethodTest, PassesArgumentsByValueConstReferenceAndRvalue) {
  auto served = testing::serve_with<Till>({.recode = false});
  const std::string text = "hello, a text too long for the small string optimisation";
  EXPECT_EQ(served.client().call<&Till::by_value>(text), text + " by value");
  EXPECT_EQ(served.client().call<&Till::by_const>(text), text + " by const&");
  EXPECT_EQ(served.client().call<&Till::by_rvalue>(text), text + " by &&");
  EXPECT_EQ(served.client().call<&Till::by_rvalue>("literal"), "literal by &&");
}

TEST(MethodTest, NamesOverloadsByTheirSignature) {
  auto served = testing::serve<Till>();
  const Client<Till> client = served.client();
  EXPECT_EQ(client.call<method<int(int)>(&Till::twice)>(21), 42);
  EXPECT_EQ(client.call<method<double(double) const>(&Till::twice)>(1.25), 2.5);
  EXPECT_EQ(
      (client.call<method<std::string(const std::string&, int)>(&Till::twice)>("ab", 2)),
      "abababab");
}

TEST(MethodTest, TellsOverloadsApartByTagAndKeepsTagsOfDistinctMethodsDistinct) {
  constexpr auto of_int = detail::Method<method<int(int)>(&Till::twice)>::info.tag;
  constexpr auto of_double = detail::Method<method<double(double) const>(&Till::twice)>::info.tag;
  static_assert(of_int != of_double);
  static_assert(detail::Method<&Till::plain>::info.tag != detail::Method<&Till::lvalue>::info.tag);
  static_assert(
      detail::Method<&shop::Stack<int>::push>::info.tag
      != detail::Method<&shop::Stack<long>::push>::info.tag);
}

TEST(MethodTest, ConstMethodsAreRepeatableAndOthersAreNot) {
  static_assert(detail::Method<&Till::constant>::info.repeatable);
  static_assert(detail::Method<&Till::const_lvalue>::info.repeatable);
  static_assert(detail::Method<&Till::const_quiet>::info.repeatable);
  static_assert(detail::Method<&Till::const_lvalue_quiet>::info.repeatable);
  static_assert(!detail::Method<&Till::plain>::info.repeatable);
  static_assert(!detail::Method<&Till::quiet>::info.repeatable);
}

TEST(MethodTest, NamesMethodsAsAPersonWould) {
  EXPECT_EQ(detail::Method<&Till::plain>::info.name, "shop::Till::plain");
  EXPECT_EQ(detail::Method<&Store::get>::info.name, "shop::Store::get") << "virtual";
  EXPECT_EQ(detail::Method<&Till::quiet>::info.name, "shop::Till::quiet") << "noexcept";
  EXPECT_EQ(detail::Method<method<int(int)>(&Till::twice)>::info.name, "shop::Till::twice");
  EXPECT_EQ(detail::Method<&shop::Stack<int>::push>::info.name, "shop::Stack<int>::push");
  EXPECT_EQ(
      detail::Method<&shop::Stack<std::string>::push>::info.name, "shop::Stack<std::string>::push");
  EXPECT_EQ(detail::Method<&Unnamed::get>::info.name, "(anonymous namespace)::Unnamed::get");
}

TEST(MethodTest, ADerivedServiceAddsToTheMethodsOfItsBase) {
  auto served = testing::serve<MapStore>();
  const Client<MapStore> client = served.client();
  client.call<&Store::put>("a", 1);
  EXPECT_EQ(client.call<&Store::get>("a"), 1);
  EXPECT_EQ(client.call<&MapStore::size>(), 1U);
}

TEST(MethodTest, AClientOfTheBaseReachesTheOverridesOfTheDerived) {
  auto served = testing::serve<MapStore>();
  const Client<Store> base = served.client();
  base.call<&Store::put>("b", 2);
  EXPECT_EQ(base.call<&Store::get>("b"), 2);
  EXPECT_EQ(base.call<&Store::last>(), "b") << "put of the base would have written b2";
}

TEST(MethodTest, OnlyAServiceThatExposesTheMethodsOfTheBaseServesAsIt) {
  static_assert(std::is_convertible_v<Client<MapStore>, Client<Store>>);
  static_assert(!std::is_convertible_v<Client<shop::ClosedStore>, Client<Store>>);
  static_assert(!std::is_convertible_v<Client<Store>, Client<MapStore>>);
  static_assert(!std::is_convertible_v<Client<Till>, Client<Store>>);
}

TEST(MethodTest, ServesTemplates) {
  auto numbers = testing::serve<shop::Stack<int>>();
  auto names = testing::serve<shop::Stack<std::string>>();
  numbers.client().call<&shop::Stack<int>::push>(4);
  names.client().call<&shop::Stack<std::string>::push>("four");
  EXPECT_EQ(numbers.client().call<&shop::Stack<int>::pop>(), 4);
  EXPECT_EQ(names.client().call<&shop::Stack<std::string>::pop>(), "four");
}

// U24
TEST(MethodTest, ReturnsAVectorOfPairsOfAUserType) {
  auto served = testing::serve<shop::Board>();
  EXPECT_THAT(
      served.client().call<&shop::Board::pieces>(),
      ::testing::ElementsAre(
          std::pair(shop::Position{1, 2}, std::string("rook")),
          std::pair(shop::Position{3, 4}, std::string("pawn"))));
}

TEST(MethodTest, DescribesTheLayoutOfArgumentsAndResult) {
  const auto& interface = detail::interface_of<shop::Stack<int>>();
  EXPECT_EQ(interface.service, "shop::Stack<int>");
  ASSERT_EQ(interface.methods.size(), 2U);
  EXPECT_THAT(interface.methods[0].layout(), ::testing::EndsWith("-> void"));
  EXPECT_THAT(interface.methods[1].layout(), ::testing::EndsWith("-> i32"));
  EXPECT_TRUE(detail::interface_of<shop::Silent>().methods.empty())
      << "a service may expose nothing";
}

} // namespace
} // namespace callboard
