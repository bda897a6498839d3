// SPDX-License-Identifier: Apache-2.0
#include "codec_types.hpp"

#include <callboard/codec.hpp>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <cmath>

namespace callboard::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Bytes = std::vector<std::byte>;

template <class... Byte>
Bytes bytes(Byte... values) {
  return {static_cast<std::byte>(values)...};
}

/// The message of the `malformed` error; empty if `raw` decodes.
template <class T>
std::string malformed_text(std::span<const std::byte> raw) {
  try {
    decoded<T>(raw);
    return "";
  } catch (const CallError& error) {
    EXPECT_EQ(error.code(), Code::malformed) << error.what();
    return error.error().message;
  }
}

template <class T>
class EveryKindTest : public testing::Test {};

using Kinds = testing::Types<
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
    std::multiset<int>>;
using MoreKinds = testing::Types<
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
    Box<Box<int>>>;

template <class T>
class EveryOtherKindTest : public testing::Test {};

TYPED_TEST_SUITE(EveryKindTest, Kinds);
TYPED_TEST_SUITE(EveryOtherKindTest, MoreKinds);

template <class T>
void expect_round_trips() {
  static_assert(Transferable<T>);
  for (const T& sample : Samples<T>::get()) {
    EXPECT_TRUE(decoded<T>(encoded(sample)) == sample);
  }
}

template <class T>
void expect_truncations_are_malformed() {
  for (const T& sample : Samples<T>::get()) {
    const Bytes whole = encoded(sample);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(malformed_text<T>(part), "") << size << " of " << whole.size() << " bytes";
    }
  }
}

template <class T>
void expect_left_over_bytes_are_malformed() {
  for (const T& sample : Samples<T>::get()) {
    Bytes longer = encoded(sample);
    longer.push_back({});
    EXPECT_THAT(malformed_text<T>(longer), HasSubstr("expected the end, 1 bytes are left"));
  }
}

TYPED_TEST(EveryKindTest, ComesBackAsItWas) {
  expect_round_trips<TypeParam>();
}
TYPED_TEST(EveryKindTest, IsMalformedWhenCut) {
  expect_truncations_are_malformed<TypeParam>();
}
TYPED_TEST(EveryKindTest, IsMalformedWithATail) {
  expect_left_over_bytes_are_malformed<TypeParam>();
}
TYPED_TEST(EveryOtherKindTest, ComesBackAsItWas) {
  expect_round_trips<TypeParam>();
}
TYPED_TEST(EveryOtherKindTest, IsMalformedWhenCut) {
  expect_truncations_are_malformed<TypeParam>();
}
TYPED_TEST(EveryOtherKindTest, IsMalformedWithATail) {
  expect_left_over_bytes_are_malformed<TypeParam>();
}

TEST(CodecTest, WritesNumbersWithTheLeastSignificantByteFirst) {
  EXPECT_EQ(encoded(std::uint16_t{0x0102}), bytes(2, 1));
  EXPECT_EQ(encoded(-2), bytes(0xFE, 0xFF, 0xFF, 0xFF));
  EXPECT_EQ(encoded(1.0F), bytes(0, 0, 0x80, 0x3F));
  EXPECT_EQ(encoded(Colour::blue), bytes(2));
}

TEST(CodecTest, WritesCountsInSevenBitsAByte) {
  EXPECT_EQ(encoded(std::string("ab")), bytes(2, 'a', 'b'));
  const Bytes text = encoded(std::string(300, 'x'));
  EXPECT_EQ(text.size(), 302U);
  EXPECT_EQ(Bytes(text.begin(), text.begin() + 3), bytes(0xAC, 0x02, 'x'));
}

TEST(CodecTest, WritesFieldsOneAfterAnother) {
  EXPECT_EQ(encoded(Inner{1, "a"}), bytes(1, 0, 0, 0, 1, 'a'));
  EXPECT_EQ(encoded(std::optional<Inner>()), bytes(0));
  EXPECT_EQ(encoded(Variant("s")), bytes(2, 1, 's'));
  EXPECT_EQ(encoded(std::vector<short>{1, 2}), bytes(2, 1, 0, 2, 0));
  EXPECT_EQ(encoded(std::map<char, bool>{{'a', true}}), bytes(1, 'a', 1));
}

TEST(CodecTest, KeepsEveryBitOfANumber) {
  const float odd = std::nanf("5");
  EXPECT_EQ(encoded(decoded<float>(encoded(odd))), encoded(odd));
  EXPECT_TRUE(std::signbit(decoded<double>(encoded(-0.0))));
}

TEST(CodecTest, CarriesTheValueBehindASharedPointer) {
  using Shared = std::shared_ptr<const Config>;
  const auto config = std::make_shared<const Config>(Config{.workers = 9});
  const Shared arrived = decoded<Shared>(encoded(Shared(config)));
  ASSERT_NE(arrived, nullptr);
  EXPECT_NE(arrived, config);
  EXPECT_EQ(*arrived, *config);
  EXPECT_EQ(decoded<Shared>(encoded(Shared())), nullptr);
}

TEST(CodecTest, CarriesAnError) {
  const Error error{Code::application, "m", "n", "o", "t"};
  const Error arrived = decoded<Error>(encoded(error));
  EXPECT_EQ(to_string(arrived), to_string(error));
  EXPECT_THAT(malformed_text<Error>(bytes(12, 0, 0, 0, 0)), HasSubstr("a code of at most 11"));
}

TEST(CodecTest, CarriesProtocolBuffersMessages) {
  google::protobuf::Timestamp time;
  time.set_seconds(1'700'000'000);
  const auto arrived = decoded<std::vector<google::protobuf::Timestamp>>(
      encoded(std::vector<google::protobuf::Timestamp>{{}, time}));
  EXPECT_EQ(arrived.at(1).seconds(), 1'700'000'000);
  EXPECT_EQ(layout<google::protobuf::Timestamp>(), "message google.protobuf.Timestamp");
  EXPECT_THAT(
      malformed_text<google::protobuf::Timestamp>(bytes(1, 0xFF)),
      HasSubstr("expected a Protocol Buffers message"));
}

TEST(CodecTest, RefusesAMessageThatLacksARequiredField) {
  const google::protobuf::UninterpretedOption::NamePart unfinished;
  EXPECT_THROW(encoded(unfinished), CallError);
}

TEST(CodecTest, AppendsToWhatTheBufferHolds) {
  Encoder encoder(bytes(1, 2));
  encode(encoder, std::uint8_t{3});
  EXPECT_EQ(encoder.take(), bytes(1, 2, 3));
  EXPECT_EQ(encoder.size(), 0U);
}

TEST(CodecTest, LetsAnExceptionOfTheUsersCodePass) {
  EXPECT_THROW(encoded(std::vector<Point>{{Point::unlucky, {}}}), std::domain_error);
  EXPECT_THROW(encoded(Box<Strict>(Strict({1, "secret"}))), std::domain_error);
}

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

TEST(LayoutTest, ShowsFieldsAndTheirTypes) {
  EXPECT_EQ(
      layout<Config>(),
      "test::Config{workers:i32,rate:f32,layers:[f64],"
      "inner:test::Inner{deep:i32,text:string},colour:test::Colour:u8?}");
  EXPECT_EQ(layout<Point>(), "test::Point{x:i32,inners:[test::Inner{deep:i32,text:string}]}");
}

TEST(LayoutTest, ShowsEveryKind) {
  EXPECT_EQ((layout<std::pair<bool, unsigned char>>()), "(bool,u8)");
  EXPECT_EQ((layout<std::map<std::string, std::array<long, 3>>>()), "[(string,[i64;3])]");
  EXPECT_EQ((layout<std::variant<std::monostate, int>>()), "<std::monostate{}|i32>");
  EXPECT_EQ(layout<std::chrono::milliseconds>(), "duration<i64,1/1000>");
  EXPECT_EQ(layout<std::shared_ptr<const double>>(), "f64?");
  EXPECT_EQ(layout<Box<Strict>>(), "Box(Strict)");
}

TEST(LayoutTest, EndsForTypesThatHoldThemselves) {
  EXPECT_EQ(layout<Node>(), "test::Node{id:i32,children:[test::Node]}");
}

TEST(LayoutTest, WritesATypeOutOnce) {
  EXPECT_EQ((layout<std::pair<Inner, Inner>>()), "(test::Inner{deep:i32,text:string},test::Inner)");
  EXPECT_EQ(layout<Inner>(), "test::Inner{deep:i32,text:string}") << "a new call starts afresh";
}

TEST(LayoutTest, ShowsPlainArrays) {
  EXPECT_EQ(
      layout<Arrays>(),
      "test::Arrays{grid:[[f64;2];2],letters:[i8;4],"
      "inners:[test::Inner{deep:i32,text:string};2],single:[i64;1]}");
}

struct WithPointer {
  std::vector<int*> pointers;
};

struct Reference {
  int& target;
};

struct Derived : Inner {};

class NoDefault {
public:
  explicit NoDefault(int v) : value_(v) {}
  friend void inspect(auto& fields, NoDefault& n) { fields(field("value", n.value_)); }

private:
  int value_;
};

TEST(TransferableTest, ExcludesWhatMeansNothingElsewhere) {
  static_assert(!Transferable<int*> && !Transferable<const char*> && !Transferable<WithPointer>);
  static_assert(!Transferable<std::string_view> && !Transferable<std::span<int>>);
  static_assert(!Transferable<int&> && !Transferable<Reference> && !Transferable<Derived>);
  static_assert(!Transferable<std::unique_ptr<int>> && !Transferable<std::shared_ptr<int>>);
  static_assert(!Transferable<void (*)()> && !Transferable<void> && !Transferable<NoDefault>);
  static_assert(!Transferable<std::map<int, std::optional<std::tuple<int, void*>>>>);
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
    damaged.resize(damaged.size() - next_random(random) % 2);
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
