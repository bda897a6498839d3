// SPDX-License-Identifier: Apache-2.0
#include <callboard/flags.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace callboard {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Mode { train = 1, play = 2 };

struct Optimizer {
  double learning_rate = 0.5;
  std::vector<float> betas{0.9F, 0.999F};
};

struct Config {
  int workers = 4;
  float learning_rate = 0.01F;
  std::string game = "catch";
  bool render = false;
  std::vector<int> hidden{64, 64};
  Optimizer optimizer;
  std::optional<int> limit;
  Mode mode = Mode::train;
  std::chrono::milliseconds pause{250};
  std::chrono::seconds period{60};
  std::uint8_t level = 3;
  std::uint64_t steps = 1'000'000;
};

struct Clash {
  int seed = 3;
};

template <class C = Config>
Parsed<C> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "/bin/program");
  return parse_flags<C>(static_cast<int>(arguments.size()), arguments.data());
}

template <class C = Config>
std::string error_of(std::vector<const char*> arguments) {
  try {
    parse<C>(std::move(arguments));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FlagsTest, KeepsTheDefaultsWhenNothingIsGiven) {
  const auto [options, config, help] = parse({});
  EXPECT_EQ(options.launch, Launch::threads);
  EXPECT_EQ(options.deadline, 10s);
  EXPECT_EQ(options.grace, 10s);
  EXPECT_EQ(options.seed, 1U);
  EXPECT_EQ(config.workers, 4);
  EXPECT_FALSE(help);
}

TEST(FlagsTest, SetsFieldsByEqualsSignOrNextArgument) {
  EXPECT_EQ(parse({"--workers=8"}).config.workers, 8);
  EXPECT_EQ(parse({"--workers", "8"}).config.workers, 8);
  EXPECT_EQ(parse({"--workers", "-8"}).config.workers, -8);
  EXPECT_EQ(parse({"--game=a=b"}).config.game, "a=b");
  EXPECT_EQ(parse({"--game="}).config.game, "");
}

TEST(FlagsTest, SetsNestedFieldsAndTakesDashesForUnderscores) {
  EXPECT_EQ(parse({"--optimizer.learning_rate=0.1"}).config.optimizer.learning_rate, 0.1);
  EXPECT_EQ(parse({"--optimizer.learning-rate=0.1"}).config.optimizer.learning_rate, 0.1);
  EXPECT_EQ(parse({"--learning-rate=1e-3"}).config.learning_rate, 1e-3F);
}

TEST(FlagsTest, SetsEveryKindOfField) {
  const Config config = parse({
                                  "--hidden=32,16,8",
                                  "--optimizer.betas=",
                                  "--limit=7",
                                  "--mode=2",
                                  "--pause=1.5s",
                                  "--period=2min",
                                  "--level=255",
                                  "--steps=18446744073709551615",
                              })
                            .config;
  EXPECT_THAT(config.hidden, ElementsAre(32, 16, 8));
  EXPECT_THAT(config.optimizer.betas, IsEmpty());
  EXPECT_EQ(config.limit, 7);
  EXPECT_EQ(config.mode, Mode::play);
  EXPECT_EQ(config.pause, 1500ms);
  EXPECT_EQ(config.period, 120s);
  EXPECT_EQ(config.level, 255);
  EXPECT_EQ(config.steps, UINT64_MAX);
  EXPECT_EQ(parse({"--limit=7", "--limit=none"}).config.limit, std::nullopt);
}

TEST(FlagsTest, SwitchesOnAndOff) {
  EXPECT_TRUE(parse({"--render"}).config.render);
  EXPECT_TRUE(parse({"--render=true"}).config.render);
  EXPECT_FALSE(parse({"--render", "--no-render"}).config.render);
  EXPECT_FALSE(parse({"--render", "--render=false"}).config.render);
  EXPECT_THAT(error_of({"--render", "false"}), HasSubstr("stray argument \"false\""));
  EXPECT_THAT(error_of({"--no-render=true"}), HasSubstr("unknown flag --no-render"));
  EXPECT_THAT(error_of({"--no-workers"}), HasSubstr("unknown flag --no-workers"));
}

TEST(FlagsTest, CarriesOutFlagsAndAssignmentsInTheirOrder) {
  EXPECT_EQ(parse({"--set", "workers=1", "--workers=2"}).config.workers, 2);
  EXPECT_EQ(parse({"--workers=2", "--set=workers=1"}).config.workers, 1);
  EXPECT_THAT(
      parse({"--set", "workers=1", "--set", "game=x"}).options.assignments,
      ElementsAre("workers=1", "game=x"));
}

TEST(FlagsTest, SetsTheOptionsOfTheLaunch) {
  const LaunchOptions options = parse<NoConfig>({
                                                    "--launch=graph",
                                                    "--format=json",
                                                    "--log-level=debug",
                                                    "--deadline=500ms",
                                                    "--grace=0s",
                                                    "--seed=42",
                                                })
                                    .options;
  EXPECT_EQ(options.launch, Launch::graph);
  EXPECT_EQ(options.format, GraphFormat::json);
  EXPECT_EQ(options.log_level, LogLevel::debug);
  EXPECT_EQ(options.deadline, 500ms);
  EXPECT_EQ(options.grace, 0s);
  EXPECT_EQ(options.seed, 42U);
}

TEST(FlagsTest, SuggestsTheNameThatWasMeant) {
  EXPECT_EQ(
      error_of({"--learning_rat=1"}), "unknown flag --learning_rat; did you mean --learning-rate?");
  EXPECT_EQ(
      error_of({"--set", "learning_rat=1"}),
      "--set learning_rat=1: the configuration has no field learning_rat; did you mean "
      "learning_rate?");
  EXPECT_EQ(error_of({"--wokers=8"}), "unknown flag --wokers; did you mean --workers?");
  EXPECT_EQ(error_of({"--lunch=graph"}), "unknown flag --lunch; did you mean --launch?");
  EXPECT_EQ(
      error_of({"--set", "wokers=8"}),
      "--set wokers=8: the configuration has no field wokers; did you mean workers?");
  EXPECT_EQ(error_of({"--betas=1"}), "unknown flag --betas; did you mean --optimizer.betas?");
  EXPECT_EQ(error_of({"--zebra=1"}), "unknown flag --zebra");
  EXPECT_EQ(error_of({"-x"}).substr(0, 19), "stray argument \"-x\"");
}

TEST(FlagsTest, SaysWhatWasGivenAndWhatWasExpected) {
  EXPECT_EQ(
      error_of({"--workers=many"}),
      "bad value \"many\" for --workers: expected a whole number from -2147483648 to 2147483647");
  EXPECT_THAT(error_of({"--level=256"}), HasSubstr("a whole number from 0 to 255"));
  EXPECT_THAT(error_of({"--level=-1"}), HasSubstr("a whole number from 0 to 255"));
  EXPECT_THAT(error_of({"--workers=8x"}), HasSubstr("bad value \"8x\""));
  EXPECT_THAT(error_of({"--workers=2147483648"}), HasSubstr("bad value"));
  EXPECT_THAT(error_of({"--learning_rate=1e39"}), HasSubstr("a number that fits a float"));
  EXPECT_THAT(error_of({"--render=maybe"}), HasSubstr("expected true or false"));
  EXPECT_THAT(error_of({"--hidden=1,,2"}), HasSubstr("a list, each of it a whole number"));
  EXPECT_THAT(error_of({"--hidden=1,"}), HasSubstr("bad value \"1,\""));
  EXPECT_THAT(error_of({"--limit=all"}), HasSubstr(", or none"));
  EXPECT_THAT(error_of({"--set", "workers=x"}), HasSubstr("bad value \"x\" for --set workers"));
  EXPECT_THAT(error_of({"--set", "workers"}), HasSubstr("expected name=value"));
  EXPECT_EQ(
      error_of({"--launch=moon"}),
      "bad value \"moon\" for --launch: expected one of threads, processes, graph");
}

TEST(FlagsTest, RefusesDurationsThatHaveNoUnitOrDoNotFit) {
  EXPECT_EQ(
      error_of({"--period=500ms"}),
      "bad value \"500ms\" for --period: expected a duration such as 10s, 500ms or 2min, "
      "a multiple of 1s");
  EXPECT_THAT(error_of({"--period=10"}), HasSubstr("bad value \"10\""));
  EXPECT_THAT(error_of({"--period=10 s"}), HasSubstr("bad value"));
  EXPECT_THAT(error_of({"--period=1.2.3s"}), HasSubstr("bad value"));
  EXPECT_THAT(error_of({"--period=9999999999999999h"}), HasSubstr("bad value"));
  EXPECT_THAT(error_of({"--deadline=0s"}), HasSubstr("at least 1ms"));
  EXPECT_THAT(error_of({"--grace=-1s"}), HasSubstr("at least 0s"));
  EXPECT_EQ(parse({"--period=0"}).config.period, 0s);
}

TEST(FlagsTest, RefusesAFlagWithoutItsValue) {
  EXPECT_THAT(error_of({"--workers"}), HasSubstr("--workers needs a value: expected a whole"));
  EXPECT_THAT(error_of({"--workers", "--render"}), HasSubstr("--workers needs a value"));
}

TEST(FlagsTest, RefusesAFieldNamedLikeAFlagOfCallboard) {
  EXPECT_EQ(
      error_of<Clash>({}),
      "the configuration's field seed has the name of a flag of Callboard's; rename the field");
}

TEST(FlagsTest, ExplainsItselfWithTypesAndDefaults) {
  const std::string help = parse({"--help"}).help.value_or("none");
  EXPECT_THAT(help, HasSubstr("usage: program [flags]\n"));
  EXPECT_THAT(
      help,
      testing::ContainsRegex("--launch=threads.processes.graph +where .*.default threads.\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--deadline=duration +.*.default 10s.\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--workers=integer +default 4\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--optimizer.learning-rate=number +default 0.5\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--learning-rate=number +default 0.01\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--.no-.render +default false\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--hidden=integer,… +default 64,64\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--game=text +default \"catch\"\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--limit=integer.none +default none\n"));
  EXPECT_THAT(help, testing::ContainsRegex("--pause=duration +default 250ms\n"));
  EXPECT_TRUE(parse({"--workers=x", "-h"}).help) << "who asks for help is not told of errors";
}

struct Line {
  explicit Line(std::vector<std::string> words) : texts(std::move(words)) {
    for (std::string& text : texts) {
      pointers.push_back(text.data());
    }
    count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
  }
  std::vector<std::string> left() const { return {pointers.begin(), pointers.begin() + count}; }

  std::vector<std::string> texts;
  std::vector<char*> pointers;
  int count = 0;
};

TEST(ForeignFlagsTest, TakesOurFlagsAndLeavesTheRestInOrder) {
  Line line({"program", "-v", "--seed", "7", "--out=x", "--log_level=off", "file", "--help"});
  const Flags flags{line.count, line.pointers.data()};
  EXPECT_EQ(flags.options().seed, 7U);
  EXPECT_EQ(flags.options().log_level, LogLevel::off);
  EXPECT_THAT(line.left(), ElementsAre("program", "-v", "--out=x", "file", "--help"));
  EXPECT_EQ(line.pointers[5], nullptr);
}

TEST(ForeignFlagsTest, LeavesWhatFollowsTwoDashes) {
  Line line({"program", "--seed=7", "--", "--seed=8"});
  const Flags flags{line.count, line.pointers.data()};
  EXPECT_EQ(flags.options().seed, 7U);
  EXPECT_THAT(line.left(), ElementsAre("program", "--", "--seed=8"));
}

TEST(ForeignFlagsTest, LeavesEverythingAloneAfterAnError) {
  Line line({"program", "--seed=7", "--deadline=soon"});
  EXPECT_THROW((Flags{line.count, line.pointers.data()}), UsageError);
  EXPECT_THAT(line.left(), ElementsAre("program", "--seed=7", "--deadline=soon"));
}

TEST(ForeignFlagsTest, DescribesOurFlagsForTheHelpOfTheProgram) {
  EXPECT_THAT(Flags::help(), HasSubstr("--launch=threads|processes|graph"));
  EXPECT_THAT(Flags::help(), Not(HasSubstr("--set")));
}

} // namespace
} // namespace callboard
