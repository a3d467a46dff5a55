// The line below the table: what was seen, who is the cause, what to do.
#include "output/verdict_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

std::string lines(const std::vector<Finding>& findings, bool each = false) {
  VerdictText text;
  Record record{.what = {.bytes = 1024}, .busbw_gbps = 3};
  record.expected = {.busbw_gbps = 4, .bound_by = "memory"};
  text.add(record);
  text.add(Record{.busbw_gbps = 5});  // has no bound
  return text.lines(each, {.verdict = findings.empty() ? "ok" : "low", .findings = findings});
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

TEST(VerdictLine, OfAHealthyRunShowsItsLowestResult) {
  EXPECT_EQ(
      lines({}),
      "# Verdict              : ok at 1 of 1 results; lowest 1024 B, out of place: 3 of 4 GB/s "
      "(0.75), bound by memory\n");
}

TEST(VerdictLine, OfALowRunEndsWithWhatToDoAboutItsCause) {
  EXPECT_EQ(lines({kLow}),
            "# Verdict              : low at 1 of 8 results; 64 B: 1 of 4 GB/s; see what else runs "
            "here\n");
  EXPECT_EQ(lines({kLow, kLate, kSlowRank}),
            "# Verdict              : low at 1 of 8 results; 64 B: 1 of 4 GB/s; rank 2 comes 40 us "
            "after the first; rank 3 is slow: 6 pairs of ranks reach 0.59 of what they should; see "
            "what else runs on its host\n");
}

TEST(VerdictLine, OfAnUnstableMachineSaysNothingElse) {
  EXPECT_EQ(lines({kUnstable, kLow}),
            "# Verdict              : unstable machine: memory changed by a factor of 1.3 during "
            "the run; measure again\n");
}

TEST(VerdictLine, SaysWhatIsAboveTheBoundAndWhatIsLow) {
  EXPECT_EQ(lines({kAbove, kLow}),
            "# Verdict              : above the bound at 2 of 8 results; 64 B: 5 of 4 GB/s; please "
            "report it\n"
            "# Verdict              : low at 1 of 8 results; 64 B: 1 of 4 GB/s; see what else runs "
            "here\n");
}

TEST(VerdictLine, OfEachResultStandsFirst) {
  EXPECT_THAT(lines({kUnstable}, true),
              testing::StartsWith("# Verdict              : ok: 1024 B, out of place: 3 of 4 GB/s "
                                  "(0.75), bound by memory\n# Verdict  "));
}

TEST(VerdictLine, IsLeftOutOfARunThatEndedUnjudged) {
  VerdictText text;
  Record record{.what = {.bytes = 1024}, .busbw_gbps = 3};
  record.expected = {.busbw_gbps = 4, .bound_by = "memory"};
  text.add(record);

  EXPECT_EQ(text.lines(false, {}), "");
}

TEST(VerdictLine, IsLeftOutWhereNoResultHasABound) {
  EXPECT_EQ(VerdictText().lines(true, {.findings = {kUnstable}}), "");
}

}  // namespace
}  // namespace linerate
