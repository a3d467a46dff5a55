// The -J report: nccl-tests' shape, always valid.
#include "output/nccl_tests_json.h"

#include "base/error.h"
#include "record/verdict.h"
#include "support/folder.h"
#include "unit/output/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>

namespace linerate {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;

// Times in the report are local; a fixed zone makes them known.
class NcclTestsJsonTest : public ::testing::Test {
 protected:
  NcclTestsJsonTest() {
    ::setenv("TZ", "UTC-2", 1);
    ::tzset();
  }

  Json report_of(const RunInfo& run, const std::vector<std::vector<Record>>& rows,
                 const EndInfo& end) {
    auto sink = *NcclTestsJson::open(folder_.path("report.json"));
    sink->set_options(options_);
    sink->begin(run);
    for (const auto& row : rows) sink->row(row);
    sink->end(end);
    return Json::parse(folder_.read("report.json"));
  }

  TemporaryFolder folder_;
  TableOptions options_ = doubling(8, 1024);
  const std::vector<Record> row_ = row_of(all_reduce_of(8), {1.5, 2, 3}, {2.5, 4, 5});
};

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST_F(NcclTestsJsonTest, HasTheKeysOfVersion3InTheirOrder) {
  const auto report = report_of(two_ranks(), {row_}, clean_end(1));

  EXPECT_THAT(keys_of(report), ElementsAre("version", "start_time", "args", "env", "nccl_version",
                                           "config", "results", "out_of_bounds",
                                           "average_bus_bandwidth", "errors", "end_time"));
  EXPECT_THAT(keys_of(report["config"]),
              ElementsAre("nthreads", "ngpus", "minimum_bytes", "maximum_bytes", "step_factor",
                          "warmup_iters", "iterations", "aggregated_iterations", "validation",
                          "graph", "blocking_collectives", "per_iter_timing", "per_iter_skip",
                          "parallel_init", "devices"));
  EXPECT_THAT(keys_of(report["results"][0]),
              ElementsAre("size", "count", "type", "redop", "root", "out_of_place", "in_place",
                          "actual_iterations", "experiment_name"));
}

TEST_F(NcclTestsJsonTest, TakesTheValuesOfTheRun) {
  auto end = clean_end(12.5);
  end.failed_checks = 2;

  const auto report = report_of(two_ranks(), {row_, row_}, end);

  EXPECT_EQ(report["version"], 3);
  EXPECT_EQ(report["start_time"], "2024-05-01 12:00:00");
  EXPECT_EQ(report["end_time"], "2024-05-01 12:00:09");
  EXPECT_EQ(report["env"].dump(), R"(["NCCL_DEBUG=INFO"])");
  EXPECT_EQ(report["config"]["blocking_collectives"], "false");
  EXPECT_EQ(report["config"]["maximum_bytes"], 1024);
  EXPECT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["results"][1]["root"], "    -1");
  EXPECT_EQ(report["results"][1]["out_of_place"].dump(),
            R"({"time":1.5,"alg_bw":2.0,"bus_bw":3.0,"nwrong":0})");
  EXPECT_EQ(report["results"][1]["in_place"]["bus_bw"], 5.0);
  EXPECT_EQ(report["results"][1]["actual_iterations"], 20);
  EXPECT_EQ(report["out_of_bounds"].dump(), R"({"count":2,"okay":"false"})");
  EXPECT_EQ(report["average_bus_bandwidth"].dump(), R"({"bandwidth":12.5,"okay":"unchecked"})");
  EXPECT_EQ(report["errors"].dump(), R"([""])");
}

TEST_F(NcclTestsJsonTest, SaysWhatWasJudged) {
  auto row = row_;
  row[0].expected = band_below(4, 0.5, "memory");
  auto end = clean_end(1);
  end.verdict = "ok";
  end.slack = 1.5;
  end.findings = {{.rule = "unstable_machine",
                   .severity = Severity::info,
                   .subject = "memory",
                   .evidence = "changed by a factor of 1.5 during the run",
                   .advice = "measure again",
                   .confidence = 0.5}};

  const auto report = report_of(two_ranks(), {row}, end);

  const auto& judged = report["results"][0]["out_of_place"];
  EXPECT_EQ(judged["expected_bus_bw"], 4.0);
  EXPECT_EQ(judged["expected_low_bus_bw"], row[0].expected->low_gbps);
  EXPECT_EQ(judged["expected_high_bus_bw"], row[0].expected->high_gbps);
  EXPECT_EQ(judged["verdict"], "ok");
  EXPECT_FALSE(report["results"][0]["in_place"].contains("verdict"));
  EXPECT_EQ(report["linerate"].dump(),
            R"({"verdict":"ok","slack":1.5,"findings":[{"rule":"unstable_machine",)"
            R"("severity":"info","subject":"memory",)"
            R"("evidence":"changed by a factor of 1.5 during the run",)"
            R"("advice":"measure again","confidence":0.5}]})");
}

TEST_F(NcclTestsJsonTest, ListsTheDeviceOfEveryRank) {
  const auto report = report_of(two_ranks(), {}, clean_end(0));

  ASSERT_EQ(report["config"]["devices"].size(), 2u);
  EXPECT_EQ(report["config"]["devices"][1].dump(),
            R"({"rank":1,"group":0,"pid":4243,"hostname":"node07","device":1,)"
            "\"device_hex\":\"0000:00:00\",\"device_info\":\"host memory (Example CPU)\"}");
}

TEST_F(NcclTestsJsonTest, WritesNullForWhatDoesNotExist) {
  auto row = row_;
  row[0].algbw_gbps = std::numeric_limits<double>::infinity();
  row[0].busbw_gbps = std::numeric_limits<double>::quiet_NaN();
  row[0].wrong.reset();
  row.pop_back();

  const auto report = report_of(two_ranks(), {row}, clean_end(1));

  EXPECT_TRUE(report["results"][0]["out_of_place"]["alg_bw"].is_null());
  EXPECT_TRUE(report["results"][0]["out_of_place"]["bus_bw"].is_null());
  EXPECT_TRUE(report["results"][0]["out_of_place"]["nwrong"].is_null());
  EXPECT_TRUE(report["results"][0]["in_place"].is_null());
}

TEST_F(NcclTestsJsonTest, NamesEnqueueTimeAndAdditiveSteps) {
  options_.cputime = true;
  options_.step_factor = 1;
  auto row = row_;
  row[0].window.cpu_us = 0.25;

  const auto report = report_of(two_ranks(), {row}, clean_end(1));

  EXPECT_EQ(report["results"][0]["out_of_place"]["cpu_time"], 0.25);
  EXPECT_FALSE(report["config"].contains("step_factor"));
  EXPECT_EQ(report["config"]["step_bytes"], 1048576);
}

TEST_F(NcclTestsJsonTest, AddsTimesOfIterationsAndOfProcesses) {
  options_.per_iter = true;
  auto row = row_;
  row[0].samples.emplace();
  row[0].samples->us = {.n = 2,
                        .min = 1,
                        .median = 2,
                        .mean = 2.5,
                        .p95 = 4,
                        .p99 = 5,
                        .max = 6,
                        .stdev = 0.5,
                        .cv = 0.25};
  row[0].samples->skipped = 1;
  row[0].samples->raw_us = {1, 6};
  row[0].samples->per_process_us = {{1, 5}, {0.5, 6}};

  const auto report = report_of(two_ranks(), {row}, clean_end(1));

  EXPECT_EQ(report["results"][0]["out_of_place_per_iter"].dump(),
            R"({"skipped_iterations":1,"min_us":1.0,"max_us":6.0,"avg_us":2.5,"p50_us":2.0,)"
            R"("p95_us":4.0,"p99_us":5.0,"stdev_us":0.5,"cv_pct":25.0,"times_us":[1.0,6.0],)"
            R"("per_process_max_times_us":[[1.0,5.0],[0.5,6.0]]})");
  EXPECT_FALSE(report["results"][0].contains("in_place_per_iter"));
}

TEST_F(NcclTestsJsonTest, JudgesTheAverageAgainstALimit) {
  options_.min_bw_gbps = 10;

  EXPECT_EQ(report_of(two_ranks(), {}, clean_end(9))["average_bus_bandwidth"]["okay"], "true");
}

TEST_F(NcclTestsJsonTest, IsValidWhenTheRunFailedBeforeItBegan) {
  auto sink = *NcclTestsJson::open(folder_.path("report.json"));

  sink->end(EndInfo{.error = "rank 3 is lost.\n\xff"});

  const auto report = Json::parse(folder_.read("report.json"));
  EXPECT_EQ(report["results"].size(), 0u);
  EXPECT_EQ(report["errors"].size(), 1u);
}

TEST_F(NcclTestsJsonTest, IsValidAtAnyMomentAndSaysThatTheRunHasNotEnded) {
  auto sink = *NcclTestsJson::open(folder_.path("report.json"));
  const auto written = [&] { return Json::parse(folder_.read("report.json")); };

  EXPECT_EQ(written()["results"].size(), 0u);
  sink->begin(two_ranks());
  EXPECT_EQ(written()["config"]["devices"].size(), 2u);
  for (std::size_t rows = 1; rows <= 3; ++rows) {
    sink->row(row_);
    EXPECT_EQ(written()["results"].size(), rows);
    EXPECT_EQ(written()["out_of_bounds"]["okay"], "false");
    EXPECT_NE(written()["errors"][0], "");
  }
  sink->end(clean_end(1));

  EXPECT_EQ(written()["results"].size(), 3u);
  EXPECT_EQ(written()["out_of_bounds"]["okay"], "true");
  EXPECT_EQ(written()["errors"][0], "");
}

// The file may not grow beyond `bytes`.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);  // as the program does
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(NcclTestsJsonTest, StaysValidWhenTheDiskIsFull) {
  auto sink = *NcclTestsJson::open(folder_.path("report.json"));
  sink->begin(two_ranks());
  sink->row(row_);
  const auto size = folder_.read("report.json").size();

  {
    const FileLimit limit(size + 20);
    EXPECT_THROW(sink->row(row_), SystemError);
    EXPECT_NO_THROW(sink->end(clean_end(1)));
  }

  EXPECT_EQ(Json::parse(folder_.read("report.json"))["results"].size(), 1u);
}

TEST_F(NcclTestsJsonTest, LeavesNoFileWhereThereIsNoRoomForOne) {
  const FileLimit limit(10);

  EXPECT_THROW((void)NcclTestsJson::open(folder_.path("report.json")), SystemError);

  EXPECT_FALSE(std::filesystem::exists(folder_.path("report.json")));
}

TEST_F(NcclTestsJsonTest, TakesTheNextFreeNameAndTellsIt) {
  folder_.write("report.json", "{}");

  const auto sink = *NcclTestsJson::open(folder_.path("report.json"));

  EXPECT_EQ(sink->path(), folder_.path("report.json.0"));
}

}  // namespace
}  // namespace linerate
