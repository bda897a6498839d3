// SPDX-License-Identifier: Apache-2.0
#include <callboard/flags.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace callboard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Optimizer {
  double learning_rate = 0.5;
  std::string name = "sgd";
};

struct Config {
  int workers = 4;
  bool render = false;
  std::vector<int> hidden{64, 64};
  std::vector<std::string> games;
  Optimizer optimizer;
  std::optional<int> limit = 3;
  std::chrono::seconds period{60};
};

class ConfigFileTest : public testing::Test {
protected:
  ~ConfigFileTest() override { std::filesystem::remove(path_); }

  Config read(const std::string& yaml, std::vector<std::string> flags = {}) const {
    std::ofstream(path_) << yaml;
    const std::string file = "--config=" + path_;
    std::vector<const char*> arguments{"program"};
    for (const std::string& flag : flags) {
      arguments.push_back(flag.c_str());
    }
    arguments.push_back(file.c_str());
    return parse_flags<Config>(static_cast<int>(arguments.size()), arguments.data()).config;
  }

  /// The error without the file's folder.
  std::string error_of(const std::string& yaml, std::vector<std::string> flags = {}) const {
    try {
      read(yaml, std::move(flags));
    } catch (const UsageError& error) {
      const std::string text = error.what();
      return text.starts_with(path_) ? "lab.yaml" + text.substr(path_.size()) : text;
    }
    return "no error";
  }

  const std::string path_ = testing::TempDir() + "callboard_config_" + std::to_string(getpid());
};

TEST_F(ConfigFileTest, SetsFieldsListsAndNestedStructs) {
  const Config config = read(R"(
workers: 8
render: yes
hidden: [32, 16]
games:
  - pong, the first
  - catch
optimizer:
  learning-rate: 0.1
  name: adam
limit: ~
period: 2min
)");
  EXPECT_EQ(config.workers, 8);
  EXPECT_TRUE(config.render);
  EXPECT_THAT(config.hidden, ElementsAre(32, 16));
  EXPECT_THAT(config.games, ElementsAre("pong, the first", "catch"));
  EXPECT_EQ(config.optimizer.learning_rate, 0.1);
  EXPECT_EQ(config.optimizer.name, "adam");
  EXPECT_EQ(config.limit, std::nullopt);
  EXPECT_EQ(config.period, std::chrono::seconds(120));
}

TEST_F(ConfigFileTest, SetsFieldsBeforeTheFlagsDo) {
  EXPECT_EQ(read("workers: 8", {"--workers=2"}).workers, 2);
  EXPECT_EQ(read("workers: 8", {"--set", "workers=3"}).workers, 3);
}

TEST_F(ConfigFileTest, SetsNothingWhenEmpty) {
  EXPECT_EQ(read("").workers, 4);
  EXPECT_EQ(read("# nothing\n").workers, 4);
  EXPECT_EQ(read("optimizer:\n").optimizer.name, "sgd");
  EXPECT_TRUE(read("hidden: []").hidden.empty());
}

TEST_F(ConfigFileTest, NamesTheLineOfAnUnknownKey) {
  EXPECT_EQ(
      error_of("render: true\nwokers: 8\n"),
      "lab.yaml:2: unknown key wokers; did you mean workers?");
  EXPECT_EQ(
      error_of("optimizer:\n  nam: adam\n"),
      "lab.yaml:2: unknown key optimizer.nam; did you mean optimizer.name?");
}

TEST_F(ConfigFileTest, NamesTheLineOfABadValue) {
  EXPECT_THAT(
      error_of("\n\nworkers: many\n"),
      StartsWith("lab.yaml:3: bad value \"many\" for workers: expected a whole number from"));
  EXPECT_THAT(error_of("workers: [1, 2]"), HasSubstr("bad value \"[1, 2]\" for workers"));
  EXPECT_THAT(error_of("workers: {a: 1}"), HasSubstr("bad value \"{a: 1}\" for workers"));
  EXPECT_THAT(error_of("workers:"), HasSubstr("for workers: expected a whole number"));
  EXPECT_THAT(error_of("hidden: [1, [2]]"), HasSubstr("for hidden: expected a list"));
  EXPECT_EQ(
      error_of("optimizer: adam"),
      "lab.yaml:1: optimizer is no map; expected lines \"name: value\"");
}

TEST_F(ConfigFileTest, RefusesWhatIsNoConfiguration) {
  EXPECT_EQ(error_of("- 1\n"), "lab.yaml:1: the file is no map; expected lines \"name: value\"");
  EXPECT_THAT(error_of("workers: 8\n  x: [\n"), StartsWith("lab.yaml:2: no YAML: "));
  EXPECT_EQ(error_of("workers: 8\nworkers: 9\n"), "lab.yaml:2: workers is given twice");
  EXPECT_THAT(error_of("workers: 8\n---\nworkers: 9\n"), HasSubstr("a second document"));
  EXPECT_THAT(error_of("[1]: 2\n"), HasSubstr("a key that is no name"));
}

TEST_F(ConfigFileTest, RefusesAFileThatCannotBeRead) {
  const std::vector<const char*> missing{"program", "--config=/nowhere/lab.yaml"};
  EXPECT_THROW(parse_flags<Config>(2, missing.data()), UsageError);
  const std::vector<const char*> folder{"program", "--config=/"};
  EXPECT_THROW(parse_flags<Config>(2, folder.data()), UsageError);
  EXPECT_THAT(error_of("", {"--config=other.yaml"}), HasSubstr("--config is given twice"));
}

} // namespace
} // namespace callboard
