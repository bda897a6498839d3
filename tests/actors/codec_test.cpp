// SPDX-License-Identifier: Apache-2.0
#include "codec_bytes.hpp"
#include "codec_types.hpp"

#include <callboard/codec.hpp>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace callboard::test {
namespace {

using testing::HasSubstr;

TEST(CodecTest, WritesWhatHasNoOrderInThatOfItsBytes) {
  EXPECT_EQ(
      encoded(std::unordered_set<std::string>{"b", "ccc", "a"}),
      bytes(3, 1, 'a', 1, 'b', 3, 'c', 'c', 'c'));
  EXPECT_EQ(
      encoded(std::unordered_map<std::uint8_t, std::uint8_t>{{9, 1}, {3, 2}, {7, 0}}),
      bytes(3, 3, 2, 7, 0, 9, 1));
  const std::unordered_multiset<std::uint8_t> twice{2, 1, 2};
  EXPECT_EQ(decoded<std::unordered_multiset<std::uint8_t>>(encoded(twice)), twice);
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

} // namespace
} // namespace callboard::test
