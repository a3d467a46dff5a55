// The summary of a suite: its numbers, its words, and what parsers of the tables make of them.
#include "output/suite_table.h"

#include "unit/output/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CaseInfo case_of(const std::string& collective, std::uint64_t bytes,
                 const std::string& type = "float") {
  auto what = all_reduce_of(bytes);
  what.collective = collective;
  what.type = type;
  return what;
}

RunInfo run_of(const std::string& program) {
  auto run = two_ranks();
  run.program = program;
  return run;
}

EndInfo judged(const std::string& verdict) {
  auto end = clean_end(1);
  end.verdict = verdict;
  return end;
}

// Rows of these rates, out of place; in place is twice as fast.
void add_rows(SuiteTable& table, const std::string& collective, const std::vector<double>& gbps,
              const std::string& type = "float") {
  std::uint64_t bytes = 8;
  for (const double rate : gbps) {
    table.row(row_of(case_of(collective, bytes, type), {1, rate, rate}, {1, 2 * rate, 2 * rate}));
    bytes *= 2;
  }
}

TEST(SuiteTable, HasALineForEachRunWithItsSizesPeakAndVerdict) {
  SuiteTable table({8, 16, 32});
  table.begin(run_of("all_reduce_perf"));
  add_rows(table, "all_reduce", {1.5, 30, 20});
  table.end(judged("ok"));
  table.begin(run_of("all_gather_perf"));
  add_rows(table, "all_gather", {0.25, 2, 4});
  table.end(judged("low"));

  EXPECT_EQ(table.text(),
            "# Suite: busbw (GB/s) out of place by size, and its peak; least: of all results, the "
            "lowest share of what was expected\n"
            "# collective        8       16       32     peak       at    least       at  verdict\n"
            "# all_reduce     1.50    30.00    20.00    30.00       16        -        -  ok\n"
            "# all_gather     0.25     2.00     4.00     4.00       32        -        -  low\n");
}

TEST(SuiteTable, NamesTheLeastShareOfWhatWasExpected) {
  SuiteTable table({8, 16});
  table.begin(run_of("all_reduce_perf"));
  auto records = row_of(all_reduce_of(8), {1, 6, 6}, {1, 9, 9});
  for (auto& record : records) record.expected = Expectation{.busbw_gbps = 12};
  table.row(records);
  table.end(judged("ok"));

  EXPECT_THAT(table.text(), HasSubstr("     0.50        8  ok\n"));
}

TEST(SuiteTable, ShowsAFewOfManySizes) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= (std::size_t{128} << 20); bytes *= 2) sizes.push_back(bytes);
  SuiteTable table(sizes);
  table.begin(run_of("all_reduce_perf"));
  add_rows(table, "all_reduce", {1});
  table.end(judged("ok"));

  EXPECT_THAT(table.text(), HasSubstr("        8      512      32K       2M     128M     peak"));
}

TEST(SuiteTable, TellsTypesApartOnlyWhereThereAreSeveral) {
  SuiteTable table({8});
  table.begin(run_of("all_reduce_perf"));
  add_rows(table, "all_reduce", {1}, "half");
  add_rows(table, "all_reduce", {2}, "double");
  table.end(judged("ok"));
  table.begin(run_of("reduce_perf"));
  add_rows(table, "reduce", {3}, "half");
  table.end(judged("ok"));

  EXPECT_THAT(table.text(), HasSubstr("# all_reduce half sum       1.00"));
  EXPECT_THAT(table.text(), HasSubstr("# all_reduce double sum     2.00"));
  EXPECT_THAT(table.text(), HasSubstr("# reduce                    3.00"));
}

TEST(SuiteTable, IsTheMeanOfRowsOfOneSize) {
  SuiteTable table({8, 16});
  table.begin(run_of("reduce_perf"));
  add_rows(table, "reduce", {1, 10});
  add_rows(table, "reduce", {3, 20});  // another root
  table.end(judged("ok"));

  EXPECT_THAT(table.text(), HasSubstr("# reduce         2.00    15.00    15.00       16"));
}

TEST(SuiteTable, SaysWhatBecameOfARunThatDidNotEndWell) {
  const auto outcome = [](int code, std::uint64_t failed, std::optional<std::string> error) {
    SuiteTable table({8});
    table.begin(run_of("all_reduce_perf"));
    auto end = judged("ok");
    end.exit_code = code;
    end.failed_checks = failed;
    end.error = std::move(error);
    table.end(end);
    return table.text();
  };

  EXPECT_THAT(outcome(1, 3, {}), HasSubstr("  wrong data\n"));
  EXPECT_THAT(outcome(130, 0, "interrupted by a signal"), HasSubstr("  interrupted\n"));
  EXPECT_THAT(outcome(5, 0, "no call"), HasSubstr("  not available\n"));
  EXPECT_THAT(outcome(4, 0, "rank 1 died"), HasSubstr("# all_reduce "));
  EXPECT_THAT(outcome(4, 0, "rank 1 died"), HasSubstr("  failed\n"));
}

TEST(SuiteTable, SumsUpPairsByTest) {
  SuiteTable table({8});
  table.begin(run_of("p2p_perf"));
  for (const double us : {2.0, 5.0, 3.0}) {
    auto record = example_result(case_of("p2p_latency", 8), {us, 0, 0});
    record.pair = {0, 1};
    table.row({&record, 1});
  }
  table.end(judged(""));

  EXPECT_THAT(table.text(), HasSubstr("# p2p_latency, 8 B: 2.00 to 5.00 us\n"));
}

TEST(SuiteTable, IsEmptyUntilARunHasEnded) {
  SuiteTable table({8});
  EXPECT_TRUE(table.empty());

  table.begin(run_of("all_reduce_perf"));
  table.end(judged("ok"));

  EXPECT_FALSE(table.empty());
}

TEST(SuiteTable, HasNoneOfTheWordsThatParsersLookFor) {
  SuiteTable table({8});
  table.begin(run_of("all_reduce_perf"));
  auto end = judged("ok");
  end.failed_checks = 1;
  table.end(end);

  for (const auto* word : {"bandwidth", "FAILED", "out-of-place", "in-place", "failure"})
    EXPECT_THAT(table.text(), Not(HasSubstr(word)));
}

TEST(ShortSize, IsWhatOneWouldType) {
  EXPECT_EQ(short_size(8), "8");
  EXPECT_EQ(short_size(1500), "1500");
  EXPECT_EQ(short_size(1536), "1536");
  EXPECT_EQ(short_size(64 << 10), "64K");
  EXPECT_EQ(short_size(std::uint64_t{3} << 40), "3T");
  EXPECT_EQ(short_size(0), "0");
}

}  // namespace
}  // namespace linerate
