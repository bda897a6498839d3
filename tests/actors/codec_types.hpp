// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values of every kind that travels.
#pragma once

#include <callboard/codec.hpp>

#include <google/protobuf/timestamp.pb.h>

#include <array>
#include <chrono>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace callboard::test {

enum class Colour : std::uint8_t { red, green, blue };
enum Weekday : int { monday = 1, sunday = 7 };

struct Inner {
  int deep = 1;
  std::string text{};
  bool operator==(const Inner&) const = default;
};

struct Config {
  int workers = 4;
  float rate = 0.5F;
  std::vector<double> layers{};
  Inner inner{};
  std::optional<Colour> colour{};
  bool operator==(const Config&) const = default;
};

/// Neither its fields nor itself can be made from nothing.
struct Strict {
  explicit Strict(Inner i) : inner(std::move(i)) {}
  Inner inner;
  bool operator==(const Strict&) const = default;
};

struct Arrays {
  double grid[2][2];
  char letters[4];
  Inner inners[2];
  long single[1] = {7};
  bool operator==(const Arrays&) const = default;
};

struct Node {
  int id = 0;
  std::vector<Node> children{};
  bool operator==(const Node&) const = default;
};

struct Forest {
  std::vector<Forest> trees{};
  bool operator==(const Forest&) const = default;
};

struct Empty {
  bool operator==(const Empty&) const = default;
};

class Point {
public:
  Point() = default;
  Point(int x, std::vector<Inner> inners) : x_(x), inners_(std::move(inners)) {}
  friend void inspect(auto& fields, Point& p) {
    if (p.x_ == unlucky) {
      throw std::domain_error("unlucky point");
    }
    fields(field("x", p.x_), field("inners", p.inners_));
  }
  bool operator==(const Point&) const = default;

  static constexpr int unlucky = 13;

private:
  int x_ = 0;
  std::vector<Inner> inners_;
};

template <class T>
struct Box {
  explicit Box(T c) : content(std::move(c)) {}
  T content;
  bool operator==(const Box&) const = default;
};

} // namespace callboard::test

template <class T>
struct callboard::Codec<callboard::test::Box<T>> {
  static void encode(Encoder& encoder, const test::Box<T>& box) {
    callboard::encode(encoder, box.content);
  }
  static test::Box<T> decode(Decoder& decoder) {
    return test::Box<T>(callboard::decode<T>(decoder));
  }
  static std::string layout() { return "Box(" + callboard::layout<T>() + ")"; }
};

template <>
struct callboard::Codec<callboard::test::Strict> {
  static void encode(Encoder& encoder, const test::Strict& value) {
    if (value.inner.text == "secret") {
      throw std::domain_error("a secret stays here");
    }
    callboard::encode(encoder, value.inner);
  }
  static test::Strict decode(Decoder& decoder) {
    return test::Strict(callboard::decode<test::Inner>(decoder));
  }
  static std::string layout() { return "Strict"; }
};

namespace callboard::test {

/// A few values of type `T`.
template <class T>
struct Samples;

template <class T>
  requires std::is_arithmetic_v<T>
struct Samples<T> {
  static std::vector<T> get() {
    using Limits = std::numeric_limits<T>;
    return {T{0}, T{1}, Limits::lowest(), Limits::max(), Limits::epsilon()};
  }
};

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define CALLBOARD_SAMPLES(name, ...)                         \
  template <>                                                \
  struct Samples<name> {                                     \
    static std::vector<name> get() { return {__VA_ARGS__}; } \
  }

using Numbers = std::vector<float>;
using Words = std::vector<std::string>;
using Flags = std::vector<bool>;
using Map = std::map<std::string, Inner>;
using HashMap = std::unordered_map<int, std::vector<int>>;
using MultiMap = std::multimap<int, char>;
using HashSet = std::unordered_set<std::string>;
using Floats3 = std::array<float, 3>;
using Stricts = std::array<Strict, 2>;
using Pair = std::pair<int, std::string>;
using Tuple = std::tuple<int, Strict, std::tuple<>>;
using Variant = std::variant<std::monostate, int, std::string, int>;
using SystemTime = std::chrono::system_clock::time_point;
using Many = std::vector<Empty>;

CALLBOARD_SAMPLES(Colour, Colour::red, Colour::blue);
CALLBOARD_SAMPLES(Weekday, monday, sunday);
CALLBOARD_SAMPLES(Code, Code::cancelled, Code::application);
CALLBOARD_SAMPLES(std::byte, std::byte{0}, std::byte{255});
CALLBOARD_SAMPLES(std::string, "", "caf\xc3\xa9", std::string("\0x", 2), std::string(300, 'x'));
CALLBOARD_SAMPLES(std::u16string, u"", u"wide");
CALLBOARD_SAMPLES(Numbers, {}, {1.5F, -2}, Numbers(1000, 3));
CALLBOARD_SAMPLES(Words, Words{}, Words{"", "a", "bc"});
CALLBOARD_SAMPLES(Flags, Flags{}, Flags{true, false, true});
CALLBOARD_SAMPLES(std::vector<std::byte>, {}, {std::byte{7}});
CALLBOARD_SAMPLES(std::vector<long double>, {}, {0.1L, -1e4000L});
CALLBOARD_SAMPLES(std::vector<Colour>, {}, {Colour::green});
CALLBOARD_SAMPLES(std::vector<Strict>, {}, {Strict({1, "a"}), Strict({2, "b"})});
CALLBOARD_SAMPLES(std::deque<short>, {}, {1, 2});
CALLBOARD_SAMPLES(std::list<Config>, {}, {Config{}});
CALLBOARD_SAMPLES(std::set<std::string>, {}, {"a", "b"});
CALLBOARD_SAMPLES(std::multiset<int>, {}, {1, 1, 2});
CALLBOARD_SAMPLES(Map, Map{}, Map{{"a", {1, "x"}}, {"b", {2, "y"}}});
CALLBOARD_SAMPLES(HashMap, HashMap{}, HashMap{{1, {2, 3}}, {4, {}}});
CALLBOARD_SAMPLES(MultiMap, MultiMap{}, MultiMap{{1, 'a'}, {1, 'b'}});
CALLBOARD_SAMPLES(HashSet, HashSet{}, HashSet{"a", "b"});
CALLBOARD_SAMPLES(Floats3, Floats3{1, 2, 3});
CALLBOARD_SAMPLES(Stricts, Stricts{Strict({1, "a"}), Strict({2, "b"})});
CALLBOARD_SAMPLES(Pair, Pair{1, "one"});
CALLBOARD_SAMPLES(Tuple, Tuple{1, Strict({2, "two"}), {}});
CALLBOARD_SAMPLES(std::tuple<int>, std::tuple<int>{5});
CALLBOARD_SAMPLES(std::optional<Strict>, {}, Strict({1, "a"}));
CALLBOARD_SAMPLES(std::optional<std::optional<int>>, {}, std::optional<int>{}, {5});
CALLBOARD_SAMPLES(
    Variant, {}, Variant(std::in_place_index<1>, 5), "s", Variant(std::in_place_index<3>, 5));
CALLBOARD_SAMPLES(std::chrono::milliseconds, std::chrono::milliseconds(-1500));
CALLBOARD_SAMPLES(std::chrono::duration<double>, std::chrono::duration<double>(0.25));
CALLBOARD_SAMPLES(SystemTime, SystemTime(std::chrono::nanoseconds(1'700'000'000'000'000'123)));
CALLBOARD_SAMPLES(std::monostate, {});
CALLBOARD_SAMPLES(Empty, {});
CALLBOARD_SAMPLES(Many, {}, Many(5));
CALLBOARD_SAMPLES(Config, {}, {9, -1, {1, 2}, {3, "deep"}, Colour::green});
CALLBOARD_SAMPLES(Arrays, {{{1, 2}, {3, 4}}, {'a', 'b', 'c', 'd'}, {{1, "x"}, {2, "y"}}});
CALLBOARD_SAMPLES(Node, {}, {1, {{2, {{3, {}}}}, {4, {}}}});
CALLBOARD_SAMPLES(Forest, {}, {{{}, {{{}}}}});
CALLBOARD_SAMPLES(Point, {}, {3, {{4, "inner"}}});
CALLBOARD_SAMPLES(Strict, Strict({1, "a"}));
CALLBOARD_SAMPLES(Box<Map>, Box<Map>({{"k", {1, "v"}}}));
CALLBOARD_SAMPLES(Box<Box<int>>, Box<Box<int>>(Box<int>(3)));

#undef CALLBOARD_SAMPLES

} // namespace callboard::test
