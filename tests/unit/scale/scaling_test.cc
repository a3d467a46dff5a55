// Efficiencies, and what was lost to what.
#include "scale/scaling.h"

#include "scale/scaling_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace linerate::scale {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunResult run_of(const char* layout, int nranks, double step_us, bool control = false,
                 std::uint64_t batch = 8) {
  return {
      .layout = layout,
      .nranks = nranks,
      .batch = batch,
      .control = control,
      .times = {
          .step_us = step_us, .compute_us = step_us, .tokens = static_cast<double>(batch) * 100}};
}

Study study_of(std::vector<int> ranks) {
  return {.layouts = {{"ddp", "train_ddp"}, {"zero3", "train_fsdp --zero 3"}},
          .ranks = std::move(ranks)};
}

const Row& row_of(const Table& table, std::string_view layout, int nranks) {
  for (const auto& row : table.rows)
    if (row.layout == layout && row.nranks == nranks) return row;
  throw std::out_of_range("no such row");
}

TEST(StrongScaling, IsTheBaselinesTimeOverRanksAndTime) {
  const auto tables = scaling_of(study_of({1, 4}),
                                 {run_of("ddp", 1, 1000), run_of("zero3", 1, 1100),
                                  run_of("ddp", 4, 400), run_of("ddp", 4, 300, true)},
                                 std::nullopt);

  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].baseline, "ddp");
  const auto& row = row_of(tables[0], "ddp", 4);
  EXPECT_DOUBLE_EQ(*row.speedup, 2.5);
  EXPECT_DOUBLE_EQ(row.efficiency.median, 1000.0 / (4 * 400));
  EXPECT_DOUBLE_EQ(row.lost_to_compute->share, (300 - 250.0) / 400);
  EXPECT_DOUBLE_EQ(row.lost_to_communication->share, 100.0 / 400);
  EXPECT_DOUBLE_EQ(
      row.efficiency.median + row.lost_to_compute->share + row.lost_to_communication->share, 1);
  EXPECT_DOUBLE_EQ(row_of(tables[0], "zero3", 1).efficiency.median, 1000.0 / 1100);
}

TEST(WeakScaling, IsTheBaselinesTimeOverTime) {
  auto study = study_of({1, 2});
  study.strong = false;
  study.weak = true;

  const auto tables =
      scaling_of(study, {run_of("ddp", 1, 1000), run_of("ddp", 2, 1250, false, 16)}, std::nullopt);

  EXPECT_DOUBLE_EQ(row_of(tables[0], "ddp", 2).efficiency.median, 0.8);
  EXPECT_FALSE(row_of(tables[0], "ddp", 2).lost_to_compute);
}

TEST(Spreads, AreOfRunsTheirLeastAndMostUntilThereAreSix) {
  std::vector<RunResult> runs;
  for (const double us : {100., 120., 110.}) runs.push_back(run_of("ddp", 1, us));
  const auto few = scaling_of(study_of({1}), runs, std::nullopt)[0].rows[0].step_us;
  for (const double us : {100., 120., 110., 1e6, 105., 115., 112.})
    runs.push_back(run_of("ddp", 1, us));
  const auto many = scaling_of(study_of({1}), runs, std::nullopt)[0].rows[0].step_us;

  EXPECT_DOUBLE_EQ(few.median, 110);
  EXPECT_DOUBLE_EQ(few.low, 100);
  EXPECT_DOUBLE_EQ(few.high, 120);
  EXPECT_FALSE(few.is_interval);
  EXPECT_TRUE(many.is_interval);
  EXPECT_LT(many.high, 1e6);
}

TEST(Losses, AreClearWhereTheSpreadsDoNotMeet) {
  const std::vector<RunResult> base{run_of("ddp", 1, 1000), run_of("ddp", 2, 600),
                                    run_of("ddp", 2, 640)};
  auto clear = base, noisy = base;
  for (const double us : {500., 510.}) clear.push_back(run_of("ddp", 2, us, true));
  for (const double us : {500., 650.}) noisy.push_back(run_of("ddp", 2, us, true));

  const auto text = tables_text(scaling_of(study_of({1, 2}), noisy, std::nullopt));
  const auto row = row_of(scaling_of(study_of({1, 2}), clear, std::nullopt)[0], "ddp", 2);

  EXPECT_TRUE(row.lost_to_communication->is_clear());
  EXPECT_GT(row.lost_to_communication->low, 0);
  EXPECT_THAT(text, HasSubstr("~7.3 %"));
  EXPECT_THAT(text, HasSubstr("may be noise"));
}

TEST(Losses, ThatRoundToNothingHaveNoSign) {
  std::vector<RunResult> runs{run_of("ddp", 1, 1000)};
  for (const double us : {500., 500.2}) {
    runs.push_back(run_of("ddp", 2, us));
    runs.push_back(run_of("ddp", 2, us + 0.1, true));
  }

  const auto text = tables_text(scaling_of(study_of({1, 2}), runs, std::nullopt));

  EXPECT_THAT(text, HasSubstr("~0.0 %"));
  EXPECT_THAT(text, Not(HasSubstr("-0.0 %")));
}

TEST(OneRank, IsItsOwnControl) {
  const auto tables =
      scaling_of(study_of({1}), {run_of("ddp", 1, 1000), run_of("zero3", 1, 1250)}, std::nullopt);

  const auto& row = row_of(tables[0], "zero3", 1);
  EXPECT_DOUBLE_EQ(row.efficiency.median, 0.8);
  EXPECT_DOUBLE_EQ(row.lost_to_compute->share, 0.2);
  EXPECT_EQ(row.lost_to_communication->share, 0);
}

TEST(Parts, AddUpToTheMedianOfAnEvenNumberOfRuns) {
  const auto tables =
      scaling_of(study_of({1}), {run_of("ddp", 1, 100), run_of("ddp", 1, 120)}, std::nullopt);
  EXPECT_DOUBLE_EQ(tables[0].rows[0].step_us.median, 110);
  EXPECT_DOUBLE_EQ(tables[0].rows[0].times.compute_us, 110);
}

TEST(Rows, SayThatTheirControlDidNotEndWell) {
  auto control = run_of("ddp", 2, 0, true);
  control.outcome = Outcome::failed;
  control.reason = "no such option";
  const auto tables =
      scaling_of(study_of({1, 2}), {run_of("ddp", 1, 100), run_of("ddp", 2, 60), control}, 2);
  EXPECT_THAT(tables_text(tables), HasSubstr("failed: without communication: no such option"));
}

TEST(Rows, SayThatTheyHaveNotRun) {
  const auto text = tables_text(scaling_of(study_of({1, 2}), {run_of("ddp", 1, 100)}, 2));
  EXPECT_THAT(text, HasSubstr("not run yet"));
}

TEST(Layouts, AreUselessWhereNoRunEndedWell) {
  auto refused = run_of("zero3", 1, 0);
  refused.outcome = Outcome::refused;
  EXPECT_THAT(useless_layouts(study_of({1}), {run_of("ddp", 1, 100), refused}),
              testing::ElementsAre("zero3"));
  EXPECT_THAT(useless_layouts(study_of({1}), {run_of("ddp", 1, 100)}), testing::IsEmpty());
}

TEST(Rows, SayWhyTheyAreEmpty) {
  auto refused = run_of("zero3", 1, 0);
  refused.outcome = Outcome::refused;
  refused.reason = "8 does not divide 1";

  const auto tables = scaling_of(study_of({1}), {run_of("ddp", 1, 100), refused}, 2);
  const auto text = tables_text(tables);

  EXPECT_EQ(row_of(tables[0], "zero3", 1).step_us.runs, 0U);
  EXPECT_THAT(text, HasSubstr("refused: 8 does not divide 1"));
  EXPECT_THAT(text, HasSubstr("against ddp on 1 rank, 0.10 ms a step"));
}

TEST(Rows, HaveAMarkWhereRanksShareCores) {
  const std::vector<RunResult> runs{run_of("ddp", 1, 100), run_of("ddp", 4, 90)};
  EXPECT_THAT(tables_text(scaling_of(study_of({1, 4}), runs, 2)),
              HasSubstr("more ranks than cores"));
  EXPECT_THAT(tables_text(scaling_of(study_of({1, 4}), runs, 4)),
              Not(HasSubstr("more ranks than cores")));
}

TEST(Tables, HaveNoEfficiencyWithoutABaseline) {
  const auto tables = scaling_of(study_of({1, 2}), {run_of("ddp", 2, 100)}, std::nullopt);

  EXPECT_EQ(tables[0].baseline, "");
  EXPECT_THAT(tables_text(tables), HasSubstr("no run on 1 rank ended well"));
  const auto json = nlohmann::json::parse(tables_json(tables, "study"));
  EXPECT_EQ(json["title"], "study");
  EXPECT_EQ(json["tables"][0]["rows"][1]["step_us"]["median"], 100);
  EXPECT_FALSE(json["tables"][0]["rows"][1].contains("efficiency"));
}

}  // namespace
}  // namespace linerate::scale
