// SPDX-License-Identifier: Apache-2.0
#include <callboard/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace callboard {
namespace {

template <class T>
Error error_of(T thrown) {
  try {
    throw thrown;
  } catch (...) {
    return current_error();
  }
}

struct UserFault {};

TEST(ErrorTest, KeepsTypeAndTextOfAStandardException) {
  const Error error = error_of(std::out_of_range("row 7 of 5"));
  EXPECT_EQ(error.code, Code::application);
  EXPECT_EQ(error.type, "std::out_of_range");
  EXPECT_EQ(error.message, "row 7 of 5");
}

TEST(ErrorTest, NamesTheTypeOfWhateverIsThrown) {
  EXPECT_EQ(error_of(42).message, "threw the number 42");
  EXPECT_EQ(error_of(42).type, "int");
  EXPECT_THAT(error_of(UserFault{}).type, testing::EndsWith("UserFault"));
}

TEST(ErrorTest, KeepsTheCodeOfACallError) {
  EXPECT_EQ(error_of(CallError(Code::not_found, "no table t")).code, Code::not_found);
}

TEST(ErrorTest, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(
      clean_text("a\xff"
                 "b"),
      "a\\xffb");
  EXPECT_EQ(clean_text("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xb2"), "café € 🎲");
  EXPECT_EQ(clean_text("\xc0\x80"), "\\xc0\\x80") << "an overlong form is not UTF-8";
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate is not UTF-8";
  EXPECT_EQ(clean_text("\xe2\x82"), "\\xe2\\x82") << "a cut sequence is not UTF-8";
  EXPECT_EQ(clean_text(std::string_view("\0", 1)), "\\x00");
}

TEST(ErrorTest, CutsALongTextAtTheLimit) {
  const std::string text = clean_text(std::string(1 << 20, 'x'));
  EXPECT_LE(text.size(), max_error_text);
  EXPECT_GT(text.size(), max_error_text - 32);
  EXPECT_THAT(text, testing::EndsWith("(cut)"));
}

TEST(ErrorTest, ReadsAsOneLineThatSaysWhere) {
  const Error error{
      .code = Code::application,
      .message = "gradient has 10 entries, weights have 12",
      .node = "server/0",
      .method = "ParameterServer::push",
      .type = "std::invalid_argument",
  };
  EXPECT_EQ(
      to_string(error),
      "call ParameterServer::push on server/0: application: std::invalid_argument: "
      "gradient has 10 entries, weights have 12");
}

TEST(ResultTest, ThrowsItsErrorWhenAskedForAValueItLacks) {
  const Result<int> failed = Error{Code::unavailable, "gone"};
  EXPECT_FALSE(failed.ok());
  EXPECT_THROW(failed.value(), CallError);
  EXPECT_EQ(Result<int>(3).value(), 3);
}

} // namespace
} // namespace callboard
