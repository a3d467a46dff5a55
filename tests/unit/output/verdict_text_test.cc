// The line below the table: what was seen, who is the cause, what to do.
#include "output/verdict_text.h"

#include "record/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

Record three_of_four() {
  Record record{.what = {.bytes = 1024}, .busbw_gbps = 3};
  record.expected = band_below(4, 0.5, "memory");
  return record;
}

std::string lines(const std::vector<Finding>& findings, bool each = false, double slack = 1) {
  VerdictText text;
  text.add(three_of_four());
  text.add(Record{.busbw_gbps = 5});  // has no bound
  return text.lines(
      each, {.verdict = findings.empty() ? "ok" : "low", .slack = slack, .findings = findings});
}

const Finding kLow{.rule = "below_bound",
                   .subject = "1 of 8 results",
                   .evidence = "64 B: 1 of 4 GB/s",
                   .advice = "see what else runs here"};
const Finding kLate{.rule = "late_rank",
                    .subject = "rank 2",
                    .evidence = "comes 40 us after the first",
                    .advice = "see what else runs on its core"};
const Finding kSlowRank{.rule = "slow_component",
                        .subject = "rank 3",
                        .evidence = "6 pairs of ranks reach 0.59 of what they should",
                        .advice = "see what else runs on its host"};
const Finding kUnstable{.rule = "unstable_machine",
                        .subject = "memory",
                        .evidence = "changed by a factor of 1.3 during the run",
                        .advice = "measure again"};
const Finding kAbove{.rule = "above_bound",
                     .subject = "2 of 8 results",
                     .evidence = "64 B: 5 of 4 GB/s",
                     .advice = "please report it"};

const Finding kUnsure{.rule = "near_bound",
                      .subject = "3 of 8 results",
                      .evidence = "32 B: got 2, expected 4",
                      .advice = "measure again on a quiet machine"};
const Finding kBusy{.rule = "busy_core",
                    .subject = "rank 1",
                    .evidence = "waited for a core 24 % of the time",
                    .advice = "see what else runs on these cores"};

TEST(VerdictLine, OfAHealthyRunShowsItsLowestResult) {
  EXPECT_EQ(lines({}),
            "# Verdict              : ok at 1 of 1 results; lowest 1024 B, out of place: got 3 "
            "GB/s, expected 4 (0.75), low below 2, bound by memory\n");
}

TEST(VerdictLine, OfALowRunEndsWithWhatToDoAboutItsCause) {
  EXPECT_EQ(lines({kLow}),
            "# Verdict              : low at 1 of 8 results; lowest 64 B: 1 of 4 GB/s; see what "
            "else runs here\n");
  EXPECT_EQ(
      lines({kLow, kLate, kSlowRank}),
      "# Verdict              : low at 1 of 8 results; lowest 64 B: 1 of 4 GB/s; rank 2 comes "
      "40 us after the first; rank 3 is slow: 6 pairs of ranks reach 0.59 of what they "
      "should; see what else runs on its host\n");
}

TEST(VerdictLine, SaysBesideTheVerdictWhatDisturbedTheRun) {
  EXPECT_EQ(lines({kUnstable, kLow}),
            "# Verdict              : low at 1 of 8 results; lowest 64 B: 1 of 4 GB/s; memory "
            "changed by a factor of 1.3 during the run; see what else runs here\n");
  EXPECT_EQ(lines({kUnstable, kBusy, kUnsure}),
            "# Verdict              : unsure at 3 of 8 results; lowest 32 B: got 2, expected 4; "
            "rank 1 waited for a core 24 % of the time; memory changed by a factor of 1.3 during "
            "the run; see what else runs on these cores\n");
  EXPECT_THAT(lines({kUnstable}),
              testing::EndsWith("bound by memory; memory changed by a factor of 1.3 during the "
                                "run\n"));
}

TEST(VerdictLine, IsOneThatNamesTheWorstAndCountsTheOthers) {
  EXPECT_EQ(lines({kAbove, kLow, kUnsure}),
            "# Verdict              : low at 1 of 8 results (above at 2 of 8 results, unsure at 3 "
            "of 8 results); lowest 64 B: 1 of 4 GB/s; see what else runs here\n");
  EXPECT_EQ(lines({kAbove, kBusy}),
            "# Verdict              : above at 2 of 8 results; highest 64 B: 5 of 4 GB/s; rank 1 "
            "waited for a core 24 % of the time; please report it\n");
}

TEST(VerdictLine, OfEachResultStandsFirst) {
  EXPECT_THAT(lines({kUnstable}, true),
              testing::StartsWith("# Verdict              : ok: 1024 B, out of place: got 3 GB/s, "
                                  "expected 4 (0.75), low below 2, bound by memory\n# Verdict  "));
}

TEST(VerdictLine, OfEachResultCountsWhatTheMachineChanged) {
  EXPECT_THAT(lines({kUnstable}, true, 2), testing::HasSubstr("low below 1, bound by memory"));
}

TEST(VerdictLine, IsLeftOutOfARunThatEndedUnjudged) {
  VerdictText text;
  text.add(three_of_four());

  EXPECT_EQ(text.lines(false, {}), "");
}

TEST(VerdictLine, IsLeftOutWhereNoResultHasABound) {
  EXPECT_EQ(VerdictText().lines(true, {.findings = {kUnstable}}), "");
}

}  // namespace
}  // namespace linerate
