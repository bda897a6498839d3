// SPDX-License-Identifier: Apache-2.0
#include <callboard/detail/pooled.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace callboard::detail {
namespace {

/// Writes itself all over, and looks whether somebody else did.
template <std::size_t size>
class Tenant : public Pooled {
public:
  Tenant() { bytes_.fill(mark()); }
  bool is_alone() const {
    for (const std::uint8_t each : bytes_) {
      if (each != mark()) {
        return false;
      }
    }
    return true;
  }

private:
  std::uint8_t mark() const {
    return static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(this) >> 4);
  }
  std::array<std::uint8_t, size> bytes_;
};

template <std::size_t size>
void expect_tenants_alone() {
  std::vector<std::unique_ptr<Tenant<size>>> tenants(1000);
  for (int round = 0; round < 3; ++round) {
    for (auto& each : tenants) {
      each = std::make_unique<Tenant<size>>();
    }
    for (auto& each : tenants) {
      EXPECT_TRUE(each->is_alone());
    }
    std::thread([&] {
      for (auto& each : tenants) {
        each.reset();
      }
    }).join();
  }
}

TEST(PooledTest, BlocksFreedByAnotherThreadAreUsedByOneOwnerAtATime) {
  expect_tenants_alone<1>();
  expect_tenants_alone<128>();
  expect_tenants_alone<129>();
  expect_tenants_alone<512>();
  expect_tenants_alone<513>();
}

TEST(PooledTest, ThreadsThatPassBlocksOnKeepThemApart) {
  constexpr std::size_t size = 200;
  std::vector<std::thread> threads;
  std::array<bool, 4> alone{};
  for (bool& result : alone) {
    threads.emplace_back([&result] {
      result = true;
      for (int i = 0; i < 20'000; ++i) {
        std::array<std::unique_ptr<Tenant<size>>, 3> tenants;
        for (auto& each : tenants) {
          each = std::make_unique<Tenant<size>>();
        }
        result = result && tenants[0]->is_alone() && tenants[2]->is_alone();
      }
    });
  }
  for (auto& each : threads) {
    each.join();
  }
  EXPECT_EQ(alone, (std::array<bool, 4>{true, true, true, true}));
}

TEST(PooledTest, AlignsAsTheTypeAsks) {
  struct alignas(64) Wide : Pooled {
    std::array<float, 16> lanes{};
  };
  for (int i = 0; i < 3; ++i) {
    const auto wide = std::make_unique<Wide>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.get()) % 64, 0U);
  }
}

} // namespace
} // namespace callboard::detail
