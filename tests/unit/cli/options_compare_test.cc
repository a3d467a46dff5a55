// What `linerate compare` takes, and what it refuses.
#include "cli/compare_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CompareConfig compared_by(const std::vector<std::string>& words) {
  auto config = parse_compare(words);
  EXPECT_TRUE(config) << (config ? "" : config.sentence());
  return config ? *config : CompareConfig{};
}

TEST(ParseCompare, TakesTwoSidesAnywhereAmongOptions) {
  const auto config = compared_by({"a", "--junit", "x.xml", "--gate", "b", "--smallest=3%"});

  EXPECT_THAT(config.sources, ElementsAre("a", "b"));
  EXPECT_EQ(config.junit_file, "x.xml");
  EXPECT_TRUE(config.gate);
  EXPECT_DOUBLE_EQ(config.smallest, 0.03);
}

TEST(ParseCompare, HasDefaults) {
  const auto config = compared_by({"a", "b"});

  EXPECT_DOUBLE_EQ(config.smallest, 0.02);
  EXPECT_EQ(config.times(), 10);
  EXPECT_FALSE(config.statistic);
  EXPECT_FALSE(config.seed);
}

TEST(ParseCompare, TakesCommandsForSides) {
  const auto config =
      compared_by({"--run", "x -b 8", "--run", "y", "--repeat", "4", "--seed", "9", "--keep", "k"});

  EXPECT_THAT(config.commands, ElementsAre("x -b 8", "y"));
  EXPECT_EQ(config.times(), 4);
  EXPECT_EQ(config.seed, 9u);
  EXPECT_EQ(compared_by({"base", "--run", "x"}).sides(), 2u);
}

TEST(ParseCompare, RepeatsTurnsAtWindowsMoreOften) {
  EXPECT_EQ(compared_by({"--run", "x", "--run", "y", "--turns", "windows"}).times(), 30);
  EXPECT_EQ(
      compared_by({"--run", "x", "--run", "y", "--turns", "windows", "--repeat", "7"}).times(), 7);
}

TEST(ParseCompare, TakesOneSideThatBecomesABaseline) {
  EXPECT_EQ(compared_by({"a", "--save-baseline", "v1.2_x-y"}).save_baseline, "v1.2_x-y");
}

TEST(ParseCompare, RefusesInOneSentence) {
  struct Case {
    std::vector<std::string> words;
    const char* fragment;
  };
  for (const auto& [words, fragment] :
       std::vector<Case>{{{}, "needs two sides and got 0"},
                         {{"a"}, "needs two sides and got 1"},
                         {{"a", "b", "--run", "c"}, "needs two sides and got 3"},
                         {{"a", "b", "--repeat", "3"}, "--repeat belongs to --run"},
                         {{"a", "b", "--smallest", "0%"}, "no difference that could matter"},
                         {{"a", "b", "--smallest", "2"}, "--smallest"},
                         {{"a", "b", "--statistic", "mean"}, "auto, median, window, min"},
                         {{"a", "b", "--json", "--markdown"}, "exclude each other"},
                         {{"a", "--save-baseline", "../../x"}, "is no name"},
                         {{"a", "--save-baseline", ".hidden"}, "is no name"},
                         {{"a", "--baselines"}, "leave the sides out"},
                         {{"--run", "x", "--run", "y", "--repeat", "0"}, "--repeat"},
                         {{"a", "b", "--gaet"}, "did you mean '--gate'"}}) {
    const auto refused = parse_compare(words);
    ASSERT_FALSE(refused) << fragment;
    EXPECT_THAT(refused.sentence(), HasSubstr(fragment));
  }
}

}  // namespace
}  // namespace linerate
