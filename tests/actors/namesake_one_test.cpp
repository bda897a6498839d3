// SPDX-License-Identifier: Apache-2.0
// One of two files that have a class of the same name in their unnamed namespaces.
#include <callboard/testing/serve.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace callboard {
namespace {

class Namesake {
public:
  std::vector<int> get() const { return {1, 2, 3}; }
  Task<std::vector<int>> later() { co_return get(); }
  using exposed = methods<&Namesake::get, &Namesake::later>;
};

TEST(NamesakeTest, IsNotMistakenForTheOther) {
  const auto served = testing::serve<Namesake>();
  EXPECT_EQ(served.client().call<&Namesake::get>(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(served.client().call<&Namesake::later>(), (std::vector<int>{1, 2, 3}));
}

} // namespace
} // namespace callboard
