// Other programs' formats, old and new, decorated and damaged.
#include "compare/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate {
namespace {

using ::testing::HasSubstr;

// The form of nccl-tests 2.17; all_reduce on two ranks.
constexpr const char* kHeadings =
    "#                        out-of-place                       in-place\n"
    "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
    "#   (B)  (elements)                (us)  (GB/s) (GB/s)         (us)  (GB/s) (GB/s)\n";

// The form of nccl-tests 2.17; all_reduce on two ranks.
const std::string kTable =
    std::string(R"(# Collective test starting: all_reduce_perf
# nThread 1 nGpus 2 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 1 iters: 20 )") +
    R"(agg iters: 3 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   6136 on     nodea device  0 [0000:18:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   6136 on     nodea device  1 [0000:2a:00] NVIDIA H100 80GB HBM3
#
)" + kHeadings +
    R"(   1024   256   float   sum   -1    11.50   0.09   0.09   0   10.25   0.10   0.10   0
NCCL INFO a line of the library's own
   2048   512   float   sum   -1  1.2e+07   0.17   0.17   2   12.00   0.17   0.17   N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.13
)";

// With this line for the first row.
std::string replaced_row(const std::string& row) {
  const auto begin = kTable.find("   1024");
  return kTable.substr(0, begin) + row + kTable.substr(kTable.find('\n', begin) + 1);
}

RunFile read(const std::string& text) {
  auto file = read_runs("file", text);
  EXPECT_TRUE(file) << (file ? "" : file.sentence());
  return file ? *std::move(file) : RunFile{};
}

std::string refusal(const std::string& text) {
  const auto file = read_runs("file", text);
  return file ? "none" : file.sentence();
}

TEST(NcclTestsText, GivesBothPlacementsOfEachRow) {
  const auto file = read(kTable);

  ASSERT_EQ(file.runs.size(), 1u);
  ASSERT_EQ(file.records.size(), 4u);
  const auto& first = file.records[0];
  EXPECT_EQ(first.what.collective, "all_reduce");
  EXPECT_EQ(first.what.type, "float");
  EXPECT_EQ(first.what.redop, "sum");
  EXPECT_EQ(first.what.root, -1);
  EXPECT_EQ(first.what.bytes, 1024u);
  EXPECT_EQ(first.what.placement, Placement::out_of_place);
  EXPECT_DOUBLE_EQ(first.window.time_us, 11.5);
  EXPECT_EQ(file.records[1].what.placement, Placement::in_place);
  EXPECT_DOUBLE_EQ(file.records[1].window.time_us, 10.25);
  EXPECT_DOUBLE_EQ(file.records[2].window.time_us, 1.2e7);
  EXPECT_EQ(file.records[2].wrong, 1u);
  EXPECT_FALSE(file.records[3].wrong);
}

TEST(ReadRuns, KnowsACopyOfATextFromAnotherRun) {
  const auto id = [](const std::string& name, const std::string& text) {
    return read_runs(name, text)->runs.at(0).run_id;
  };
  auto other = kTable;
  other.replace(other.find("11.50"), 5, "11.51");

  EXPECT_EQ(id("x.txt", kTable), id("copy.txt", kTable));
  EXPECT_NE(id("x.txt", kTable), id("y.txt", other));
  const auto twice = read(kTable + kTable);
  EXPECT_EQ(twice.runs.at(0).run_id, twice.runs.at(1).run_id);
}

TEST(ReadRuns, TakesFewEqualNumbersForChance) {
  const std::string barrier = "# OSU MPI Barrier Latency Test v7.0\n# Avg Latency(us)\n 1.25\n";

  EXPECT_NE(read_runs("x.txt", barrier)->runs.at(0).run_id,
            read_runs("y.txt", barrier)->runs.at(0).run_id);
  const auto twice = read(barrier + barrier);
  EXPECT_NE(twice.runs.at(0).run_id, twice.runs.at(1).run_id);
}

TEST(NcclTestsText, KnowsRanksDevicesAndOptions) {
  const auto run = read(kTable).runs.at(0);

  EXPECT_EQ(run.nranks, 2);
  EXPECT_EQ(run.ranks.at(1).hostname, "nodea");
  EXPECT_EQ(run.ranks.at(1).device_name, "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(run.settings.size(), 5u);
  EXPECT_EQ(run.settings[1].name, "max_bytes");
  EXPECT_EQ(run.settings[1].json, "2048");
  EXPECT_EQ(run.settings[4].name, "agg_iters");
  EXPECT_EQ(run.settings[4].json, "3");
}

TEST(NcclTestsText, TakesEachTableForARun) {
  const auto file = read(kTable + kTable + kTable);

  EXPECT_EQ(file.runs.size(), 3u);
  EXPECT_EQ(file.records.size(), 12u);
  EXPECT_EQ(file.records.back().run_id, file.runs.back().run_id);
}

TEST(NcclTestsText, TakesATableBehindAnAverageForAnotherRun) {
  const auto end = kTable.find("# Out of");
  const auto file = read(kTable + kHeadings + kTable.substr(kTable.find("   1024"), end) +
                         "1024 is the number of elements, they say, and this is no row of it\n");

  EXPECT_EQ(file.runs.size(), 2u);
  EXPECT_TRUE(file.runs.back().ranks.empty());
  EXPECT_EQ(file.records.size(), 8u);
  EXPECT_TRUE(file.bad_lines.empty());
}

TEST(NcclTestsText, ReadsThroughTheMarksOfLaunchers) {
  std::string tagged, labelled;
  for (std::size_t at = 0; at < kTable.size();) {
    const auto end = kTable.find('\n', at) + 1;
    tagged += "[1,0]<stdout>:" + kTable.substr(at, end - at);
    labelled += " 0: " + kTable.substr(at, end - at);
    at = end;
  }

  EXPECT_EQ(read(tagged).records.size(), 4u);
  EXPECT_EQ(read(labelled).records.size(), 4u);
}

TEST(NcclTestsText, ReadsBlankCellsOfOldVersions) {
  const auto file = read(
      "#                                             out-of-place                in-place\n"
      "#       size         count    type     time   algbw   busbw  error     time  algbw  busbw  "
      "error\n"
      "        1024           256   float    11.50    0.09    0.09  2e-07    10.25   0.10   0.10  "
      "N/A\n");

  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.records[0].what.type, "float");
  EXPECT_EQ(file.records[0].what.redop, "none");
  EXPECT_DOUBLE_EQ(file.records[1].window.time_us, 10.25);
  EXPECT_FALSE(file.records[0].wrong);  // an error is not a count
}

TEST(NcclTestsText, FindsTimesAmongFurtherColumns) {
  const auto file = read(
      "#   out-of-place  in-place\n"
      "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% "
      "time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp\n"
      " 64 16 half max 3 5.00 1.0 2.0 0 4.0 9.0 8.0 3.5 6.00 1.0 2.0 0 4.0 9.0 8.0 3.5 "
      "2026-01-01 12:00:00\n");

  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.records[0].what.root, 3);
  EXPECT_EQ(file.records[0].what.type, "half");
  EXPECT_DOUBLE_EQ(file.records[0].window.time_us, 5);
  EXPECT_DOUBLE_EQ(file.records[1].window.time_us, 6);
}

TEST(NcclTestsText, OfRcclMayHaveOnePlacement) {
  const auto file = read(
      "rccl-tests: Version abc\n"
      "#           in-place\n"
      "# size count type redop root time algbw busbw #wrong\n"
      " 64 16 float sum -1 5.00 1.0 2.0 0\n");

  ASSERT_EQ(file.records.size(), 1u);
  EXPECT_EQ(file.records[0].what.placement, Placement::in_place);
}

// The form of rccl-tests of 2021.
const std::string kOldRccl =
    "# nThread: 1 nGpus: 1 minBytes: 8 maxBytes: 4096 step: 2(factor) warmupIters: 5 iters: 20 "
    "validation: 1\n"
    "#   Rank  0 Pid 106347 on nodea device  0 [0000:c9:00.0] Device 738c\n"
    "# size count type redop time algbw busbw error time algbw busbw error\n"
    " 64 16 float sum 5.00 1.0 2.0 0e+00 6.00 1.0 2.0 0e+00\n"
    "# Out of bounds values : 0 OK\n";

TEST(NcclTestsText, KnowsTheOptionsOfOldRccl) {
  const auto run = read(kOldRccl).runs.at(0);

  ASSERT_EQ(run.settings.size(), 4u);
  EXPECT_EQ(run.settings[1].name, "max_bytes");
  EXPECT_EQ(run.settings[1].json, "4096");
  EXPECT_EQ(run.settings[2].name, "warmup_iters");
  EXPECT_EQ(run.settings[2].json, "5");
  EXPECT_EQ(read(kOldRccl + kOldRccl).runs.size(), 2u);
}

TEST(NcclTestsText, WithoutACountOfWrongDataIsJudgedByItsLastLines) {
  auto wrong = kOldRccl;
  wrong.replace(wrong.find("0 OK"), 4, "2 FAILED");

  EXPECT_FALSE(read(kOldRccl).records.back().wrong.has_value());
  EXPECT_EQ(read(wrong).records.back().wrong, 1u);
}

TEST(NcclTestsText, KnowsTheAverageAndLinesThatAreNoRows) {
  const auto file = read(replaced_row("   1024   256   float   sum   -1    11.50   0.09\n"));

  ASSERT_EQ(file.ends.size(), 1u);
  EXPECT_EQ(file.ends[0].run_id, file.runs[0].run_id);
  EXPECT_DOUBLE_EQ(file.ends[0].average_busbw_gbps.value(), 0.13);
  ASSERT_EQ(file.bad_lines.size(), 1u);
  EXPECT_EQ(file.bad_lines[0].number, 11u);
  EXPECT_EQ(file.records.size(), 2u);
}

TEST(NcclTestsText, KnowsTheVersionOfTheLibrary) {
  const auto run =
      read("# nccl-tests version 2.19.6 nccl-headers=22903 nccl-library=22807\n" + kTable)
          .runs.at(0);

  EXPECT_EQ(run.nccl_version, 22807);
}

TEST(NcclTestsText, KnowsWhyARunFailed) {
  const std::string line = "node1: Test NCCL failure common.cu:958 'unhandled system error'";
  const auto file = read(kTable + line + "\n .. node1 pid 7: Test failure common.cu:842\n");

  ASSERT_EQ(file.ends.size(), 1u);
  EXPECT_EQ(file.ends[0].error, line);
  EXPECT_EQ(failure_line("NCCL INFO x\n" + line + "\nmore"), line);
  EXPECT_EQ(failure_line(kTable), "");
}

TEST(NcclTestsText, WithoutItsLastLinesHasNoEnd) {
  EXPECT_TRUE(read(kTable.substr(0, kTable.find("# Out of"))).ends.empty());
}

TEST(NcclTestsText, RefusesAHeadingWithoutRows) {
  EXPECT_THAT(refusal("# size count type redop root time algbw busbw #wrong\n"),
              HasSubstr("no row"));
}

TEST(NcclTestsText, HasLimits) {
  const ImportLimits few{.line_bytes = 200, .rows = 1};
  EXPECT_THAT(read_nccl_tests_text(kTable, few).sentence(), HasSubstr("a row more"));
  EXPECT_THAT(read_nccl_tests_text("# algbw" + std::string(300, 'x'), few).sentence(),
              HasSubstr("Line 1 is longer"));
  EXPECT_THAT(read_runs("file", kTable, {.bytes = 10}).sentence(),
              HasSubstr("at most 10 B are read"));
}

const std::string kReport = R"({"version": 3, "args": ["/opt/all_reduce_perf", "-g", "2"],
 "config": {"nthreads": 1, "ngpus": 2, "minimum_bytes": 8, "maximum_bytes": 4096, "iterations": 20,
  "devices": [{"rank": 0, "pid": 7, "hostname": "a"}]},
 "results": [{"size": 4096, "count": 1024, "type": "float", "redop": "sum", "root": "    -1",
  "out_of_place": {"time": 12.5, "alg_bw": 1, "bus_bw": 2, "nwrong": 0},
  "out_of_place_per_iter": {"min_us": 11, "p50_us": 12},
  "in_place": {"time": 13.5, "alg_bw": 1, "bus_bw": 2, "nwrong": null}}]})";

TEST(NcclTestsJson, GivesBothPlacements) {
  const auto file = read(kReport);

  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.runs[0].nranks, 2);
  EXPECT_EQ(file.records[0].what.collective, "all_reduce");
  EXPECT_EQ(file.records[0].what.root, -1);
  EXPECT_DOUBLE_EQ(file.records[0].window.time_us, 12.5);
  ASSERT_TRUE(file.records[0].samples);
  EXPECT_DOUBLE_EQ(file.records[0].samples->us.median, 12);
  EXPECT_FALSE(file.records[1].samples);
}

TEST(NcclTestsJson, RefusesWhatIsNone) {
  EXPECT_THAT(refusal("{\"a\": inf}"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("{\"a\": 1}"), HasSubstr("neither"));
  EXPECT_THAT(refusal("{\"results\": []}"), HasSubstr("no result"));
  EXPECT_THAT(refusal("{\"results\": [7, {\"out_of_place\": 8}]}"), HasSubstr("no result"));
}

TEST(OsuText, GivesLatencyInMicroseconds) {
  const auto file = read(
      "\n# OSU MPI Allreduce Latency Test v7.1\n# Datatype: MPI_CHAR.\n"
      "# Size       Avg Latency(us)   Min Latency(us)\n"
      "4                       1.25              0.50\n1048576               312.00            "
      "300.00\n");

  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.records[0].what.collective, "MPI Allreduce Latency Test");
  EXPECT_EQ(file.records[0].what.bytes, 4u);
  EXPECT_DOUBLE_EQ(file.records[0].window.time_us, 1.25);
}

TEST(OsuText, TurnsBandwidthIntoTime) {
  const auto file = read(
      "# OSU MPI Bandwidth Test v7.1\n# Size      Bandwidth (MB/s)\n"
      "1000                 500.00\n");

  ASSERT_EQ(file.records.size(), 1u);
  EXPECT_DOUBLE_EQ(file.records[0].window.time_us, 2);  // 1000 B at 500 B/us
  EXPECT_DOUBLE_EQ(file.records[0].busbw_gbps, 0.5);
}

TEST(OsuText, OfBarriersHasNoSize) {
  const auto file = read(
      "# OSU MPI Barrier Latency Test v7.1\n# Avg Latency(us)\n"
      "             3.25\n");

  ASSERT_EQ(file.records.size(), 1u);
  EXPECT_EQ(file.records[0].what.bytes, 0u);
  EXPECT_DOUBLE_EQ(file.records[0].window.time_us, 3.25);
}

// The form of OSU 7 with -c, on a device, of two types.
constexpr const char* kOsuValidated =
    "\n# OSU MPI-CUDA Allreduce Latency Test v7.4\n# Datatype: MPI_INT.\n"
    "# Size       Avg Latency(us)        Validation\n"
    "4                       1.25              Pass\n"
    "# Datatype: MPI_FLOAT.\n"
    "# Size       Avg Latency(us)        Validation\n"
    "4                       1.50              Fail\n";

TEST(OsuText, SaysWhichResultsAreWrong) {
  const auto file = read(kOsuValidated);

  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.records[0].wrong, 0u);
  EXPECT_EQ(file.records[1].wrong, 1u);
}

TEST(OsuText, KnowsTypesAndVersion) {
  const auto file = read(kOsuValidated);

  ASSERT_EQ(file.records.size(), 2u);
  EXPECT_EQ(file.records[0].what.type, "MPI_INT");
  EXPECT_EQ(file.records[1].what.type, "MPI_FLOAT");
  EXPECT_EQ(file.runs[0].version, "OSU 7.4");
}

TEST(OsuText, KeepsWhatTheHeadingSaysOfBuffersAndWindows) {
  const auto file = read(
      "# OSU MPI-CUDA Bandwidth Test v7.4\n# Datatype: MPI_CHAR.\n"
      "# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n# Window size: 64\n"
      "# Size      Bandwidth (MB/s)\n1000   500.00\n");

  ASSERT_EQ(file.runs[0].settings.size(), 1u);
  EXPECT_EQ(file.runs[0].settings[0].name, "heading");
  EXPECT_EQ(file.runs[0].settings[0].json,
            R"("Send Buffer on DEVICE (D) and Receive Buffer on HOST (H); Window size: 64")");
}

TEST(ReadRuns, RefusesOtherTextWithTheChoices) {
  EXPECT_THAT(refusal("hello\n"), HasSubstr("OSU micro-benchmarks"));
  EXPECT_THAT(refusal(""), HasSubstr("'file'"));
  EXPECT_THAT(refusal("{\"kind\":\"run\",\"run_id\":\"1\"}\n"), HasSubstr("no result"));
}

// The form of perftest 24; --report_gbits changes the bandwidths alone.
std::string perftest_json(const std::string& test, const std::string& results) {
  return "{\n\"test_info\": {\n\"test\": \"" + test +
         "\",\n\"Device\": \"mlx5_0\",\n\"Number_of_qps\": 4\n},\n\"results\": {\n" + results +
         "}\n}\n";
}

TEST(Perftest, IsInMebibytesOrGigabitsByItsRateOfMessages) {
  const std::string head = R"("MsgSize": 65536, "n_iterations": 5000, "BW_peak": 1, )";
  for (const auto* average : {"23400.00", "196.29"}) {
    const auto file =
        read_runs("x", perftest_json("RDMA_Write_BW_Test", head + R"("BW_average": )" + average +
                                                               R"(, "MsgRate": 0.374400)"));
    ASSERT_TRUE(file) << file.sentence();
    ASSERT_EQ(file->records.size(), 1U);
    const auto& record = file->records[0];
    EXPECT_EQ(record.what.collective, "ib_write_bw");
    EXPECT_EQ(record.what.bytes, 65536U);
    EXPECT_NEAR(record.busbw_gbps, 24.536, 0.01);
    EXPECT_NEAR(record.window.time_us, 65536 / 24536.0, 0.01);
  }
}

TEST(Perftest, HasPercentilesOfLatency) {
  const auto file = read_runs(
      "x", perftest_json("Send_Latency_Test",
                         R"("MsgSize": 2, "n_iterations": 1000, "t_min": 0.9, "t_max": 9.5,
                            "t_typical": 1.1, "t_avg": 1.2, "t_stdev": 0.1, "percentile_99": 2.5,
                            "percentile_99.9": 5.5)"));

  ASSERT_TRUE(file) << file.sentence();
  const auto& record = file->records.at(0);
  EXPECT_EQ(record.what.collective, "ib_send_lat");
  EXPECT_EQ(record.window.time_us, 1.2);
  EXPECT_EQ(record.samples->us.median, 1.1);
  EXPECT_EQ(record.samples->us.p99, 2.5);
  EXPECT_EQ(file->runs.at(0).settings.at(1).name, "Number_of_qps");
}

TEST(Perftest, IsRefusedWithoutAResult) {
  EXPECT_THAT(read_runs("x", perftest_json("x", "")).sentence(), HasSubstr("It holds no result"));
  EXPECT_THAT(read_runs("x", "{\"test_info\": 1}").sentence(), HasSubstr("no JSON of perftest"));
}

}  // namespace
}  // namespace linerate
