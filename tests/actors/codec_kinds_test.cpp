// SPDX-License-Identifier: Apache-2.0
#include "codec_types.hpp"

#include <callboard/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace callboard::test {
namespace {

using Bytes = std::vector<std::byte>;

/// A type, of which the tests need to know no more than this: they compile once, not once a type.
struct KindCase {
  std::string type;
  std::vector<Bytes> samples;                           ///< encoded
  bool (*comes_back)(std::size_t sample, const Bytes&); ///< whether the bytes give that sample
  void (*read)(const Bytes&);
};

template <class T>
bool comes_back(std::size_t sample, const Bytes& bytes) {
  return decoded<T>(bytes) == Samples<T>::get()[sample];
}

template <class T>
void read(const Bytes& bytes) {
  decoded<T>(bytes);
}

template <class T>
KindCase make_case() {
  static_assert(Transferable<T>);
  KindCase kind{type_name<T>(), {}, comes_back<T>, read<T>};
  for (const T& sample : Samples<T>::get()) {
    kind.samples.push_back(encoded(sample));
  }
  return kind;
}

template <class... T>
std::vector<KindCase> make_cases() {
  return {make_case<T>()...};
}

const std::vector<KindCase>& every_kind() {
  static const std::vector<KindCase> kinds = make_cases<
      bool,
      char,
      signed char,
      std::uint8_t,
      short,
      std::uint16_t,
      int,
      unsigned,
      long,
      unsigned long,
      long long,
      float,
      double,
      long double,
      wchar_t,
      char32_t,
      Colour,
      Weekday,
      Code,
      std::byte,
      std::string,
      std::u16string,
      Numbers,
      Words,
      Flags,
      std::vector<std::byte>,
      std::vector<long double>,
      std::vector<Colour>,
      std::vector<Strict>,
      std::deque<short>,
      std::list<Config>,
      std::set<std::string>,
      std::multiset<int>,
      Map,
      HashMap,
      MultiMap,
      HashSet,
      Floats3,
      Stricts,
      Pair,
      Tuple,
      std::tuple<int>,
      std::optional<Strict>,
      std::optional<std::optional<int>>,
      Variant,
      std::chrono::milliseconds,
      std::chrono::duration<double>,
      SystemTime,
      std::monostate,
      Empty,
      Many,
      Config,
      Arrays,
      Node,
      Forest,
      Point,
      Strict,
      Box<Map>,
      Box<Box<int>>>();
  return kinds;
}

bool is_malformed(const KindCase& kind, const Bytes& bytes) {
  try {
    kind.read(bytes);
    return false;
  } catch (const CallError& error) {
    return error.code() == Code::malformed;
  }
}

TEST(EveryKindTest, ComesBackAsItWas) {
  for (const KindCase& kind : every_kind()) {
    for (std::size_t i = 0; i < kind.samples.size(); ++i) {
      EXPECT_TRUE(kind.comes_back(i, kind.samples[i])) << kind.type << ", sample " << i;
    }
  }
}

TEST(EveryKindTest, IsMalformedWhenCutAnywhere) {
  for (const KindCase& kind : every_kind()) {
    for (const Bytes& sample : kind.samples) {
      for (auto end = sample.begin(); end != sample.end(); ++end) {
        EXPECT_TRUE(is_malformed(kind, Bytes(sample.begin(), end)))
            << kind.type << ", " << end - sample.begin() << " of " << sample.size() << " bytes";
      }
    }
  }
}

TEST(EveryKindTest, IsMalformedWhenBytesAreLeftOver) {
  for (const KindCase& kind : every_kind()) {
    for (Bytes sample : kind.samples) {
      sample.push_back({});
      EXPECT_TRUE(is_malformed(kind, sample)) << kind.type;
    }
  }
}

} // namespace
} // namespace callboard::test
