// What is compared with what, what is refused, and what differs.
#include "compare/comparison.h"

#include "unit/compare/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate {
namespace {

using stats::Difference;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunComparison compared(Side a, Side b, const CompareRules& rules = {}) {
  auto comparison = compare_sides(std::move(a), std::move(b), rules);
  EXPECT_TRUE(comparison) << (comparison ? "" : comparison.sentence());
  return comparison ? *std::move(comparison) : RunComparison{};
}

std::string refusal(Side a, Side b) {
  const auto comparison = compare_sides(std::move(a), std::move(b), {});
  return comparison ? "none" : comparison.sentence();
}

void set(Side& side, const std::string& name, const std::string& json) {
  for (auto& run : side.runs)
    for (auto& setting : run.info.settings)
      if (setting.name == name) setting.json = json;
}

TEST(CompareSides, CallsTenPercentSlower) {
  const auto comparison = compared(made_side("A", about(100, 10)), made_side("B", about(110, 10)));

  ASSERT_EQ(comparison.cases.size(), 1u);
  EXPECT_EQ(comparison.cases[0].verdict, Difference::slower);
  EXPECT_NEAR(comparison.cases[0].effect.ratio, 1.1, 1e-6);
  EXPECT_NEAR(comparison.cases[0].a.median_us, 100.45, 1e-6);
  EXPECT_EQ(comparison.blocks, 0u);
  EXPECT_EQ(comparison.count(Difference::slower), 1u);
}

TEST(CompareSides, CallsTheSameSameAndFasterFaster) {
  const auto same = compared(made_side("A", about(100, 10)), made_side("B", about(100, 10)));
  const auto faster = compared(made_side("A", about(100, 10)), made_side("B", about(80, 10)));

  EXPECT_EQ(same.cases[0].verdict, Difference::same);
  EXPECT_EQ(faster.cases[0].verdict, Difference::faster);
}

TEST(CompareSides, TakesRunsOfOneStudyForBlocks) {
  const auto comparison =
      compared(made_side("A", about(100, 10), "s"), made_side("B", about(110, 10), "s"));

  EXPECT_EQ(comparison.blocks, 5u);
  EXPECT_EQ(comparison.cases[0].verdict, Difference::slower);
}

TEST(CompareSides, TakesStudiesOfTheirOwnForOneBlock) {
  const auto comparison =
      compared(made_side("A", about(100, 10), "s"), made_side("B", about(110, 10), "t"));

  EXPECT_EQ(comparison.blocks, 0u);
}

TEST(CompareSides, RefusesOtherTypesRanksAndBuffers) {
  auto half = made_side("B", about(100, 5));
  for (auto& run : half.runs) {
    auto of_case = run.cases.extract(run.cases.begin());
    of_case.key().type = "half";
    of_case.key().nranks = 4;
    run.cases.insert(std::move(of_case));
  }
  auto larger = made_side("B", about(100, 5));
  set(larger, "max_bytes", "67108864");

  EXPECT_THAT(
      refusal(made_side("A", about(100, 5)), half),
      AllOf(HasSubstr("data type: float | half"), HasSubstr("ranks: 2 | 4"), HasSubstr("--force")));
  EXPECT_THAT(refusal(made_side("A", about(100, 5)), larger),
              HasSubstr("bytes touched (-e): all of 1 MiB | all of 64 MiB"));
  EXPECT_EQ(compared(made_side("A", about(100, 5)), half, {.force = true}).cases.size(), 1u);
}

TEST(CompareSides, RefusesToForceCasesOntoOneAnother) {
  const auto of_roots = [](const std::string& name, const std::vector<int>& roots) {
    RunFile file{.runs = {made_run(name)}};
    for (const int root : roots) {
      file.records.push_back(made_result(name, 8, 10 + root));
      file.records.back().what.root = root;
    }
    return side_of(name, file);
  };

  const auto several = compare_sides(of_roots("A", {0, 1}), of_roots("B", {4}), {.force = true});

  ASSERT_FALSE(several);
  EXPECT_THAT(several.sentence(), HasSubstr("A has several roots, of which B has none"));
  EXPECT_EQ(compared(of_roots("A", {0}), of_roots("B", {4}), {.force = true}).cases.size(), 1u);
  EXPECT_EQ(compared(of_roots("A", {0, 1}), of_roots("B", {1}), {.force = true}).cases.size(), 1u);
}

TEST(CompareSides, ReadsTheBytesThatResultsTouchedWhereTheyTell) {
  const auto touching = [](std::uint64_t bytes) {
    auto side = made_side("X", about(100, 5));
    set(side, "max_bytes", fmt::to_string(bytes));  // counts no more
    for (auto& run : side.runs)
      for (auto& [key, times] : run.cases) times.touched_bytes = bytes > 1 << 25 ? 1 << 25 : bytes;
    return side;
  };

  EXPECT_THAT(refusal(touching(1 << 20), touching(1 << 22)),
              HasSubstr("bytes touched (-e) at 1 MiB: 1 MiB | 4 MiB"));
  EXPECT_EQ(compared(touching(1 << 26), touching(1 << 27)).cases.size(), 1u);
}

TEST(Differences, AskTheOptionsWhereNoCaseIsCommon) {
  auto a = made_side("A", {1}), b = made_side("B", {1});
  set(b, "max_bytes", "8");
  for (auto* side : {&a, &b}) side->runs[0].cases.begin()->second.touched_bytes = 8;
  auto of_case = b.runs[0].cases.extract(b.runs[0].cases.begin());
  of_case.key().nranks = 4;
  b.runs[0].cases.insert(std::move(of_case));

  const auto unlike = differences(a, b);

  EXPECT_THAT(unlike, Contains(Field(&SideDifference::what, "ranks")));
  EXPECT_THAT(unlike, Contains(Field(&SideDifference::what, "bytes touched (-e)")));
}

TEST(Differences, NameTheBuildAndTheHost) {
  const auto a = made_side("A", {1});
  auto b = a, told = a;
  b.runs[0].info.build.commit = "beef";
  b.runs[0].info.host = {.kernel = "6.2", .governor = "powersave"};
  told.runs[0].info.build.commit = "cafe";
  told.runs[0].info.host = {.kernel = "6.1", .governor = "performance"};

  EXPECT_THAT(differences(a, b), IsEmpty());  // only one side tells
  EXPECT_EQ(differences(told, b).size(), 3u);
}

TEST(CompareSides, RefusesTimesOfAnotherMeaning) {
  auto waits = made_side("B", about(100, 5));
  set(waits, "blocking", "2");

  EXPECT_THAT(refusal(made_side("A", about(100, 5)), waits), HasSubstr("(-z): 0 | 2"));
}

TEST(CompareSides, CountsCasesOfOneSide) {
  RunFile more{.runs = {made_run("x")},
               .records = {made_result("x", 1 << 20, 100), made_result("x", 8, 1)}};

  const auto comparison = compared(made_side("A", {100}), side_of("B", more));

  EXPECT_EQ(comparison.cases.size(), 1u);
  EXPECT_EQ(comparison.only_a, 0u);
  EXPECT_EQ(comparison.only_b, 1u);
}

TEST(CompareSides, CountsCasesWithTooFewRuns) {
  RunFile more{.runs = {made_run("x")},
               .records = {made_result("x", 1 << 20, 100), made_result("x", 8, 1)}};
  auto a = made_side("A", about(100, 10)), b = made_side("B", about(110, 10));
  for (auto* side : {&a, &b}) append(*side, side_of("more", more));

  const auto comparison = compared(a, b);

  EXPECT_EQ(comparison.too_few, 1u);
  EXPECT_EQ(comparison.count(Difference::slower), 1u);
  EXPECT_EQ(comparison.in_common, 1u);  // "x"
}

TEST(CompareSides, RefusesSidesWithoutACommonCase) {
  RunFile other{.runs = {made_run("x")}, .records = {made_result("x", 8, 1)}};

  EXPECT_THAT(refusal(made_side("A", {100}), side_of("B", other)), HasSubstr("no case in common"));
}

TEST(CompareSides, TakesWindowsWhereASideHasNoSamples) {
  auto bare = made_result("x", 1 << 20, 100);
  bare.samples.reset();
  const auto b = side_of("B", {.runs = {made_run("x")}, .records = {bare}});

  EXPECT_EQ(compared(made_side("A", {100}), b).statistic, RunStatistic::window);
  EXPECT_EQ(compared(made_side("A", {100}), made_side("B", {1})).statistic, kUsualStatistic);
  const auto refused = compare_sides(made_side("A", {1}), b, {.statistic = RunStatistic::minimum});
  EXPECT_THAT(refused.sentence(), HasSubstr("--statistic min needs samples"));
}

TEST(CompareSides, SaysWhereOneSideCameFirst) {
  auto a = made_side("A", about(100, 3)), b = made_side("B", about(100, 3));
  const auto at = [](Side& side, const std::vector<std::string>& times) {
    for (std::size_t i = 0; i < times.size(); ++i) side.runs[i].info.start_time = times[i];
  };
  at(a, {"2026-01-01T10:00:00Z", "2026-01-01T10:02:00Z", "2026-01-01T10:04:00Z"});
  at(b, {"2026-01-01T10:01:00Z", "2026-01-01T10:03:00Z", "2026-01-01T10:05:00Z"});
  EXPECT_FALSE(compared(a, b).one_after_other);

  at(b, {"2026-01-01T11:01:00Z", "2026-01-01T11:03:00Z", "2026-01-01T11:05:00Z"});
  EXPECT_TRUE(compared(a, b).one_after_other);
}

TEST(Differences, NameVariablesVersionsAndOptions) {
  const auto a = made_side("A", {1});
  auto b = made_side("B", {1});
  auto& run = b.runs[0].info;
  run.environment = {"NCCL_PROTO=LL"};
  run.version = "0.2.0";
  run.args = {"/other/path/all_reduce_perf", "--jsonl", "b.jsonl", "-g", "2", "-n", "50"};

  const auto unlike = differences(a, b);

  const auto is = [](const char* what, const char* of_a, const char* of_b) {
    return AllOf(Field(&SideDifference::what, what), Field(&SideDifference::a, of_a),
                 Field(&SideDifference::b, of_b), Field(&SideDifference::forbids, false));
  };
  EXPECT_THAT(unlike, Contains(is("NCCL_ALGO", "Ring", "unset")));
  EXPECT_THAT(unlike, Contains(is("NCCL_PROTO", "unset", "LL")));
  EXPECT_THAT(unlike, Contains(is("version", "0.1.0", "0.2.0")));
  EXPECT_THAT(unlike, Contains(is("options", "unset", "-n 50")));
  EXPECT_EQ(unlike.size(), 4u);
}

TEST(Differences, ShowNamesWithoutControlCharacters) {
  const auto a = made_side("A", {1});
  auto b = made_side("B", {1});
  b.runs[0].info.environment.emplace_back("EV\x1b]0;IL=1");

  const auto unlike = differences(a, b);

  ASSERT_EQ(unlike.size(), 1u);
  EXPECT_EQ(unlike[0].what, "EV?]0;IL");
}

TEST(Differences, AreNoneBetweenEqualSides) {
  EXPECT_THAT(differences(made_side("A", {1, 2}), made_side("B", {3})), IsEmpty());
}

TEST(Differences, NameTurnsAtWindows) {
  auto a = made_side("A", {1});
  a.runs[0].info.turns = "windows";

  const auto unlike = differences(a, made_side("B", {1}));

  ASSERT_EQ(unlike.size(), 1u);
  EXPECT_EQ(unlike[0].what, "turns at");
  EXPECT_EQ(unlike[0].b, "unset");
}

TEST(Differences, ListWhatVariesWithinASide) {
  auto a = made_side("A", {1, 2});
  a.runs[1].info.version = "0.2.0";

  const auto unlike = differences(a, made_side("B", {1}));

  ASSERT_EQ(unlike.size(), 1u);
  EXPECT_EQ(unlike[0].a, "0.1.0, 0.2.0");
}

}  // namespace
}  // namespace linerate
