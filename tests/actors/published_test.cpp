// SPDX-License-Identifier: Apache-2.0
#include <callboard/published.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace callboard {
namespace {

TEST(PublishedTest, IsEmptyBeforeTheFirst) {
  const Published<int> published;
  EXPECT_EQ(published.read(), nullptr);
  EXPECT_EQ(published.newer_than(0), nullptr);
}

TEST(PublishedTest, CountsVersionsFromOne) {
  Published<std::string> published("a");
  EXPECT_EQ(published.read()->version, 1U);
  EXPECT_EQ(published.publish("b"), 2U);
  EXPECT_EQ(published.read()->version, 2U);
  EXPECT_EQ(published.read()->value, "b");
}

TEST(PublishedTest, NewerThanIsNullForTheNewestVersion) {
  Published<int> published(10);
  EXPECT_EQ(published.newer_than(1), nullptr);
  EXPECT_EQ(published.newer_than(0)->value, 10);
  published.publish(20);
  EXPECT_EQ(published.newer_than(1)->value, 20);
  EXPECT_EQ(published.newer_than(2), nullptr);
}

TEST(PublishedTest, ReadersKeepTheirSnapshot) {
  Published<std::vector<int>> published({1, 2, 3});
  const std::shared_ptr<const Snapshot<std::vector<int>>> old = published.read();
  const std::weak_ptr<const Snapshot<std::vector<int>>> watched = old;
  published.publish({4});
  EXPECT_EQ(old->value, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(watched.use_count(), 1) << "nobody else holds it any more";
}

TEST(PublishedTest, ReadersSeeWholeSnapshotsInTheOrderOfTheirVersions) {
  constexpr std::uint64_t versions = 20'000;
  Published<std::vector<std::uint64_t>> published(std::vector<std::uint64_t>(64, 1));
  std::atomic<int> faults{0};
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&] {
        std::uint64_t last = 0;
        while (last < versions) {
          if (const auto snapshot = published.newer_than(last)) {
            const bool whole = snapshot->value == std::vector<std::uint64_t>(64, snapshot->version);
            faults += whole && snapshot->version > last ? 0 : 1;
            last = snapshot->version;
          }
        }
      });
    }
    for (std::uint64_t version = 2; version <= versions; ++version) {
      published.publish(std::vector<std::uint64_t>(64, version));
    }
  }
  EXPECT_EQ(faults, 0);
}

} // namespace
} // namespace callboard
