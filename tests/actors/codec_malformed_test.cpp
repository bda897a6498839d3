// SPDX-License-Identifier: Apache-2.0
#include "codec_bytes.hpp"
#include "codec_types.hpp"

#include <callboard/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace callboard::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MalformedTest, NamesTheTypeTheOffsetAndWhatWasExpected) {
  EXPECT_EQ(
      malformed_text<Inner>(bytes(1, 0, 0)),
      "malformed bytes at offset 0: expected 4 bytes of int, 3 are left; in test::Inner");
  EXPECT_EQ(
      malformed_text<std::vector<Inner>>(bytes(1, 1, 0, 0, 0, 5, 'a')),
      "malformed bytes at offset 6: expected 5 elements of at least 1 bytes, 1 bytes are left; "
      "in std::string in test::Inner in std::vector<test::Inner>");
}

TEST(MalformedTest, AcceptsNoBoolBesidesZeroAndOne) {
  EXPECT_THAT(malformed_text<bool>(bytes(2)), HasSubstr("offset 0: expected 0 or 1, found 2"));
  EXPECT_NE(malformed_text<std::optional<int>>(bytes(7, 0, 0, 0, 0)), "");
}

TEST(MalformedTest, AcceptsNoAlternativeThatThereIsNot) {
  EXPECT_THAT(malformed_text<Variant>(bytes(4)), HasSubstr("the number of an alternative"));
}

TEST(MalformedTest, AcceptsNoKeyTwice) {
  EXPECT_THAT(malformed_text<std::set<char>>(bytes(2, 'a', 'a')), HasSubstr("keys that differ"));
}

TEST(MalformedTest, AcceptsNoSizeBeyondSixtyFourBits) {
  const Bytes most(9, std::byte{0xFF});
  Bytes largest = most;
  largest.push_back(std::byte{1});
  EXPECT_EQ(Decoder(largest).get_size(), ~std::uint64_t{0});
  Bytes larger = most;
  larger.push_back(std::byte{2});
  EXPECT_THROW(Decoder(larger).get_size(), CallError);
}

/// Fails the test when much is asked of it.
template <class T>
struct SparingAllocator {
  using value_type = T;
  SparingAllocator() = default;
  template <class U>
  SparingAllocator(const SparingAllocator<U>&) {} // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) {
    EXPECT_LT(n * sizeof(T), 10'000U);
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  bool operator==(const SparingAllocator&) const { return true; }
};

template <class T>
using SparingVector = std::vector<T, SparingAllocator<T>>;

struct Big {
  std::array<std::optional<double>, 100> values;
};

TEST(MalformedTest, AllocatesNothingForASizeThatIsOnlyClaimed) {
  using Text = std::basic_string<char, std::char_traits<char>, SparingAllocator<char>>;
  Encoder encoder;
  encoder.put_size(std::uint64_t{1} << 60);
  encoder.extend(8);
  EXPECT_NE(malformed_text<SparingVector<float>>(encoder.bytes()), "");
  EXPECT_NE(malformed_text<SparingVector<std::string>>(encoder.bytes()), "");
  EXPECT_NE(malformed_text<SparingVector<Empty>>(encoder.bytes()), "");
  EXPECT_NE(malformed_text<SparingVector<std::tuple<>>>(encoder.bytes()), "");
  EXPECT_NE(malformed_text<Text>(encoder.bytes()), "");
}

TEST(MalformedTest, AllocatesNoMoreThanTheBytesCanHold) {
  Encoder encoder;
  encoder.put_size(2'000);
  encoder.put_block(Bytes(2'000, std::byte{2}));
  EXPECT_NE(malformed_text<SparingVector<Big>>(encoder.bytes()), "");
}

Node chain(int length) {
  Node node;
  for (int i = 1; i < length; ++i) {
    Node outer;
    outer.children.push_back(std::move(node));
    node = std::move(outer);
  }
  return node;
}

TEST(LevelsTest, LetsValuesOfTheMostLevelsThrough) {
  const Node deep = chain(max_levels / 2);
  EXPECT_EQ(decoded<Node>(encoded(deep)), deep);
}

TEST(LevelsTest, RefusesToSendWhatIsDeeper) {
  try {
    encoded(chain(max_levels / 2 + 1));
    FAIL();
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
  }
}

TEST(LevelsTest, RefusesToReadWhatIsDeeper) {
  Bytes deep;
  for (int i = 0; i < 100'000; ++i) {
    const Bytes level = bytes(0, 0, 0, 0, 1);
    deep.insert(deep.end(), level.begin(), level.end());
  }
  EXPECT_THAT(
      malformed_text<Node>(deep),
      AllOf(
          HasSubstr("values at most 200 levels deep"), HasSubstr("test::Node in"), HasSubstr("…")));
}

/// SplitMix64: Steele, Lea, Flood (2014), "Fast splittable pseudorandom number generators".
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

using Everything = std::tuple<
    Config,
    Arrays,
    Node,
    Point,
    Map,
    HashMap,
    Flags,
    Words,
    Variant,
    Many,
    Error,
    std::shared_ptr<const Config>,
    std::optional<Strict>,
    std::vector<google::protobuf::Timestamp>>;

Everything everything() {
  return {
      Samples<Config>::get()[1],
      Samples<Arrays>::get()[0],
      Samples<Node>::get()[1],
      Samples<Point>::get()[1],
      Samples<Map>::get()[1],
      Samples<HashMap>::get()[1],
      Samples<Flags>::get()[1],
      Samples<Words>::get()[1],
      "text",
      Many(3),
      Error{Code::aborted, "m", "n"},
      std::make_shared<const Config>(),
      Strict({1, "a"}),
      {{}},
  };
}

TEST(FuzzTest, SurvivesFlippedBits) {
  const Bytes whole = encoded(everything());
  std::uint64_t random = 2024;
  int read = 0;
  for (int round = 0; round < 2'000; ++round) {
    Bytes damaged = whole;
    for (std::uint64_t flips = next_random(random) % 4; flips-- > 0;) {
      const std::uint64_t at = next_random(random) % (8 * damaged.size());
      damaged[at / 8] ^= static_cast<std::byte>(1U << (at % 8));
    }
    if (next_random(random) % 2 == 1) {
      damaged.pop_back();
    }
    try {
      decoded<Everything>(damaged);
      ++read;
    } catch (const CallError& error) {
      ASSERT_EQ(error.code(), Code::malformed);
    } catch (const std::domain_error&) {
      // the unlucky point, of whose inspect this is
    }
  }
  EXPECT_GT(read, 0) << "undamaged rounds are among them";
}

} // namespace
} // namespace callboard::test
