// What a run's verdict adds to a node's report.
#include "commands/doctor_quick_bench.h"

#include "record/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunFile run_of(double busbw_gbps, const std::string& verdict) {
  Record result{.what = {.collective = "all_reduce", .type = "float", .bytes = 1 << 20},
                .nranks = 2,
                .busbw_gbps = busbw_gbps};
  result.expected = band_below(10, 0.5, "memory");
  return {.runs = {{.backend = "host", .nranks = 2}},
          .records = {result},
          .findings = {{.rule = "below_bound",
                        .subject = "1 of 1 results",
                        .evidence = reached_text(result),
                        .advice = "see what else runs"}},
          .ends = {{.verdict = verdict}}};
}

TEST(QuickBench, IsAPlainLineWhereTheVerdictIsOk) {
  auto file = run_of(9, "ok");
  file.findings.clear();
  node::Examined examined;

  const auto line = judge_quick_bench({}, file, examined);

  EXPECT_THAT(line, AllOf(HasSubstr("all_reduce over host, 2 ranks: ok at 1 of 1 results"),
                          HasSubstr("got 9 GB/s, expected 10")));
  EXPECT_THAT(examined.findings, IsEmpty());
  EXPECT_EQ(examined.ran, 1u);
}

TEST(QuickBench, IsAFindingWhereTheVerdictIsLow) {
  node::Examined examined;
  examined.findings.push_back({.rule = "shm-size", .severity = Severity::info});

  const auto line = judge_quick_bench({}, run_of(2, "low"), examined);

  EXPECT_EQ(line, "");
  ASSERT_EQ(examined.findings.size(), 2u);
  EXPECT_EQ(examined.findings[0].rule, kQuickBench);
  EXPECT_EQ(examined.findings[0].severity, Severity::warning);
  EXPECT_THAT(examined.findings[0].evidence,
              AllOf(HasSubstr("low at 1 of 1 results"), HasSubstr("got 2 GB/s, expected 10")));
}

TEST(QuickBench, IsAProblemWhereTheRunFails) {
  node::Examined examined;

  const auto line = judge_quick_bench({.code = 4, .errors = "one\nrank 1 is lost\n"}, {}, examined);

  EXPECT_EQ(line, "");
  ASSERT_EQ(examined.findings.size(), 1u);
  EXPECT_EQ(examined.findings[0].severity, Severity::problem);
  EXPECT_EQ(examined.findings[0].evidence, "It ended with exit code 4: rank 1 is lost");
}

TEST(QuickBench, CouldNotRunWhereWhatItNeedsIsMissing) {
  node::Examined examined;

  const auto line =
      judge_quick_bench({.code = 5, .errors = "linerate: no libnccl\n"}, {}, examined);

  EXPECT_EQ(line, "");
  EXPECT_THAT(examined.findings, IsEmpty());
  EXPECT_EQ(examined.ran, 0u);
  ASSERT_EQ(examined.not_run.size(), 1u);
  EXPECT_EQ(examined.not_run[0].reason, "no libnccl");
}

}  // namespace
}  // namespace linerate
