// The text of each line: keys, order, and what is absent.
#include "record/json_lines.h"

#include "unit/record/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(JsonLine, OfARunIsExactlyThis) {
  EXPECT_EQ(json_line(example_run()),
            R"({"kind":"run","schema":1,"run_id":"r1","study":"s1","repeat":2,)"
            R"("start_time":"2024-05-01T10:00:00Z",)"
            R"("version":"0.1.0","program":"all_reduce_perf","args":["all_reduce_perf","-b","8"],)"
            R"("environment":["NCCL_DEBUG=INFO"],"backend":"host","backend_version":"0.1.0",)"
            R"("transport":"shared memory","tuning":"built in",)"
            R"("emulated":"racks.yaml, 4 nodes","launcher":"threads",)"
            R"("nranks":2,"nnodes":1,"nprocs":1,)"
            R"("nthreads":1,"ngpus":2,"ngroups":1,"settings":{"min_bytes":8,"op":"sum"},)"
            R"("ranks":[{"rank":1,"group":0,"pid":42,"hostname":"node07","node":0,"device":1,)"
            R"("bus_id":"0000:00:00","device_name":"host memory","affinity":"0-3"}],)"
            R"("timing":{"clock_cost_ns":25.0,"clock_resolution_ns":1.0,"barrier_cost_us":0.5,)"
            R"("barrier_least_us":0.4,)"
            R"("clock_error_us":0.25},"init_us":1500.0,"registered_ranks":1,)"
            R"("build":{"commit":"84c4840f1b2a","compiler":"GNU 12.2.0","build_type":"Release",)"
            R"("modules":["mpi","gloo"]},)"
            R"("host":{"kernel":"6.1.0","system":"Debian GNU/Linux 12","governor":"performance",)"
            R"("huge_pages":"madvise","load":0.5},)"
            R"("cpu_model":"CPU","ncores":2,"memory":[{"bytes":65536,"read_gbps":40.0,)"
            R"("write_gbps":20.0,"copy_gbps":30.0,"update_gbps":35.0,"noise":1.25}],)"
            R"("network":[{"node":1,"send_gbps":12.0,"receive_gbps":11.0,"round_trip_us":25.0}]})"
            "\n");
}

TEST(JsonLine, OfAResultIsExactlyThis) {
  EXPECT_EQ(
      json_line(example_record()),
      R"({"kind":"result","run_id":"r1","case":{"collective":"all_reduce","type":"float",)"
      R"("redop":"sum","root":-1,"placement":"in_place","bytes":1024,"count":256,"pair":[0,1]},)"
      R"("group":1,"nranks":2,"nnodes":1,"backend":"host","backend_version":"0.1.0",)"
      R"("transport":"shared memory","window":{"iters":20,"agg":1,"time_us":2.5,)"
      R"("slowest_us":5.0,"cpu_us":1.25,"fault_free_us":2.0,"core_wait_us":[0.0,0.5]},)"
      R"("touched_bytes":40960,)"
      R"("algbw_gbps":0.5,"busbw_gbps":0.75,"ncclmodel_busbw_gbps":2.5,)"
      R"("expected_busbw_gbps":1.5,"expected_low_gbps":0.25,"expected_high_gbps":1.75,)"
      R"("slack":1.5,)"
      R"("bound_by":"memory","efficiency":0.25,"verdict":"ok",)"
      R"("samples_us":{"n":20,"batch":4,"min":1.0,)"
      R"("median":2.0,"mean":2.5,"p95":4.0,"p99":5.0,"max":6.0,"cv":0.2,"ci95_low":1.5,)"
      R"("ci95_high":2.25,"skipped":3},"arrival_skew_us":0.5,"exit_skew_us":0.75,)"
      R"("last_to_last_us":1.75,"beside":{"load":"gemm:512","blocks":15,)"
      R"("call":{"alone_us":10.0,"beside_us":15.0,"slowdown":1.5,"ci95_low":1.4,)"
      R"("ci95_high":1.625},"unit":{"alone_us":100.0,"beside_us":120.0,"slowdown":1.25},)"
      R"("products":{"type":"bfloat16","alone_tflops":650.0,"beside_tflops":520.0}},)"
      R"("wrong":3,)"
      R"("first_wrong":{"rank":1,"index":7,"expected":1.5,"got":-2.0,)"
      R"("expected_bits":"0x3fc00000","got_bits":"0xc0000000","count_per_rank":[[1,3]]},)"
      R"("algorithm":"ring","protocol":"LL128","channels":24,"algorithm_lost":true,)"
      R"("traffic_bytes":[[1024,512],[512,1024]],)"
      R"("copy":{"engine":"ce","row":"host","column":"1","streams":[{"from":"host","to":"gpu1",)"
      R"("by":"gpu1","copies":4,"gbps":55.5}]},"timestamp":"2024-05-01T10:00:01.000Z",)"
      R"("late_us":[0.0,0.5],"wait_us":[0.5,0.0],"transfer_us":[1.5,1.25],"raw_us":[1.0,2.0,6.0]})"
      "\n");
}

TEST(JsonLine, OfAnEndIsExactlyThis) {
  EXPECT_EQ(json_line(example_end()),
            R"({"kind":"end","run_id":"r1","end_time":"2024-05-01T10:00:09Z","exit_code":1,)"
            R"("failed_checks":2,"average_busbw_gbps":12.5,"error":"rank 1 (node07): lost.",)"
            R"("memory_bytes":{"Initialization":1024,"User-Allocated":4096},)"
            R"("network":[{"node":1,"send_gbps":6.0,"receive_gbps":10.0,"round_trip_us":30.0}],)"
            R"("verdict":"low","slack":1.25})"
            "\n");
}

TEST(JsonLine, HoldsTheSlowestOfManyNodes) {
  auto end = example_end();
  end.network.clear();
  for (int node = 0; node < 70; ++node)
    end.network.push_back({.node = node, .send_gbps = 10, .receive_gbps = 100.0 - node});
  end.network[3].send_gbps = 1;

  const auto line = json_line(end);

  EXPECT_THAT(line, HasSubstr(R"("network":[{"node":3,"send_gbps":1.0,)"));
  EXPECT_EQ(std::ranges::count(line, '{'), 1 + 1 + 5);  // line, memory, nodes
}

TEST(JsonLine, LeavesOutWhatDoesNotExist) {
  const auto line = json_line(Record{.run_id = "r1"});

  for (const auto* key : {"algorithm", "samples_us", "arrival_skew_us", "wrong", "first_wrong",
                          "pair", "cpu_us", "last_to_last_us", "late_us", "wait_us", "transfer_us",
                          "beside", "raw_us", "timestamp", "transport", "copy", "null"})
    EXPECT_THAT(line, Not(HasSubstr(key)));
}

TEST(JsonLine, LeavesOutNumbersThatAreNotFinite) {
  auto record = example_record();
  record.algbw_gbps = kInfinity;
  record.busbw_gbps = std::numeric_limits<double>::quiet_NaN();
  record.where->first.got = -kInfinity;

  const auto line = json_line(record);

  EXPECT_THAT(line, Not(HasSubstr("algbw_gbps")));
  EXPECT_THAT(line, Not(HasSubstr("\"busbw_gbps\"")));
  EXPECT_THAT(line, Not(HasSubstr("verdict")));
  EXPECT_THAT(line, Not(HasSubstr("\"got\"")));
  EXPECT_THAT(line, HasSubstr("\"got_bits\""));
}

TEST(JsonLine, KeepsPlacesInArraysWithNull) {
  auto record = example_record();
  record.samples->raw_us = {1, kInfinity, 3};

  EXPECT_THAT(json_line(record), HasSubstr(R"("raw_us":[1.0,null,3.0])"));
}

TEST(JsonLine, HasOneLineEndWhateverTheTextHolds) {
  auto run = example_run();
  run.args = {"a\nb", "c\r\x01", "\xff\xfe"};
  run.settings.push_back({"broken", "{not json\n"});

  const auto line = json_line(run);

  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_TRUE(nlohmann::json::accept(line));
}

TEST(JsonLine, WritesNumbersWithoutTheRoundingOfBinaryFractions) {
  auto record = example_record();
  record.algbw_gbps = 0.1 + 0.2;
  record.busbw_gbps = 0.11922749999999999;
  record.window.time_us = 1234567.891;
  record.samples->raw_us = {0.008160000000000006};

  const auto line = json_line(record);

  EXPECT_THAT(line, HasSubstr(R"("algbw_gbps":0.3,"busbw_gbps":0.1192275,)"));
  EXPECT_THAT(line, HasSubstr(R"("time_us":1234567.891,)"));
  EXPECT_THAT(line, HasSubstr(R"("raw_us":[0.00816])"));
}

TEST(JsonLine, WritesAllDigitsOfWrongData) {
  auto record = example_record();
  record.where->first.got = 0.1 + 0.2;

  const auto read = nlohmann::json::parse(json_line(record));

  EXPECT_EQ(read["first_wrong"]["got"].get<double>(), 0.1 + 0.2);
}

TEST(JsonLine, ListsLatenessOfUpTo64Ranks) {
  auto record = example_record();
  record.samples->late_us.assign(64, 0.5);

  const auto read = nlohmann::json::parse(json_line(record));

  EXPECT_EQ(read["late_us"].size(), 64u);
}

TEST(JsonLine, CondensesLatenessOfMoreRanksToTheWorstFiveAndQuantiles) {
  auto record = example_record();
  record.samples->late_us.clear();
  for (int rank = 0; rank < 100; ++rank) record.samples->late_us.push_back(rank % 50);

  const auto late = nlohmann::ordered_json::parse(json_line(record))["late_us"];

  EXPECT_EQ(late.dump(), R"({"worst":[[49,49.0],[99,49.0],[48,48.0],[98,48.0],[47,47.0]],)"
                         R"("median":24.5,"p95":47.0,"p99":49.0,"max":49.0})");
}

TEST(JsonLine, CondensesWrongCountsOfMoreThan64Ranks) {
  auto record = example_record();
  record.where->count_per_rank.clear();
  for (int rank = 0; rank < 65; ++rank) record.where->count_per_rank.emplace_back(rank, rank + 1);

  const auto where = nlohmann::json::parse(json_line(record))["first_wrong"];

  EXPECT_EQ(where["wrong_ranks"], 65);
  EXPECT_EQ(where["count_per_rank"].dump(), "[[64,65],[63,64],[62,63],[61,62],[60,61]]");
}

TEST(JsonLine, BeginsWithItsKind) {
  EXPECT_THAT(json_line(RunInfo{}), StartsWith(R"({"kind":"run","schema":1,)"));
  EXPECT_THAT(json_line(Record{}), StartsWith(R"({"kind":"result",)"));
  EXPECT_THAT(json_line(EndInfo{}), StartsWith(R"({"kind":"end",)"));
}

}  // namespace
}  // namespace linerate
