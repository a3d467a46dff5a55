// How files of results become runs of a side, and by which order commands take turns.
#include "compare/runs.h"

#include "compare/comparison.h"
#include "unit/compare/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SideOf, HasOneTimeOfEachCaseInEachRun) {
  const RunFile file{
      .runs = {made_run("1"), made_run("2")},
      .records = {made_result("1", 8, 5), made_result("2", 8, 6), made_result("2", 16, 7)}};

  const auto side = side_of("A", file);

  ASSERT_EQ(side.runs.size(), 2u);
  EXPECT_EQ(side.runs[0].cases.size(), 1u);
  EXPECT_EQ(side.runs[1].cases.size(), 2u);
  EXPECT_THAT(side.notes(), IsEmpty());
  const auto& times = side.runs[0].cases.begin()->second;
  EXPECT_DOUBLE_EQ(*times.by(RunStatistic::median), 5);
  EXPECT_DOUBLE_EQ(*times.by(RunStatistic::window), 5.5);
  EXPECT_DOUBLE_EQ(*times.by(RunStatistic::minimum), 4.5);
}

TEST(SideOf, TakesTheMedianOfACaseThatARunMeasuredAgain) {
  const RunFile file{
      .runs = {made_run("1")},
      .records = {made_result("1", 8, 5), made_result("1", 8, 50), made_result("1", 8, 6)}};

  const auto side = side_of("A", file);

  EXPECT_DOUBLE_EQ(*side.runs.at(0).cases.begin()->second.median_us, 6);
}

TEST(SideOf, LeavesFailedAndEmptyRunsOutAndSaysSo) {
  const RunFile file{
      .runs = {made_run("1"), made_run("2"), made_run("3"), made_run("4")},
      .records = {made_result("1", 8, 5), made_result("2", 8, 6), made_result("4", 8, 6)},
      .ends = {{.run_id = "2", .exit_code = 4}, {.run_id = "4", .exit_code = 3}}};

  const auto side = side_of("A", file);

  ASSERT_EQ(side.runs.size(), 2u);
  EXPECT_EQ(side.runs[1].info.run_id, "4");  // a finding is no failure
  EXPECT_THAT(side.notes(), ElementsAre("1 run that ended with exit code 4 is left out",
                                        "1 run without a result is left out"));
}

TEST(SideOf, LeavesARunWithAWrongResultOut) {
  auto wrong = made_result("2", 8, 5);
  wrong.wrong = 2;
  const RunFile file{.runs = {made_run("1"), made_run("2")},
                     .records = {made_result("1", 8, 5), wrong, made_result("2", 16, 5)}};

  const auto side = side_of("A", file);

  ASSERT_EQ(side.runs.size(), 1u);
  EXPECT_THAT(side.notes(), ElementsAre("1 run with wrong data is left out"));
}

TEST(SideOf, TakesNoTimeThatIsNone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  RunFile file{.runs = {made_run("1")}, .records = {made_result("1", 1, 5)}};
  std::uint64_t bytes = 1;
  for (const double none : {0.0, -5.0, kNan, 1e308, 1e-300}) {
    auto median = made_result("1", ++bytes, 5), window = made_result("1", ++bytes, 5);
    median.samples->us.median = none;
    window.window.time_us = none;
    file.records.insert(file.records.end(), {median, window});
  }

  const auto side = side_of("A", file);

  ASSERT_EQ(side.runs.size(), 1u);
  EXPECT_EQ(side.runs[0].cases.size(), 6u);
  for (const auto& [key, times] : side.runs[0].cases)
    EXPECT_EQ(times.median_us.has_value(), key.bytes == 1) << key.bytes;
  EXPECT_THAT(side.notes(), ElementsAre("5 results without a sensible time are left out"));
}

TEST(SideOf, CountsARunOnce) {
  const RunFile file{.runs = {made_run("1"), made_run("1"), made_run("2")},
                     .records = {made_result("1", 8, 5), made_result("2", 8, 6)}};

  auto side = side_of("A", file);
  append(side, side_of("a copy", file));

  EXPECT_EQ(side.runs.size(), 2u);
  EXPECT_THAT(side.notes(), ElementsAre("4 runs equal to another are left out"));
  EXPECT_EQ(runs_in_common(side, side_of("B", file)), 2u);
  EXPECT_EQ(runs_in_common(side, made_side("C", {1})), 0u);
}

TEST(SideOf, KnowsWhetherEveryResultHasSamples) {
  auto bare = made_result("1", 8, 5);
  bare.samples.reset();

  EXPECT_TRUE(made_side("A", {1, 2}).has_samples());
  EXPECT_FALSE(side_of("A", {.runs = {made_run("1")}, .records = {bare}}).has_samples());
}

TEST(Turns, GiveEachSideItsRepeatsInOrder) {
  std::map<std::size_t, std::vector<int>> repeats;
  for (const auto& turn : turns(2, 5, 42)) repeats[turn.side].push_back(turn.repeat);

  EXPECT_THAT(repeats[0], ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(repeats[1], ElementsAre(1, 2, 3, 4, 5));
}

TEST(Turns, HoldEachBlockTogether) {
  const auto order = turns(2, 10, 7);

  ASSERT_EQ(order.size(), 20u);
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ((order[i].repeat - 1) / repeats_of_block(TurnsAt::runs), static_cast<int>(i / 4))
        << i;
}

TEST(Turns, DrawEveryOrderOfABlockAboutAsOften) {
  std::map<std::vector<std::size_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::vector<std::size_t> sides;
    for (const auto& turn : turns(2, 2, seed * 1'000'003)) sides.push_back(turn.side);
    ++counts[sides];
  }

  ASSERT_EQ(counts.size(), 6u);  // 4 over 2
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 500, 100);
}

TEST(Turns, AreTheSameForOneSeed) {
  const auto sides = [](std::uint64_t seed) {
    std::vector<std::size_t> out;
    for (const auto& turn : turns(2, 20, seed)) out.push_back(turn.side);
    return out;
  };

  EXPECT_EQ(sides(5), sides(5));
  EXPECT_NE(sides(5), sides(6));
}

TEST(FirstTurns, AreEachSidesInHalfOfTheRepeatsAboutAndRepeatWithTheSeed) {
  const auto firsts = first_turns(100, 7);

  ASSERT_EQ(firsts.size(), 100u);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(firsts, 1u)), 50, 4);
  EXPECT_EQ(firsts, first_turns(100, 7));
  EXPECT_NE(firsts, first_turns(100, 8));
}

}  // namespace
}  // namespace linerate
