// nccl-tests' table, whole and by columns.
#include "output/table_text.h"

#include "unit/output/examples.h"
#include "unit/output/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace linerate {
namespace {

// Of the golden tables: two hours east of Greenwich.
const bool kZoneIsSet = ::setenv("TZ", "UTC-2", 1) == 0;

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string table(const RunInfo& run, const TableOptions& options,
                  const std::vector<std::vector<Record>>& rows, const EndInfo& end) {
  auto text = table_heading(run, options);
  for (const auto& row : rows) text += table_row(row, options);
  return text + table_footer(end, run.program, options);
}

std::vector<std::string> tokens_of(const std::string& row) {
  std::istringstream stream(row);
  return {std::istream_iterator<std::string>(stream), {}};
}

const Rate kSlow{.time_us = 1.5, .algbw_gbps = 0.005, .busbw_gbps = 0.005};
const Rate kFast{.time_us = 5321.4, .algbw_gbps = 12.611, .busbw_gbps = 12.611};

SampleInfo samples_of(double min, double max, double p99, double cv) {
  SampleInfo samples;
  samples.us = {.n = 20, .min = min, .p99 = p99, .max = max, .cv = cv};
  return samples;
}

TEST(Table, OfADefaultRunIsTheGoldenOne) {
  EXPECT_EQ(table(two_ranks(), doubling(8, 67108864),
                  {row_of(all_reduce_of(8), kSlow, kSlow),
                   row_of(all_reduce_of(67108864), kFast, {5400, 12.427, 12.427})},
                  clean_end(6.26175)),
            golden("all_reduce.txt"));
}

TEST(Footer, NamesARegistrationWithoutEffect) {
  const auto footer = [](std::optional<int> registered) {
    TableOptions options;
    options.local_register = 2;
    options.nranks = 8;
    options.registered_ranks = registered;
    return table_footer(clean_end(1), "all_reduce_perf", options);
  };

  EXPECT_THAT(footer(3), HasSubstr("# Collective test concluded: all_reduce_perf\n"
                                   "# Registered           : the buffers of 3 of 8 ranks; for "
                                   "the rest NCCL took -R 2 and did nothing ("));
  EXPECT_EQ(footer(8), footer(std::nullopt));
  EXPECT_THAT(footer(8), Not(HasSubstr("Registered")));
}

TEST(Table, WithEveryLineThatAnOptionAddsIsTheGoldenOne) {
  auto options = doubling(1024, 4096);
  options.json_path = "out.json.0";
  options.max_bytes_lowered = true;
  options.step_factor = 1;
  options.blocking = 1;
  options.parallel_init = true;
  options.timestamps = true;
  options.cputime = true;
  options.unalign = 3;
  options.min_bw_gbps = 10;
  auto row = row_of(all_reduce_of(1024), kSlow, kSlow);
  row[0].window.cpu_us = 0.25;
  row[1].wrong = 12;
  auto end = clean_end(0.005);
  end.failed_checks = 1;
  end.memory_bytes = {
      {"Initialization", 0}, {"User-Allocated", 3u << 20}, {"Collective", 12884901888}};

  EXPECT_EQ(table(two_ranks(), options, {row}, end), golden("every_option.txt"));
}

TEST(Table, WithPerIterationColumnsIsTheGoldenOne) {
  auto options = doubling(1024, 2048);
  options.per_iter = true;
  options.per_iter_skip = 2;
  options.blocking = 3;
  options.timestamps = true;
  auto row = row_of(all_reduce_of(1024), kSlow, kSlow);
  row[0].samples = samples_of(1.25, 120.5, 99.123, 0.0312);
  row[1].samples = samples_of(1.5, 12345.6, 1234567.8, 1.25);

  EXPECT_EQ(table(two_ranks(), options, {row}, clean_end(0.005)), golden("per_iter.txt"));
}

TEST(Table, OfACollectiveThatIsNotCheckedInPlaceIsTheGoldenOne) {
  auto run = two_ranks();
  run.program = "alltoall_perf";
  CaseInfo what{.collective = "all_to_all",
                .type = "bfloat16",
                .redop = "none",
                .root = -1,
                .bytes = 1048576,
                .count = 262144};
  auto row = row_of(what, {118.7, 8.83, 4.42}, {119.1, 8.8, 4.4});
  row[1].wrong.reset();
  auto unchecked = row_of(what, {118.7, 8.83, 4.42}, {119.1, 8.8, 4.4});
  unchecked[0].wrong.reset();
  unchecked[1].wrong.reset();

  EXPECT_EQ(table(run, doubling(1048576, 1048576), {row, unchecked}, clean_end(4.41)),
            golden("not_checked.txt"));
}

TEST(Table, WidensColumnsForLargeNumbersInsteadOfTakingAnExponent) {
  auto run = two_ranks();
  run.ranks[1].hostname = "a-host-with-a-long-name";
  auto row = row_of(all_reduce_of(1099511627776), {123456789.2, 1234567.8, 1234567.8},
                    {98765432.1, 7654321.2, 7654321.2});
  row[0].wrong = 123456789;

  EXPECT_EQ(table(run, doubling(8, 1099511627776), {row}, clean_end(4444444.5)),
            golden("wide.txt"));
}

// nccl-tests' spans: first and last character of each of the 13 columns.
TEST(TableRow, PutsNumbersWhereNcclTestsDoes) {
  struct Column {
    std::size_t first, last;
    std::string_view text;
  };
  const auto row = table_row(row_of(all_reduce_of(1024), {12.34, 1.5, 2.25}, {56.78, 3.5, 4.75}),
                             doubling(8, 1024));

  for (const Column column : {Column{0, 11, "1024"},
                              {14, 25, "256"},
                              {28, 35, "float"},
                              {38, 43, "sum"},
                              {46, 51, "-1"},
                              {54, 60, "12.34"},
                              {63, 68, "1.50"},
                              {71, 76, "2.25"},
                              {79, 84, "0"},
                              {87, 93, "56.78"},
                              {96, 101, "3.50"},
                              {104, 109, "4.75"},
                              {112, 117, "0"}}) {
    const auto cell = row.substr(column.first, column.last - column.first + 1);
    EXPECT_THAT(cell, EndsWith(std::string(column.text)));
    EXPECT_EQ(cell.find_first_not_of(' '), cell.size() - column.text.size()) << column.text;
  }
  EXPECT_EQ(row.size(), 119u);
}

TEST(TableRow, IsFollowedByTheRanksTrafficWhereItIsListed) {
  auto records = row_of(all_reduce_of(4096), {2, 2.05, 1.02}, {2, 2.05, 1.02});
  records[0].traffic_bytes = {{4096, 1024}, {1024, 4096}};

  const auto text = table_row(records, doubling(8, 4096));

  EXPECT_THAT(text, EndsWith("# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY:\n"
                             "#   rank=0 send_bytes=4096 recv_bytes=1024 alg_bw=2.048 "
                             "bus_bw=1.024\n"
                             "#   rank=1 send_bytes=1024 recv_bytes=4096 alg_bw=2.048 "
                             "bus_bw=1.024\n"));
}

TEST(TableRow, IsOneCharacterShorterPerMissingCheck) {
  auto row = row_of(all_reduce_of(1024), {1, 1, 1}, {1, 1, 1});
  const auto checked = table_row(row, doubling(8, 8));
  row[0].wrong.reset();

  const auto unchecked = table_row(row, doubling(8, 8));

  EXPECT_EQ(unchecked.substr(77, 7), "    N/A");
  EXPECT_EQ(unchecked.substr(84), checked.substr(85));
}

TEST(TableRow, Keeps13TokensWhenOnePlacementWasNotMeasured) {
  const auto both = row_of(all_reduce_of(1024), {1, 2, 3}, {4, 5, 6});

  const auto out_only = tokens_of(table_row(std::span(both).first(1), doubling(8, 8)));
  const auto in_only = tokens_of(table_row(std::span(both).last(1), doubling(8, 8)));

  EXPECT_EQ(out_only, (std::vector<std::string>{"1024", "256", "float", "sum", "-1", "1.00", "2.00",
                                                "3.00", "0", "0.00", "0.00", "0.00", "N/A"}));
  EXPECT_EQ(in_only[5], "0.00");
  EXPECT_EQ(in_only[11], "6.00");
}

TEST(TableRow, BeginsWithABlankWhateverTheSize) {
  for (const std::uint64_t bytes : {0ull, 99999999999ull, 137438953472ull, 1ull << 61})
    EXPECT_EQ(table_row(row_of(all_reduce_of(bytes), kSlow, kSlow), doubling(8, 8))[0], ' ');
}

TEST(TableRow, PrintsNoneForAnEmptyOperator) {
  auto what = all_reduce_of(8);
  what.redop = "";

  EXPECT_EQ(tokens_of(table_row(row_of(what, kSlow, kSlow), doubling(8, 8)))[3], "none");
}

TEST(TableRow, Has21TokensWithPerIterationTimesAnd2MoreWithTimestamps) {
  auto options = doubling(8, 8);
  options.per_iter = true;
  const auto row = row_of(all_reduce_of(8), kSlow, kSlow);

  EXPECT_EQ(tokens_of(table_row(row, options)).size(), 21u);
  options.timestamps = true;
  EXPECT_EQ(tokens_of(table_row(row, options)).size(), 23u);
}

TEST(TableHeading, NamesTheAdditiveStep) {
  auto options = doubling(8, 64);
  options.step_factor = 1;
  options.step_bytes = 16;

  EXPECT_THAT(table_heading(two_ranks(), options), HasSubstr("step: 16(bytes)"));
}

TEST(TableHeading, TellsTheOtherBlockingMode) {
  auto options = doubling(8, 64);
  options.blocking = 2;

  EXPECT_THAT(
      table_heading(two_ranks(), options),
      HasSubstr("\n# Blocking Enabled: wait after each inner iteration (-m), no barrier \n"));
}

TEST(BesideLine, HasBothSlowDowns) {
  auto record = row_of(all_reduce_of(8), kSlow, kSlow).front();
  EXPECT_THAT(beside_line(record), HasSubstr("8  out_of_place  not measured"));
  record.beside = {.load = "gemm:512",
                   .blocks = 15,
                   .call = {10, 15, 1.5, 1.4, 1.625},
                   .unit = {.alone_us = 100, .beside_us = 120, .ratio = 1.2}};

  EXPECT_EQ(tokens_of(beside_line(record)),
            (std::vector<std::string>{"#", "8", "out_of_place", "10.00", "15.00", "1.50x", "(1.40",
                                      "to", "1.62)", "100.00", "120.00", "1.20x"}));
}

TEST(BesideLine, SaysWhatProductsReach) {
  auto record = row_of(all_reduce_of(8), kSlow, kSlow).front();
  record.beside = {
      .load = "gemm:512",
      .products = ProductInfo{.type = "bfloat16", .alone_tflops = 650.25, .beside_tflops = 512.5}};
  auto without = record;
  without.beside->products.reset();

  EXPECT_THAT(beside_line(record), HasSubstr("1.00x                     650.250     512.500\n"));
  EXPECT_THAT(beside_line(without), HasSubstr("1.00x\n"));
  const auto heading = beside_heading("gemm:512", "bfloat16");
  EXPECT_THAT(heading, HasSubstr("# Beside gemm:512: "));
  EXPECT_THAT(heading, HasSubstr(" A unit is a product of bfloat16 matrices.\n"));
  EXPECT_EQ(tokens_of(heading.substr(0, heading.size() - 1)).back(), "calls");
  EXPECT_THAT(heading, HasSubstr("slow-down                 TFLOP/s  with calls\n"));
  EXPECT_THAT(beside_heading("memory:64M", ""), HasSubstr("with calls  slow-down\n"));
}

TEST(TableFooter, JudgesTheAverageOnlyAgainstALimit) {
  TableOptions options;
  const auto average_line = [&](double average) {
    const auto text = table_footer(clean_end(average), "p", options);
    const auto begin = text.find("# Avg");
    return text.substr(begin, text.find('\n', begin) - begin);
  };

  EXPECT_EQ(average_line(90), "# Avg bus bandwidth    : 90 ");
  options.min_bw_gbps = 100;
  EXPECT_EQ(average_line(90), "# Avg bus bandwidth    : 90 OK");
  EXPECT_EQ(average_line(89.9), "# Avg bus bandwidth    : 89.9 FAILED");
}

TEST(TableFooter, SaysZeroWhenNothingWasMeasured) {
  EXPECT_THAT(table_footer(EndInfo{}, "p", {}), HasSubstr("# Avg bus bandwidth    : 0 \n"));
}

TEST(TableFooter, EndsInTheErrorOnOneLine) {
  EndInfo end;
  end.error = "rank 3 (node07):\nlost.";

  EXPECT_THAT(table_footer(end, "p", {}), EndsWith("#\n# error: rank 3 (node07): lost.\n"));
}

TEST(TableFooter, KeepsReservedWordsOfAnErrorOffStdout) {
  for (const auto* word :
       {"low bandwidth", "it FAILED", "out-of-place", "in-place", "Test failure"}) {
    EndInfo end;
    end.error = word;

    const auto text = table_footer(end, "p", {});

    EXPECT_THAT(text.substr(text.find("concluded")), Not(HasSubstr(word)));
  }
}

}  // namespace
}  // namespace linerate
