// SPDX-License-Identifier: Apache-2.0
// One of two files that have a class of the same name in their unnamed namespaces.
#include <callboard/testing/serve.hpp>

#include <gtest/gtest.h>

#include <string>

namespace callboard {
namespace {

class Namesake {
public:
  std::string get() const { return "three"; }
  Task<std::string> later() { co_return get(); }
  using exposed = methods<&Namesake::get, &Namesake::later>;
};

TEST(NamesakeTest, IsNotMistakenForTheFirst) {
  const auto served = testing::serve<Namesake>();
  EXPECT_EQ(served.client().call<&Namesake::get>(), "three");
  EXPECT_EQ(served.client().call<&Namesake::later>(), "three");
}

} // namespace
} // namespace callboard
