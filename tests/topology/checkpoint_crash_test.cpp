// SPDX-License-Identifier: Apache-2.0
// Writers that are killed, and disks that are full.
#include "checkpoint_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

namespace callboard {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// A process of ours, and what it says.
class Child {
public:
  /// `f` is given the end of a pipe to write to.
  template <class F>
  explicit Child(F f) {
    int ends[2];
    if (pipe(ends) != 0 || (pid_ = fork()) < 0) {
      throw std::runtime_error(std::strerror(errno));
    }
    if (pid_ == 0) {
      close(ends[0]);
      f(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    output_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(output_);
    waitpid(pid_, nullptr, 0);
  }

  template <class T>
  bool read(T& value) const {
    return ::read(output_, &value, sizeof value) == sizeof value;
  }
  std::string read_all() const {
    std::string text;
    for (char c = 0; read(c);) {
      text += c;
    }
    return text;
  }
  void kill() const { ::kill(pid_, SIGKILL); }

private:
  pid_t pid_ = -1;
  int output_ = -1;
};

class CheckpointCrashTest : public CheckpointFolderTest {
protected:
  /// Tensors, of which every element says which checkpoint it belongs to: 4 + 3 * (5 + 200'000)
  /// bytes.
  static Checkpoint large(int number) {
    Checkpoint checkpoint;
    checkpoint.put("number", number);
    for (const char* name : {"a", "b", "c"}) {
      checkpoint.put(name, Tensor::from<int>(std::vector<int>(50'000, number)));
    }
    return checkpoint;
  }

  /// Whether a write is under way, or never ended.
  bool has_incoming() const {
    if (!std::filesystem::exists(folder / "learner-0")) {
      return false;
    }
    const auto names = names_in(folder / "learner-0");
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("incoming");
    });
  }

  static int check_latest(const CheckpointStore& store) {
    const auto stored = store.latest("learner/0");
    if (!stored) {
      return 0;
    }
    const int number = stored->checkpoint.get<int>("number");
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_EQ(stored->checkpoint.get<Tensor>(name), large(number).get<Tensor>(name));
    }
    return number;
  }
};

/// Writes until it is killed, and says which it has written.
void write_for_ever(
    const CheckpointStore& store,
    int incarnation,
    int number,
    int output,
    Checkpoint (*make)(int)) {
  for (;; ++number) {
    store.write("learner/0", incarnation, make(number));
    if (::write(output, &number, sizeof number) != sizeof number) {
      return;
    }
  }
}

TEST_F(CheckpointCrashTest, KilledWritersLeaveTheLastOneUsable) {
  const CheckpointStore store(folder, 2);
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::chrono::microseconds longest{1000}; // a write takes
  int latest = 0;
  int interrupted = 0;
  for (int life = 1; life <= 100; ++life) {
    const Child child([&](int output) { write_for_ever(store, life, latest + 1, output, large); });
    const auto begin = std::chrono::steady_clock::now();
    int written = latest;
    if (life % 4 == 0) { // let some get through
      ASSERT_TRUE(child.read(written));
      longest = std::max(
          longest,
          std::chrono::duration_cast<std::chrono::microseconds>(
              std::chrono::steady_clock::now() - begin));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % longest.count()));
    child.kill();
    while (child.read(written)) {}
    interrupted += has_incoming() ? 1 : 0;
    const int found = check_latest(store);
    ASSERT_GE(found, written);
    ASSERT_LE(found, written + 1); // it may not have come to saying so
    ASSERT_TRUE(found > 0 || written == 0);
    latest = found;
  }
  EXPECT_GE(latest, 25);
  EXPECT_GT(interrupted, 0);
  store.write("learner/0", 101, large(latest + 1));
  EXPECT_EQ(check_latest(store), latest + 1);
  EXPECT_THAT(names_in(folder / "learner-0"), SizeIs(2));
}

/// Puts a file system of `bytes` where `path` is, seen by this process alone. @returns why not
std::string mount_small(const std::string& path, const std::string& bytes) {
  const int spaces = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
  if (unshare(spaces) != 0) {
    return std::string("unshare: ") + std::strerror(errno);
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
      || mount("tmpfs", path.c_str(), "tmpfs", 0, ("mode=0700,size=" + bytes).c_str()) != 0) {
    return std::string("mount: ") + std::strerror(errno);
  }
  return "";
}

std::string failure_of(const std::function<void()>& f) {
  try {
    f();
    return "written";
  } catch (const CallError& error) {
    return error.what();
  }
}

TEST_F(CheckpointCrashTest, AFullDiskIsAnErrorAndLeavesTheLastOneUsable) {
  const auto fill = [this](int output) {
    std::string text;
    const auto say = [&](const std::string& line) { text += line + "\n"; };
    const std::string obstacle = mount_small(folder, "1m");
    if (!obstacle.empty()) {
      say("skip " + obstacle);
    } else {
      const CheckpointStore store(folder / "run", 1);
      say(failure_of([&] { store.write("learner/0", 1, large(1)); }));
      say(failure_of([&] { store.write("learner/0", 1, large(2)); }));
      say("latest " + std::to_string(check_latest(store)));
      say("folders " + std::to_string(names_in(folder / "run/learner-0").size()));
      say(failure_of([&] { store.write("learner/0", 1, numbered(3)); }));
      say("latest " + std::to_string(latest_number(store)));
    }
    if (::write(output, text.data(), text.size()) < 0) {
      _exit(1);
    }
  };
  const std::string said = Child(fill).read_all();
  if (said.starts_with("skip")) {
    GTEST_SKIP() << "no small file system to fill: " << said.substr(5);
  }
  EXPECT_THAT(said, StartsWith("written\nresource_exhausted"));
  EXPECT_THAT(
      said,
      ContainsRegex("checkpoint 2 of learner/0, 600019 bytes, is not written: can't write "
                    "byte [0-9]+ of .*/run/learner-0/incoming-1-[0-9a-f]+/values: No space "
                    "left on device"));
  EXPECT_THAT(said, HasSubstr("latest 1\nfolders 1\nwritten\nlatest 3\n"));
}

} // namespace
} // namespace callboard
