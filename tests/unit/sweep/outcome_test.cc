// How cases ended, by codes and records.
#include "sweep/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::sweep {
namespace {

using ::testing::HasSubstr;

RunFile good_run() {
  RunFile file;
  file.runs.push_back({.run_id = "a", .nranks = 2});
  Record record{.run_id = "a", .what = {.collective = "all_reduce", .bytes = 1024}, .wrong = 0};
  record.window.time_us = 100;
  record.algbw_gbps = record.busbw_gbps = 5;
  record.expected = Expectation{.busbw_gbps = 10, .low_gbps = 6, .bound_by = "memory"};
  file.records.push_back(record);
  file.ends.push_back({.run_id = "a", .verdict = "ok"});
  return file;
}

TEST(Outcomes, HaveNamesThatReadBack) {
  for (const auto outcome : kOutcomes) EXPECT_EQ(outcome_of(name_of(outcome)), outcome);
  EXPECT_EQ(outcome_of("fine"), std::nullopt);
}

TEST(Outcomes, AreOkWithResultsAndAGoodEnd) {
  const auto [outcome, reason] = judged({}, good_run());
  EXPECT_EQ(outcome, Outcome::ok);
  EXPECT_EQ(reason, "");
}

TEST(Outcomes, BelieveTheRecordsAndNotTheLaunchersCode) {
  EXPECT_EQ(judged({.code = 1}, good_run()).outcome, Outcome::ok);
}

TEST(Outcomes, AreSlowByTheVerdictOrALimitAskedFor) {
  auto run = good_run();
  auto lower = run.records[0];
  lower.busbw_gbps = 1;
  lower.expected->slack = 8;  // it was disturbed
  lower.what.bytes = 2048;
  run.records.push_back(lower);
  run.ends[0].verdict = "low";
  EXPECT_EQ(judged({}, run).outcome, Outcome::slow);
  EXPECT_THAT(judged({}, run).reason, HasSubstr("1024 B, out of place: got 5 GB/s, expected 10"));

  run = good_run();
  run.ends[0].exit_code = 3;
  EXPECT_EQ(judged({.code = 3}, run).outcome, Outcome::slow);
}

TEST(Outcomes, AreWrongWhereDataIsWhateverElseHappened) {
  auto run = good_run();
  run.records[0].wrong = 7;
  run.ends[0].verdict = "low";

  const auto [outcome, reason] = judged({.code = 1, .cut = true}, run);

  EXPECT_EQ(outcome, Outcome::wrong);
  EXPECT_THAT(reason, HasSubstr("7 wrong elements in all_reduce of 1024 B"));
}

TEST(Outcomes, AreHungPastTheLimitOrTheToolsOwn) {
  EXPECT_EQ(judged({.code = 143, .limit_s = 9, .cut = true}, good_run()).outcome, Outcome::hung);
  EXPECT_THAT(judged({.limit_s = 9, .cut = true}, {}).reason, HasSubstr("longer than 9 s"));

  auto run = good_run();
  run.ends[0].exit_code = 4;
  run.ends[0].error = "timed out waiting for rank 1";
  EXPECT_EQ(judged({.code = 4}, run).outcome, Outcome::hung);
  run.ends[0].error = "rank 1 hangs";
  EXPECT_EQ(judged({.code = 4}, run).outcome, Outcome::hung);
  run.ends[0].error = "rank 1 was lost in exchange";
  EXPECT_EQ(judged({.code = 4}, run).outcome, Outcome::crashed);
}

TEST(Outcomes, AreCrashedOnceTheRunHadBegun) {
  auto run = good_run();
  run.ends.clear();
  EXPECT_EQ(judged({.code = 139}, run).outcome, Outcome::crashed);
  run.records.clear();
  EXPECT_EQ(judged({.code = 1}, run).outcome, Outcome::crashed);
  EXPECT_EQ(judged({.code = 139}, {}).outcome, Outcome::crashed);  // in its initialisation
  EXPECT_EQ(judged({}, run).reason, "it ended well, and wrote no results");
}

TEST(Outcomes, AreNoStartWhereTheRanksNeverMet) {
  const auto [outcome, reason] = judged({.code = 2, .said = "Unknown option '-x'."}, {});
  EXPECT_EQ(outcome, Outcome::no_start);
  EXPECT_EQ(reason, "Unknown option '-x'.");
  EXPECT_EQ(judged({.code = 127}, {}).outcome, Outcome::no_start);

  RunFile apart;
  apart.runs.push_back({.run_id = "a"});
  apart.ends.push_back({.run_id = "a", .exit_code = 4, .error = "initialisation timed out"});
  EXPECT_EQ(judged({.code = 4}, apart).outcome, Outcome::no_start);
}

TEST(Outcomes, OfImportedRunsComeFromTheirRecords) {
  auto run = good_run();
  EXPECT_EQ(judged(run).outcome, Outcome::ok);
  run.ends.clear();
  EXPECT_EQ(judged(run).outcome, Outcome::ok);  // a table that was cut
  run.records[0].wrong = 1;
  EXPECT_EQ(judged(run).outcome, Outcome::wrong);
}

}  // namespace
}  // namespace linerate::sweep
