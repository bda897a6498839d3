// SPDX-License-Identifier: Apache-2.0
// What happens to files of checkpoints that are not as they were written.
#include "../topology/src/checkpoint_format.hpp"
#include "actors/captured_log.hpp"
#include "actors/error_of.hpp"
#include "checkpoint_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <random>

namespace callboard {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
namespace fs = std::filesystem;
using Manifest = proto::CheckpointManifest;

/// Checkpoint 1 is good; 2 is what the tests damage.
class CheckpointDamageTest : public CheckpointFolderTest {
protected:
  CheckpointDamageTest() {
    store.write("learner/0", 1, numbered(1));
    store.write("learner/0", 1, numbered(2));
  }

  /// Damages a file of checkpoint 2, tries to use that, and repairs it. @returns what was logged
  std::string refusal(const std::string& file, const std::string& bytes) {
    const std::string before = read(newest / file);
    write(newest / file, bytes);
    std::string text = refusal();
    write(newest / file, before);
    return text;
  }

  /// What is logged where checkpoint 1 is used instead of 2.
  std::string refusal() {
    set_log_level(LogLevel::warning);
    const CapturedLog log;
    EXPECT_EQ(latest_number(store), 1);
    set_log_level(LogLevel::off);
    return log.lines().size() == 1 ? log.lines()[0] : "";
  }

  /// The refusal of a manifest with right checksums that says something else.
  std::string refusal_of(const std::function<void(Manifest&)>& change) {
    detail::File file = detail::File::open(newest / "manifest");
    Manifest manifest = detail::read_manifest(file);
    change(manifest);
    return refusal("manifest", framed(manifest));
  }

  std::string framed(const Manifest& manifest) const {
    {
      detail::File file = detail::File::create(folder / "framed");
      detail::write_manifest(file, manifest);
    }
    std::string bytes = read(folder / "framed");
    fs::remove(folder / "framed");
    return bytes;
  }

  CheckpointStore store{folder};
  fs::path newest = folder / "learner-0/2";
};

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST_F(CheckpointDamageTest, ReadsTheFilesThatAnotherProgramWrote) {
  // By Python's struct and zlib, from the description of the format; blocks of 16 bytes.
  fs::create_directory(folder / "learner-0/9");
  write(
      folder / "learner-0/9/values",
      from_hex("2a0000000101050000284200002842000028420000284200002842"));
  write(
      folder / "learner-0/9/manifest",
      from_hex("63616c6c626f61726420636865636b706f696e7420310a540000000000000089002bad0a096c"
               "6561726e65722f301003180920959a97ece39fe7cb17281032150a066e756d62657212036933"
               "32180422044690cbee32200a0777656967687473120954656e736f72207631181722080d3048"
               "931add2f91"));
  EXPECT_EQ(latest_number(store), 42);
  const CheckpointInfo info = store.latest("learner/0")->info;
  EXPECT_EQ(info.incarnation, 3);
  EXPECT_EQ(info.time.time_since_epoch(), std::chrono::nanoseconds(1'700'000'000'123'456'789));
}

TEST_F(CheckpointDamageTest, RefusesEveryChangedByte) {
  for (const std::string file : {"values", "manifest"}) {
    const std::string good = read(newest / file);
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
      EXPECT_THAT(
          refusal(file, bad),
          AllOf(
              HasSubstr("checkpoint 2 is damaged and not used"), HasSubstr("learner-0/2/" + file)))
          << file << " byte " << i;
    }
  }
  EXPECT_EQ(latest_number(store), 2);
}

TEST_F(CheckpointDamageTest, RefusesEveryOtherLength) {
  for (const std::string file : {"values", "manifest"}) {
    const std::string good = read(newest / file);
    for (std::size_t length = 0; length < good.size(); ++length) {
      EXPECT_THAT(refusal(file, good.substr(0, length)), HasSubstr("learner-0/2/" + file))
          << file << " of " << length << " bytes";
    }
    EXPECT_THAT(refusal(file, good + '\0'), HasSubstr("learner-0/2/" + file));
    EXPECT_THAT(refusal(file, good + good), HasSubstr("learner-0/2/" + file));
  }
}

TEST_F(CheckpointDamageTest, NamesTheBlock) {
  Checkpoint checkpoint;
  checkpoint.put("a", std::string(100, 'a'));
  checkpoint.put("numbers", Tensor(DType::u8, {5 << 20}));
  store.write("learner/0", 1, checkpoint);
  newest = folder / "learner-0/3";
  std::string values = read(newest / "values");
  values[101 + (2 << 20) + 7] = 'x'; // behind "a" and its length
  write(newest / "values", values);
  set_log_level(LogLevel::warning);
  const CapturedLog log;
  store.latest("learner/0");
  EXPECT_THAT(
      log.lines(),
      ElementsAre(MatchesRegex(
          "checkpoint 3 is damaged and not used: .*/learner-0/3/values does not match the checksum "
          "of block 2 of value \"numbers\", bytes 2097253 to 3145828")));
}

TEST_F(CheckpointDamageTest, RefusesFilesThatAreMissingLinksOrPipes) {
  for (const std::string file : {"values", "manifest"}) {
    fs::rename(newest / file, folder / "kept");
    EXPECT_THAT(refusal(), HasSubstr(file + " is missing"));
    fs::create_symlink(folder / "kept", newest / file);
    EXPECT_THAT(refusal(), HasSubstr(file + " is a link"));
    fs::remove(newest / file);
    ASSERT_EQ(mkfifo((newest / file).c_str(), 0600), 0);
    EXPECT_THAT(refusal(), HasSubstr(file + " is no file"));
    fs::remove(newest / file);
    fs::create_directory(newest / file);
    EXPECT_THAT(refusal(), HasSubstr(file + " is no file"));
    fs::remove(newest / file);
    fs::rename(folder / "kept", newest / file);
  }
  EXPECT_EQ(latest_number(store), 2);
}

TEST_F(CheckpointDamageTest, RefusesAnotherNodesCheckpoint) {
  fs::create_directories(folder / "learner-1");
  fs::copy(newest, folder / "learner-1/5", fs::copy_options::recursive);
  EXPECT_THAT(
      error_of([&] { return store.latest("learner/1"); }).message,
      HasSubstr("is that of checkpoint 2 of learner/0"));
  fs::rename(newest, folder / "learner-0/3");
  newest = folder / "learner-0/3";
  EXPECT_THAT(refusal(), HasSubstr("is that of checkpoint 2 of learner/0"));
}

TEST_F(CheckpointDamageTest, ListsThemIfAllAreDamaged) {
  write(newest / "values", "short");
  fs::remove(folder / "learner-0/1/manifest");
  const Error error = error_of([&] { return store.latest("learner/0"); });
  EXPECT_EQ(error.code, Code::malformed);
  EXPECT_THAT(
      error.message,
      MatchesRegex("all checkpoints of learner/0 are damaged: .*/2/values has 5 bytes, fewer than "
                   "by its manifest; .*/1/manifest is missing"));
}

TEST_F(CheckpointDamageTest, WritesGoOnAfterDamage) {
  write(newest / "manifest", "");
  EXPECT_EQ(store.write("learner/0", 1, numbered(3)), 3);
  EXPECT_EQ(latest_number(store), 3);
}

TEST_F(CheckpointDamageTest, RefusesSizesThatAreNotTheFiles) {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.mutable_values(0)->set_size(huge); }),
      HasSubstr("values has 27 bytes, fewer than by its manifest"));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.mutable_values(1)->set_size(huge - 3); }), // sums up to 0
      HasSubstr("values has 27 bytes, fewer than by its manifest"));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.mutable_values(1)->set_size(22); }),
      HasSubstr("values has 27 bytes, 1 more than by its manifest"));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.clear_values(); }),
      HasSubstr("values has 27 bytes, 27 more than by its manifest"));
}

TEST_F(CheckpointDamageTest, RefusesBlocksThatCannotBe) {
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.set_block_size(0); }),
      HasSubstr("values has blocks of 0 bytes by its manifest"));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.set_block_size(~std::uint64_t{0}); }),
      HasSubstr("values has blocks of 18446744073709551615 bytes by its manifest"));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.set_block_size(8); }),
      HasSubstr("values has 1 checksums for the 3 blocks of value \"weights\""));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.mutable_values(0)->add_checksums(7); }),
      HasSubstr("values has 2 checksums for the 1 blocks of value \"number\""));
}

TEST_F(CheckpointDamageTest, RefusesNamesThatCannotBe) {
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.mutable_values(1)->set_name("number"); }),
      HasSubstr("values has two values \"number\" by its manifest"));
  EXPECT_THAT(refusal_of([](Manifest& m) { m.mutable_values(1)->clear_name(); }), Not(""));
  EXPECT_THAT(
      refusal_of([](Manifest& m) { m.set_node("../../\xff"); }), HasSubstr("of ../../\\xff"));
}

TEST_F(CheckpointDamageTest, RefusesAManifestThatIsNone) {
  std::string later = read(newest / "manifest");
  later[21] = '2'; // the version
  EXPECT_THAT(refusal("manifest", later), HasSubstr("or that of another version of Callboard"));
  EXPECT_THAT(refusal("manifest", std::string(1000, '\0')), HasSubstr("is no manifest"));
}

TEST_F(CheckpointDamageTest, TakesNoMemoryForAManifestLargerThanAnyCanBe) {
  fs::resize_file(newest / "manifest", std::uint64_t{1} << 40); // without blocks on disk
  EXPECT_THAT(refusal(), HasSubstr("has 1099511627776 bytes, which no manifest has"));
}

/// Changes, inserts or removes a few bytes.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (std::size_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(bytes.size());
    switch (below(4)) {
    case 0: bytes[at] = static_cast<char>(random()); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
    case 2: bytes.insert(at, 1 + below(9), static_cast<char>(random())); break;
    default: bytes.erase(at, 1 + below(9)); break;
    }
  }
  return bytes;
}

TEST_F(CheckpointDamageTest, SurvivesManifestsThatPassTheChecksum) {
  constexpr std::size_t head = 35;
  std::mt19937 random(1);
  const std::string good = read(newest / "manifest").substr(head);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = mutated(good, random);
    const std::uint64_t size = text.size();
    const std::uint32_t sum = detail::checksum(std::as_bytes(std::span(text)));
    std::string bytes = "callboard checkpoint 1\n";
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    write(newest / "manifest", bytes + text);
    const Checkpoint checkpoint = store.latest("learner/0")->checkpoint;
    for (const std::string& name : checkpoint.names()) { // changed layouts and names are possible
      try {
        checkpoint.get<Tensor>(name);
      } catch (const CallError&) {
        ++refused;
      }
    }
  }
  EXPECT_GE(refused, 1000); // "number" is no tensor
}

} // namespace
} // namespace callboard
