// SPDX-License-Identifier: Apache-2.0
#include "captured_log.hpp"
#include "error_of.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace callboard {

/// A value that refuses to become bytes, or to be made of them.
struct Brittle {
  int n = 0;
};

template <>
struct Codec<Brittle> {
  static void encode(Encoder& encoder, const Brittle& value) {
    if (value.n < 0) {
      throw std::domain_error("it breaks");
    }
    callboard::encode(encoder, value.n);
  }
  static Brittle decode(Decoder& decoder) {
    const int n = callboard::decode<int>(decoder);
    if (n > 100) {
      throw std::domain_error("it broke on the way");
    }
    return {n};
  }
  static std::string layout() { return "Brittle"; }
};

namespace {

using ::testing::HasSubstr;

class Glazier {
public:
  int look(const Brittle& glass) { return ++seen_, glass.n; }
  Brittle make(int n) { return {n}; }
  Deferred<Brittle> make_later(int n) {
    Deferred<Brittle> reply;
    reply.set({n});
    return reply;
  }
  int seen() const { return seen_; }
  bool same(const std::shared_ptr<const int>& pointer) { return pointer.get() == kept_.get(); }
  std::shared_ptr<const int> kept() const { return kept_; }
  using exposed = methods<
      &Glazier::look,
      &Glazier::make,
      &Glazier::make_later,
      &Glazier::seen,
      &Glazier::same,
      &Glazier::kept>;

private:
  int seen_ = 0;
  std::shared_ptr<const int> kept_ = std::make_shared<int>(5);
};

class RecodeTest : public ::testing::Test {
protected:
  testing::Served<Glazier> served_ = testing::serve<Glazier>();
  Client<Glazier> client_ = served_.client();
};

TEST_F(RecodeTest, ValuesPassThroughBytes) {
  const auto kept = client_.call<&Glazier::kept>();
  EXPECT_EQ(*kept, 5);
  EXPECT_FALSE(client_.call<&Glazier::same>(kept)) << "a copy, as between processes";
}

TEST_F(RecodeTest, WithoutItPointersStayAsTheyAre) {
  auto served = testing::serve_with<Glazier>({.recode = false});
  const auto kept = served.client().call<&Glazier::kept>();
  EXPECT_TRUE(served.client().call<&Glazier::same>(kept));
}

TEST_F(RecodeTest, AnArgumentThatCantBeEncodedFailsThatCallOnly) {
  const Error error = error_of([&] { return client_.call<&Glazier::look>(Brittle{-1}); });
  EXPECT_EQ(error.message, "it breaks");
  EXPECT_EQ(error.type, "std::domain_error");
  EXPECT_EQ(error.node, "served/0");
  EXPECT_THAT(error.method, ::testing::EndsWith("Glazier::look"));
  EXPECT_EQ(client_.async<&Glazier::look>(Brittle{-1}).result().error().message, "it breaks");
  EXPECT_EQ(client_.call<&Glazier::look>(Brittle{3}), 3);
  EXPECT_EQ(client_.call<&Glazier::seen>(), 1);
}

TEST_F(RecodeTest, AToldArgumentThatCantBeEncodedIsThrown) {
  const Error error = error_of([&] {
    client_.tell<&Glazier::look>(Brittle{-1});
    return 0;
  });
  EXPECT_THAT(error.message, HasSubstr("it breaks"));
}

TEST_F(RecodeTest, AnArgumentThatCantBeDecodedFailsThatCallOnly) {
  const Error error = error_of([&] { return client_.call<&Glazier::look>(Brittle{101}); });
  EXPECT_EQ(error.message, "it broke on the way");
  EXPECT_EQ(client_.call<&Glazier::seen>(), 0);
}

TEST_F(RecodeTest, AResultThatCantPassFailsThatCallAndSaysWhere) {
  for (const int n : {-1, 101}) {
    const Error error = error_of([&] { return client_.call<&Glazier::make>(n); });
    EXPECT_EQ(error.type, "std::domain_error");
    EXPECT_EQ(error.node, "served/0");
    EXPECT_THAT(error.method, ::testing::EndsWith("Glazier::make"));
    EXPECT_EQ(client_.try_call<&Glazier::make_later>(n).error().type, "std::domain_error");
  }
  EXPECT_EQ(client_.call<&Glazier::make>(4).n, 4);
}

} // namespace
} // namespace callboard
