// Damaged files in every layout: what is found, and that healthy ones give nothing.
#include "example.h"

namespace linerate::results {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string tagged(const std::string& text, std::string_view mark) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at) + 1;
    out += std::string(mark) + text.substr(at, end - at);
    at = end;
  }
  return out;
}

std::string json_report(double average, int wrong, const std::string& error) {
  return fmt::format(
      R"({{"version": 3, "args": ["all_reduce_perf"], "config": {{"nthreads": 1, "ngpus": 8,
 "maximum_bytes": 1048576, "devices": [{{"rank": 0, "pid": 7, "hostname": "a",
 "device_info": "NVIDIA H100"}}]}},
 "results": [{{"size": 1048576, "count": 262144, "type": "float", "redop": "sum", "root": "    -1",
  "out_of_place": {{"time": 25, "alg_bw": 41.943040, "bus_bw": 73.400320, "nwrong": {}}},
  "in_place": {{"time": 25, "alg_bw": 41.943040, "bus_bw": 73.400320, "nwrong": 0}}}}],
 "out_of_bounds": {{"count": {}, "okay": "true"}},
 "average_bus_bandwidth": {{"bandwidth": {}, "okay": "unchecked"}}, "errors": ["{}"]}})",
      wrong, wrong, average, error);
}

TEST(HealthyResults, OfEveryLayoutHaveNoFault) {
  for (const auto layout : kLayouts) {
    const auto text = text_of({.layout = layout});
    EXPECT_THAT(faults_in(text), IsEmpty()) << text;
    EXPECT_THAT(faults_in(tagged(text, "[1,0]<stdout>:")), IsEmpty());
    EXPECT_THAT(faults_in(tagged(text, " 0: ")), IsEmpty());
  }
}

TEST(HealthyResults, OfEveryCollectiveHaveNoFault) {
  for (const auto* collective : all_collectives()) {
    if (collective->varies || collective->counted != nullptr) continue;  // algbw is another
    EXPECT_THAT(faults_in(text_of({.program = std::string(collective->binary)})), IsEmpty())
        << collective->name;
  }
}

// all_gather of versions before 2.10 counts what the other ranks have.
TEST(HealthyResults, OfOldVersionsMayCountLess) {
  const std::string table =
      "#   Rank  0 Pid 10 on a device  0 [0x18] V100\n#   Rank  1 Pid 10 on a device  1 [0x2a] "
      "V100\n"
      "#  out-of-place  in-place\n# size count type time algbw busbw error time algbw busbw error\n"
      " 1048576 131072 float 50.00 10.49 10.49 0e+00 50.00 10.49 10.49 0e+00\n"
      " 2097152 262144 float 70.00 14.98 14.98 0e+00 70.00 14.98 14.98 0e+00\n";

  EXPECT_THAT(faults_in(table), IsEmpty());
  EXPECT_THAT(faults_in(replaced(table, "14.98 14.98", "29.96 29.96")),
              ElementsAre("warning wrong-numbers"));
}

TEST(HealthyResults, OfOtherProgramsHaveNoFault) {
  EXPECT_THAT(faults_in(json_report(73.40032, 0, "")), IsEmpty());
  EXPECT_THAT(faults_in("# OSU MPI Allreduce Latency Test v7.1\n# Size  Avg Latency(us)\n"
                        "4  1.25\n1024  2.10\n1048576  312.00\n"),
              IsEmpty());
  EXPECT_THAT(faults_in("#  in-place\n# size count type redop root time algbw busbw #wrong\n"
                        " 1048576 262144 float sum -1 25.00 41.94 73.40 0\n"),
              IsEmpty());
}

TEST(WrongData, ComesFirst) {
  ExampleTable table;
  table.rows[9].wrong = 3;
  table.rows[12].us = 5000;

  const auto findings = found_in(text_of(table));

  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].rule, "wrong-data");
  EXPECT_EQ(findings[0].severity, Severity::problem);
  EXPECT_THAT(findings[0].evidence,
              HasSubstr("1 of 50 results hold wrong data, the first at 4 KiB"));
  EXPECT_THAT(faults_of(findings), Contains("warning slow-sizes"));
}

TEST(WrongData, IsFoundInReportsAndByTheLastLines) {
  EXPECT_THAT(faults_in(json_report(73.40032, 2, "")), ElementsAre("problem wrong-data"));
  EXPECT_THAT(faults_in(replaced(text_of({.layout = Layout::old_error}), "0 OK", "2 FAILED")),
              ElementsAre("problem wrong-data"));
}

TEST(FailedRun, IsNamedByItsLine) {
  auto text = text_of({});
  text.resize(text.find("# Out of bounds"));
  text +=
      "node1: Test NCCL failure common.cu:958 'unhandled cuda error / '\n"
      " .. node1 pid 7: Test failure common.cu:842\n";

  const auto findings = found_in(text);

  ASSERT_THAT(faults_of(findings), ElementsAre("problem failed-run"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("unhandled cuda error"));
  EXPECT_THAT(faults_in(json_report(73.40032, 0, "remote process exited")),
              ElementsAre("problem failed-run"));
}

TEST(FailedRun, OfAnEarlierJobIsNotOfTheNext) {
  EXPECT_THAT(
      faults_in("# nThread 1 nGpus 1\nnode1: Test CUDA failure common.cu:1 'x'\n" + text_of({})),
      IsEmpty());
}

TEST(UnreadableRows, AreCutJoinedOrNoNumbers) {
  for (const auto& row : {"  4096  1024  float  sum  -1  20.02  0.2", "  4096  1024  float",
                          "  4096  1024  float  sum  -1  nan  0.20  0.36  0  20.0  0.20  0.36  0",
                          "  4096  1024  float  sum  -1  20.02  0.20  0.36  0  20.0  0.20  0.36  0 "
                          " 8192  2048  float  sum  -1  20.04  0.41  0.72  0"}) {
    const auto text = text_of({});
    const auto at = text.find("\n  4096") + 1;
    const auto damaged = text.substr(0, at) + row + text.substr(text.find('\n', at));
    EXPECT_THAT(faults_in(damaged), ElementsAre("warning unreadable-rows")) << row;
  }
}

TEST(IncompleteRun, StopsBeforeTheLargestSize) {
  const auto text = text_of({});

  const auto cut = found_in(text.substr(0, text.find("\n  1048576") + 1));
  EXPECT_THAT(faults_of(cut), ElementsAre("warning incomplete-run"));
  EXPECT_THAT(cut[0].evidence, HasSubstr("It stops at 512 KiB of 128 MiB"));
  EXPECT_THAT(faults_in(text.substr(0, text.find("# Out of bounds"))), IsEmpty());
}

TEST(WrongNumbers, AreFoundWhereverTheyStand) {
  const auto text = text_of({});
  const auto begin = text.find("\n  33554432") + 1;
  const auto row = text.substr(begin, text.find('\n', begin) - begin);
  // Size, both times, algbw, busbw of a row.
  for (const auto* number : {"33554432", "183.11", "183.25", "320.68", "186.77", "314.39"}) {
    auto changed = std::string(number);
    changed[0] = changed[0] == '1' ? '4' : '1';
    const auto damaged =
        text.substr(0, begin) + replaced(row, number, changed) + text.substr(begin + row.size());
    EXPECT_THAT(faults_in(damaged), Contains("warning wrong-numbers")) << damaged;
  }
}

TEST(WrongNumbers, NameATimeBelowZero) {
  EXPECT_THAT(faults_in(replaced(text_of({}), "183.11", "-183.11")),
              Contains("warning wrong-numbers"));
}

TEST(WrongNumbers, SayThatRanksAreMissing) {
  const auto text = text_of({.nranks = 3});
  const auto at = text.find("#  Rank  2");

  const auto fewer = text.substr(0, at) + text.substr(text.find('\n', at) + 1);
  EXPECT_TRUE(has_rule(fewer, "wrong-numbers"));
  EXPECT_THAT(faults_in(fewer), IsEmpty());
}

TEST(WrongAverage, ShowsThatARowIsMissing) {
  const auto text = text_of({});
  const auto at = text.find("\n  8388608");

  EXPECT_THAT(faults_in(text.substr(0, at) + text.substr(text.find('\n', at + 1))),
              ElementsAre("warning wrong-average"));
}

TEST(SeparateJobs, ListRankZeroAgain) {
  auto text = text_of({.nranks = 1});
  const auto at = text.find("#  Rank  0");
  const auto line = text.substr(at, text.find('\n', at) + 1 - at);
  text.insert(at, line + line);

  EXPECT_THAT(faults_in(text), ElementsAre("problem separate-jobs"));
}

TEST(OneRank, IsWorthANote) {
  const auto text = text_of({.nranks = 1});

  EXPECT_TRUE(has_rule(text, "one-rank"));
  EXPECT_THAT(faults_in(text), IsEmpty());
}

TEST(ResultRules, HaveAnExampleOfTheirOwnEach) {
  for (const auto& text : rule_texts())
    EXPECT_THAT(text.example, testing::HasSubstr(fmt::format(": {}: ", text.id))) << text.id;
}

}  // namespace
}  // namespace linerate::results
