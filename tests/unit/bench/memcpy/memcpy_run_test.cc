// Figures, statistics, verification and warnings of memcpy_perf, from made-up times.
#include "bench/memcpy/memcpy_run.h"

#include "unit/bench/memcpy/made_up_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kBytes = std::size_t{64} << 20;  // four rounds

struct Ran {
  std::vector<Record> records{};
  std::vector<std::string> warnings{};
  std::map<CopyCell, double> cells{};
  MemcpyTotals totals{};
  std::vector<std::vector<std::uint64_t>> asked{};
  std::optional<Error> error{};
};

Ran run(std::string_view name, MadeUp made_up, CopyRepeat repeat = {}) {
  if (repeat.bytes == 0) repeat.bytes = kBytes;
  MadeUpBench bench(std::move(made_up));
  const auto tests = find_copy_tests(name, true);
  CopyPlace place{.reach = [&](int a, int b) { return bench.reach_each_other(a, b); }};
  for (int g = 0; g < bench.gpus(); ++g) place.gpus.push_back(g);
  const std::vector plans{plan_of(*tests->front(), place)};
  Ran ran;
  const MemcpyEvents events{
      .result = [&](const Record& record) { ran.records.push_back(record); },
      .matrix = [&](const CopyPlan&, const auto& cells) { ran.cells = cells; },
      .warn = [&](const std::string& text) { ran.warnings.push_back(text); },
      .interrupted = [&] { return !repeat.check && bench.asked.size() >= 20; }};
  try {
    ran.totals = run_memcpy(bench, plans, repeat, Record{.run_id = "r"}, events);
  } catch (const Error& error) {
    ran.error = error;
  }
  ran.asked = bench.asked;
  return ran;
}

TEST(MemcpyRun, DividesTheBytesByTheInterval) {
  const auto ran = run("h2d_ce", {.gpus = 1});

  ASSERT_EQ(ran.records.size(), 1u);
  EXPECT_DOUBLE_EQ(ran.records[0].busbw_gbps, 10);
  EXPECT_DOUBLE_EQ(ran.records[0].algbw_gbps, 10);
  EXPECT_DOUBLE_EQ(ran.records[0].window.time_us, static_cast<double>(kBytes) / 1e4);
  EXPECT_EQ(ran.records[0].window.agg, 4);
  EXPECT_EQ(ran.records[0].samples->us.n, 16u);
  EXPECT_EQ(ran.records[0].wrong, 0u);
  EXPECT_EQ(ran.asked.size(), 17u);  // one of them to warm up
}

TEST(MemcpyRun, AddsBothDirectionsOverOneInterval) {
  const auto ran = run("host_bidir_ce", {.gpus = 1});

  EXPECT_DOUBLE_EQ(ran.records.at(0).busbw_gbps, 20);
  EXPECT_EQ(ran.records[0].copy->streams.size(), 2u);
}

TEST(MemcpyRun, KeepsTheFasterDirectionBusyToTheEnd) {
  const auto gbps = [](const CopyStream& stream) { return stream.to == kHostEnd ? 10.0 : 20.0; };

  const auto ran = run("host_bidir_ce", {.gpus = 1, .gbps = gbps});

  EXPECT_THAT(ran.asked.at(0), ElementsAre(4u, 4u));
  EXPECT_THAT(ran.asked.at(1), ElementsAre(8u, 4u));
  EXPECT_DOUBLE_EQ(ran.records.at(0).busbw_gbps, 30);
  EXPECT_DOUBLE_EQ(ran.records[0].copy->streams[0].gbps, 20);
  EXPECT_THAT(ran.warnings, IsEmpty());
}

TEST(MemcpyRun, WarnsWhereOneDirectionEndsEarly) {
  const auto gbps = [](const CopyStream& stream) { return stream.to == kHostEnd ? 10.0 : 20.0; };

  const auto ran = run("host_bidir_ce", {.gpus = 1, .gbps = gbps}, {.warmup_iters = 0});

  EXPECT_DOUBLE_EQ(ran.records.at(0).busbw_gbps, 20);  // what the definition says, and no more
  ASSERT_EQ(ran.warnings.size(), 1u);
  EXPECT_THAT(ran.warnings[0], HasSubstr("ended after 50 % of the interval (n=16)"));
}

TEST(MemcpyRun, CountsReadsAndWritesWithinOneMemory) {
  const auto ran = run("local_ce", {.gpus = 1});

  EXPECT_DOUBLE_EQ(ran.records.at(0).algbw_gbps, 10);
  EXPECT_DOUBLE_EQ(ran.records[0].busbw_gbps, 20);
  EXPECT_THAT(ran.cells, ElementsAre(std::pair{CopyCell{0, 0}, 20.0}));
}

TEST(MemcpyRun, WritesThePairIntoBothCellsWhereItIsOneMeasurement) {
  const auto ran = run("d2d_bidir_read_ce", {.gpus = 2});

  EXPECT_EQ(ran.records.size(), 1u);
  EXPECT_EQ(ran.records[0].pair, std::pair(0, 1));
  EXPECT_THAT(ran.cells,
              ElementsAre(std::pair{CopyCell{0, 1}, 20.0}, std::pair{CopyCell{1, 0}, 20.0}));
}

TEST(MemcpyRun, GivesEachGpuItsShareWhereAllRunAtOnce) {
  const auto gbps = [](const CopyStream& stream) { return stream.to == 0 ? 10.0 : 5.0; };

  const auto ran = run("host_to_all_ce", {.gpus = 2, .gbps = gbps});

  ASSERT_EQ(ran.records.size(), 2u);
  EXPECT_DOUBLE_EQ(ran.cells.at({0, 0}), 10);
  EXPECT_DOUBLE_EQ(ran.cells.at({0, 1}), 5);
  EXPECT_EQ(ran.records[1].group, 1);
}

TEST(MemcpyRun, LeavesCellsOutThatCannotBeMeasured) {
  const auto ran = run("d2d_read_ce", {.gpus = 3, .apart = {0, 2}});

  EXPECT_EQ(ran.cells.size(), 4u);
  EXPECT_FALSE(ran.cells.contains({0, 2}));
}

TEST(MemcpyRun, FindsWrongDataAndNamesWhere) {
  const auto ran = run("host_bidir_ce", {.gpus = 1, .wrong_stream = 1});

  EXPECT_EQ(ran.totals.failed_checks, 1u);
  EXPECT_EQ(ran.records.at(0).wrong, 1u);
  EXPECT_EQ(ran.records[0].where->rank, kHostEnd);
  ASSERT_EQ(ran.warnings.size(), 1u);
  EXPECT_THAT(ran.warnings[0],
              HasSubstr("gpu0 -> host: the first of 1 wrong 64-bit elements is 7"));
}

TEST(MemcpyRun, ReportsTheMedianAndWarnsOfAWideSpreadOnce) {
  const auto ran = run("h2d_ce", {.gpus = 2, .slower = {1, 1, 1.5, 1}}, {.iters = 8});

  EXPECT_DOUBLE_EQ(ran.records.at(0).busbw_gbps, 10);
  EXPECT_NEAR(ran.records[0].samples->us.max / ran.records[0].samples->us.min, 1.5, 1e-9);
  ASSERT_EQ(ran.warnings.size(), 1u);
  EXPECT_THAT(ran.warnings[0], HasSubstr("50 % of the median (n=8)"));
}

// The second measurement is cut short, and not told.
TEST(MemcpyRun, StopsBetweenSamples) {
  const auto ran = run("h2d_ce", {.gpus = 3}, {.check = false});

  EXPECT_EQ(ran.asked.size(), 20u);
  EXPECT_EQ(ran.cells.size(), 1u);

  EXPECT_TRUE(ran.totals.interrupted);
  EXPECT_EQ(ran.records.size(), 1u);
  EXPECT_EQ(ran.records[0].wrong, std::nullopt);
}

TEST(MemcpyRun, ShowsWhatItMeasuredBeforeAGpuHangsAndNamesTheTest) {
  const auto ran = run("h2d_ce", {.gpus = 3, .hangs_at = 5}, {.iters = 2});

  ASSERT_TRUE(ran.error);
  EXPECT_EQ(ran.error->exit_code(), ExitCode::lost);
  EXPECT_STREQ(ran.error->what(), "h2d_ce, host -> gpu1, 67108864 bytes: It hangs.");
  EXPECT_EQ(ran.records.size(), 1u);
  EXPECT_THAT(ran.cells, ElementsAre(std::pair{CopyCell{0, 0}, 10.0}));
}

TEST(RoundsFor, MovesAFewHundredMegabytes) {
  const std::vector<CopyStream> one{{kHostEnd, 0, 0, CopyEngine::ce}};

  EXPECT_EQ(rounds_for(16, one), 32u);
  EXPECT_EQ(rounds_for(std::size_t{16} << 20, one), 16u);
  EXPECT_EQ(rounds_for(std::size_t{4} << 30, one), 4u);
}

// Streams of a GPU may share one queue, which takes about 1024 pieces of work.
TEST(RoundsFor, LeavesRoomInTheQueueOfAGpuWithManyStreams) {
  constexpr int kGpus = 16;
  const auto slow = [](const CopyStream& stream) { return stream.from == 1 ? 1.0 : 1000.0; };

  const auto ran =
      run("into_one_read_ce", {.gpus = kGpus, .gbps = slow}, {.bytes = 16, .iters = 1});

  for (const auto& copies : ran.asked)
    EXPECT_LE(std::accumulate(copies.begin(), copies.end(), 0u), 512u);
}

TEST(RoundsFor, DoesNotCountThreadsOfTheHost) {
  const std::vector<CopyStream> threads(64, {kHostEnd, kHostEnd, kHostEnd, CopyEngine::cpu});

  EXPECT_EQ(rounds_for(16, threads), 32u);
}

}  // namespace
}  // namespace linerate
