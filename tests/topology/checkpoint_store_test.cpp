// SPDX-License-Identifier: Apache-2.0
#include "actors/error_of.hpp"
#include "checkpoint_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

namespace callboard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class CheckpointStoreTest : public CheckpointFolderTest {
protected:
  CheckpointStore store(int keep = 3) const { return CheckpointStore(folder / "run", keep); }
};

TEST_F(CheckpointStoreTest, HasNothingBeforeTheFirstWrite) {
  EXPECT_FALSE(store().latest("learner/0"));
  EXPECT_THAT(store().nodes(), IsEmpty());
  EXPECT_THAT(store().list(), IsEmpty());
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST_F(CheckpointStoreTest, GivesBackWhatWasWrittenLast) {
  EXPECT_EQ(store().write("learner/0", 1, numbered(7)), 1);
  EXPECT_EQ(store().write("learner/0", 2, numbered(8)), 2);
  EXPECT_EQ(latest_number(store()), 8);
}

TEST_F(CheckpointStoreTest, SaysWhatACheckpointIs) {
  const auto before = std::chrono::system_clock::now();
  store().write("learner/0", 4, numbered(7));
  const CheckpointInfo info = store().latest("learner/0")->info;
  EXPECT_EQ(info.node, "learner/0");
  EXPECT_EQ(info.incarnation, 4);
  EXPECT_EQ(info.sequence, 1);
  EXPECT_GE(info.time, before);
  EXPECT_LE(info.time, std::chrono::system_clock::now());
  EXPECT_EQ(info.bytes, 4 + 3 + 5 * 4); // an int; a tensor of dtype, rank, size and five floats
  EXPECT_EQ(info.folder, folder / "run/learner-0/1");
  EXPECT_EQ(info.damage, "");
}

TEST_F(CheckpointStoreTest, KeepsAnEmptyCheckpointAndEmptyValues) {
  Checkpoint checkpoint;
  store().write("a/0", 1, checkpoint);
  EXPECT_THAT(store().latest("a/0")->checkpoint.names(), IsEmpty());
  checkpoint.put("nothing", std::tuple<>());
  checkpoint.put("empty", Tensor());
  store().write("a/0", 1, checkpoint);
  const Checkpoint loaded = store().latest("a/0")->checkpoint;
  EXPECT_THAT(loaded.names(), ElementsAre("empty", "nothing"));
  EXPECT_EQ(loaded.get<Tensor>("empty"), Tensor());
}

TEST_F(CheckpointStoreTest, BringsBackValuesOfManyBlocks) {
  std::vector<std::int64_t> numbers(3 * (1 << 20) / 8 + 5);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int64_t>(i * i);
  }
  Checkpoint checkpoint;
  checkpoint.put("a", std::string(200'000, 'x')); // larger than the buffer for small ones
  checkpoint.put("b", std::string(1 << 20, 'y')); // a block and its length
  checkpoint.put("numbers", numbers);
  checkpoint.put("tensor", Tensor::from(numbers));
  store().write("learner/0", 1, checkpoint);
  const Checkpoint loaded = store().latest("learner/0")->checkpoint;
  EXPECT_EQ(loaded.get<std::string>("a"), std::string(200'000, 'x'));
  EXPECT_EQ(loaded.get<std::string>("b"), std::string(1 << 20, 'y'));
  EXPECT_EQ(loaded.get<std::vector<std::int64_t>>("numbers"), numbers);
  EXPECT_EQ(loaded.get<Tensor>("tensor"), Tensor::from(numbers));
}

TEST_F(CheckpointStoreTest, LoadsATensorWithoutCopyingIt) {
  store().write("learner/0", 1, numbered(7));
  const Checkpoint loaded = store().latest("learner/0")->checkpoint;
  EXPECT_EQ(
      loaded.get<Tensor>("weights").data<float>(), loaded.get<Tensor>("weights").data<float>());
}

TEST_F(CheckpointStoreTest, NamesOfValuesAreNoPaths) {
  const std::vector<std::string> names{"../../x", "/etc/passwd", "a/b", std::string("\0\xff", 2)};
  Checkpoint checkpoint;
  for (const std::string& name : names) {
    checkpoint.put(name, name);
  }
  store().write("learner/0", 1, checkpoint);
  const Checkpoint loaded = store().latest("learner/0")->checkpoint;
  for (const std::string& name : names) {
    EXPECT_EQ(loaded.get<std::string>(name), name);
  }
  EXPECT_THAT(names_in(folder / "run/learner-0/1"), UnorderedElementsAre("values", "manifest"));
}

TEST_F(CheckpointStoreTest, KeepsTheNewestFew) {
  for (int number = 1; number <= 12; ++number) {
    store(3).write("learner/0", 1, numbered(number));
  }
  EXPECT_THAT(names_in(folder / "run/learner-0"), UnorderedElementsAre("10", "11", "12"));
  store(1).write("learner/0", 1, numbered(13));
  EXPECT_THAT(names_in(folder / "run/learner-0"), ElementsAre("13"));
}

TEST_F(CheckpointStoreTest, KeepsNodesApart) {
  store(1).write("learner/1", 1, numbered(1));
  store(1).write("learner/10", 1, numbered(10));
  store(1).write("learner-1/0", 1, numbered(7));
  EXPECT_EQ(latest_number(store(), "learner/1"), 1);
  EXPECT_EQ(latest_number(store(), "learner/10"), 10);
  EXPECT_EQ(latest_number(store(), "learner-1/0"), 7);
  EXPECT_THAT(store().nodes(), ElementsAre("learner-1/0", "learner/1", "learner/10"));
}

TEST_F(CheckpointStoreTest, ListsTheNewestFirst) {
  for (int number = 1; number <= 3; ++number) {
    store().write("learner/0", number, numbered(number));
  }
  store().write("actor/0", 1, numbered(1));
  fs::remove(folder / "run/learner-0/2/manifest");
  const auto infos = store().list();
  ASSERT_THAT(infos, SizeIs(4));
  EXPECT_EQ(infos[0].node, "actor/0");
  EXPECT_EQ(infos[1].sequence, 3);
  EXPECT_EQ(infos[1].incarnation, 3);
  EXPECT_EQ(infos[2].sequence, 2);
  EXPECT_THAT(infos[2].damage, HasSubstr("learner-0/2/manifest is missing"));
  EXPECT_EQ(infos[3].damage, "");
}

TEST_F(CheckpointStoreTest, RefusesWhatIsNoNode) {
  for (const std::string node :
       {"",
        "learner",
        "/0",
        "learner/",
        "learner/-1",
        "learner/01",
        "learner/0/",
        "a/b/0",
        "learner/4294967296",
        "caf\xc3\xa9/0",
        "a b/0",
        "./../0"}) {
    EXPECT_EQ(
        error_of([&] { return store().write(node, 1, numbered(1)); }).code, Code::invalid_argument)
        << node;
    EXPECT_EQ(error_of([&] { return store().latest(node); }).code, Code::invalid_argument);
  }
}

TEST_F(CheckpointStoreTest, ALabelOfDotsLeadsNowhereElse) {
  store().write("../0", 1, numbered(1));
  EXPECT_THAT(names_in(folder), ElementsAre("run"));
  EXPECT_THAT(store().nodes(), ElementsAre("../0"));
}

TEST_F(CheckpointStoreTest, RefusesToKeepNone) {
  EXPECT_EQ(error_of([&] { return store(0).folder(); }).code, Code::invalid_argument);
  EXPECT_EQ(error_of([&] { return CheckpointStore("").folder(); }).code, Code::invalid_argument);
}

TEST_F(CheckpointStoreTest, RefusesAnEarlierLife) {
  store().write("learner/0", 5, numbered(1));
  const Error error = error_of([&] { return store().write("learner/0", 4, numbered(2)); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(
      error.message,
      StartsWith("incarnation 4 of learner/0 can't write a checkpoint: incarnation 5 has written"));
  EXPECT_EQ(latest_number(store()), 1);
}

TEST_F(CheckpointStoreTest, RemovesWhatInterruptedWritesLeft) {
  store().write("learner/0", 3, numbered(1));
  const fs::path node = folder / "run/learner-0";
  for (const char* name : {"incoming-3-aa", "incoming-2-bb", "incoming-4-cc", "outgoing-1"}) {
    fs::create_directory(node / name);
    write(node / name / "values", "some");
  }
  store().write("learner/0", 3, numbered(2));
  // A later life may be at work.
  EXPECT_THAT(names_in(node), UnorderedElementsAre("1", "2", "incoming-4-cc"));
}

TEST_F(CheckpointStoreTest, LeavesWhatItDoesNotKnow) {
  store(1).write("learner/0", 1, numbered(1));
  const fs::path node = folder / "run/learner-0";
  for (const char* name : {"notes", "007", "incoming", "-1", "99999999999999999999"}) {
    fs::create_directory(node / name);
  }
  write(node / "5", "a file");
  store(1).write("learner/0", 1, numbered(2));
  EXPECT_THAT(
      names_in(node),
      UnorderedElementsAre("2", "5", "notes", "007", "incoming", "-1", "99999999999999999999"));
}

TEST_F(CheckpointStoreTest, FilesArePrivateWhateverTheUmask) {
  const mode_t previous = umask(0);
  store().write("learner/0", 1, numbered(1));
  umask(previous);
  for (const auto& entry : fs::recursive_directory_iterator(folder / "run")) {
    const auto expected = entry.is_directory() ? fs::perms{0700} : fs::perms{0600};
    EXPECT_EQ(entry.status().permissions(), expected) << entry.path();
  }
  EXPECT_EQ(fs::status(folder / "run").permissions(), fs::perms{0700});
}

TEST_F(CheckpointStoreTest, RefusesAFolderThatOthersMayWriteTo) {
  fs::create_directory(folder / "run");
  fs::permissions(folder / "run", fs::perms{0775});
  const Error error = error_of([&] { return store().write("learner/0", 1, numbered(1)); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(error.message, HasSubstr("with mode 775"));
}

TEST_F(CheckpointStoreTest, NamesThePathThatCannotBe) {
  write(folder / "run", "a file where the folder should be");
  const Error error = error_of([&] { return store().write("learner/0", 1, numbered(1)); });
  EXPECT_EQ(error.code, Code::failed_precondition);
  EXPECT_THAT(error.message, HasSubstr((folder / "run").string()));
}

TEST_F(CheckpointStoreTest, CopiesTheNewestGoodOneOfEveryNode) {
  store().write("learner/0", 5, numbered(1));
  store().write("learner/0", 6, numbered(2));
  store().write("actor/0", 2, numbered(3));
  fs::remove(folder / "run/learner-0/2/values");
  const CheckpointStore resumed(folder / "resumed");
  const auto copied = resumed.copy_from(store());
  ASSERT_THAT(copied, SizeIs(2));
  EXPECT_EQ(copied[1].node, "learner/0");
  EXPECT_EQ(copied[1].incarnation, 0);
  EXPECT_EQ(latest_number(resumed, "learner/0"), 1);
  EXPECT_EQ(latest_number(resumed, "actor/0"), 3);
  EXPECT_EQ(resumed.write("learner/0", 1, numbered(4)), 2);
  EXPECT_EQ(latest_number(store(), "learner/0"), 1);
}

TEST_F(CheckpointStoreTest, ReadersAlwaysFindOneWhileOldOnesAreRemoved) {
  store(1).write("learner/0", 1, numbered(1));
  std::jthread writer([this] {
    for (int number = 2; number <= 40; ++number) {
      store(1).write("learner/0", 1, numbered(number));
    }
  });
  int seen = 1;
  while (seen < 40) {
    const int number = latest_number(store());
    ASSERT_GE(number, seen);
    seen = number;
  }
}

TEST_F(CheckpointStoreTest, OfTwoWritersAtOnceEachWritesAllOrFails) {
  const auto write_often = [this](int base) {
    for (int i = 0; i < 20; ++i) {
      try {
        store().write("learner/0", 1, numbered(base + i));
      } catch (const CallError& error) {
        EXPECT_EQ(error.code(), Code::aborted) << error.what();
      }
    }
  };
  {
    std::jthread one(write_often, 1000);
    std::jthread two(write_often, 2000);
  }
  store().write("learner/0", 1, numbered(7));
  EXPECT_EQ(latest_number(store()), 7);
  for (const CheckpointInfo& info : store().list()) {
    EXPECT_EQ(info.damage, "");
  }
  EXPECT_THAT(names_in(folder / "run/learner-0"), SizeIs(store().list().size())); // no leftovers
}

} // namespace
} // namespace callboard
