// SPDX-License-Identifier: Apache-2.0
#include "error_of.hpp"

#include <callboard/testing/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace faults {

struct Jam {
  int sheet;
};

class PaperJam : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Printer {
public:
  void standard(const std::string& why) { throw std::out_of_range(why); }
  void user(const std::string& why) { throw PaperJam(why); }
  void plain_value() { throw Jam{3}; }
  void number() { throw 42; }
  void text() { throw "out of paper"; }
  void coded() { throw callboard::CallError(callboard::Code::not_found, "no such tray"); }
  void long_text() { throw std::runtime_error(std::string(1 << 20, 'x')); }
  void bytes() { throw std::runtime_error("caf\xe9"); }
  int pages() const { return 7; }
  using exposed = callboard::methods<
      &Printer::standard,
      &Printer::user,
      &Printer::plain_value,
      &Printer::number,
      &Printer::text,
      &Printer::coded,
      &Printer::long_text,
      &Printer::bytes,
      &Printer::pages>;
};

} // namespace faults

namespace callboard {
namespace {

using faults::Printer;

class ServiceErrorTest : public ::testing::Test {
protected:
  template <auto m, class... A>
  Error error(A... arguments) {
    Error seen = error_of([&] { return client_.call<m>(arguments...), 0; });
    EXPECT_EQ(client_.call<&Printer::pages>(), 7) << "the service lives on";
    return seen;
  }

  testing::Served<Printer> served_ = testing::serve<Printer>();
  Client<Printer> client_ = served_.client();
};

TEST_F(ServiceErrorTest, CarriesNodeMethodTypeAndText) {
  const Error error = this->error<&Printer::standard>("page 9 of 7");
  EXPECT_EQ(error.code, Code::application);
  EXPECT_EQ(error.node, "served/0");
  EXPECT_EQ(error.method, "faults::Printer::standard");
  EXPECT_EQ(error.type, "std::out_of_range");
  EXPECT_EQ(error.message, "page 9 of 7");
  EXPECT_EQ(
      to_string(error),
      "call faults::Printer::standard on served/0: application: std::out_of_range: page 9 of 7");
}

TEST_F(ServiceErrorTest, CarriesTypesOfTheUser) {
  EXPECT_EQ(error<&Printer::user>("tray 2").type, "faults::PaperJam");
  EXPECT_EQ(error<&Printer::user>("tray 2").message, "tray 2");
  EXPECT_EQ(error<&Printer::plain_value>().type, "faults::Jam");
}

TEST_F(ServiceErrorTest, CarriesWhatIsNoException) {
  EXPECT_EQ(error<&Printer::number>().message, "threw the number 42");
  EXPECT_EQ(error<&Printer::text>().message, "out of paper");
}

TEST_F(ServiceErrorTest, KeepsTheCodeOfACallError) {
  const Error error = this->error<&Printer::coded>();
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(error.node, "served/0");
  EXPECT_EQ(error.method, "faults::Printer::coded");
}

TEST_F(ServiceErrorTest, CutsALongText) {
  const Error error = this->error<&Printer::long_text>();
  EXPECT_LE(error.message.size(), std::size_t{64} * 1024);
  EXPECT_GT(error.message.size(), std::size_t{63} * 1024);
  EXPECT_TRUE(error.message.starts_with("xxxxxxxx"));
}

TEST_F(ServiceErrorTest, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(error<&Printer::bytes>().message, "caf\\xe9");
}

TEST_F(ServiceErrorTest, CountsFailures) {
  error<&Printer::number>();
  error<&Printer::text>();
  EXPECT_EQ(client_.front()->counts().failed, 2U);
}

} // namespace
} // namespace callboard
