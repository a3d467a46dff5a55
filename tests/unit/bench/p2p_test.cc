// All pairs of ranks on the fake backend's clock: which records there are, and what they hold.
#include "base/error.h"
#include "bench/run.h"
#include "support/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using testing::ElementsAre;

constexpr std::size_t kLarge = 20'000;  // bytes: 2 us at the fake's 10 GB/s
constexpr double kLatencyUs = 5;

struct P2p {
  std::vector<Record> records;
  RunTotals totals;
};

P2p measured(const FakeOptions& fake, int nranks = 3) {
  P2p run;
  const RunEvents events{.begin = [](const RunStart&) {},
                         .results =
                             [&](std::span<Record> records, const RunTotals&) {
                               run.records.insert(run.records.end(), records.begin(),
                                                  records.end());
                             },
                         .row = [](std::span<Record>) {}};
  BenchConfig config = bench_config({.iters = 4});
  config.min_bytes = 8;
  config.max_bytes = kLarge;
  run_rank_contexts({.nranks = nranks, .fake = fake, .config = config},
                    [&](RankContext& rank, const BenchConfig& of_rank) {
                      const auto totals = run_p2p(rank, of_rank, {}, events);
                      if (rank.is_first()) run.totals = totals;
                    });
  return run;
}

const Record& record_of(const P2p& run, std::string_view test, int source, int dest) {
  for (const auto& record : run.records)
    if (record.what.collective == test && record.pair == std::pair{source, dest}) return record;
  throw Error("the pair was not tested");
}

TEST(P2pRun, HasEachPairsLatencyBothWaysAndBothAtOnce) {
  const auto two = measured({}, 2);

  std::vector<std::string> tests;
  for (const auto& record : two.records) tests.push_back(record.what.collective);
  EXPECT_THAT(tests, ElementsAre("p2p_latency", "p2p_unidirectional", "p2p_unidirectional",
                                 "p2p_bidirectional"));
  EXPECT_EQ(measured({}).records.size(), 3U * 4U);
}

TEST(P2pRun, HalvesTheRoundTripAndAddsUpBothWays) {
  const auto all = measured({});

  EXPECT_NEAR(record_of(all, "p2p_latency", 0, 2).window.time_us, kLatencyUs, 0.01);
  EXPECT_NEAR(record_of(all, "p2p_latency", 0, 2).samples->us.median, kLatencyUs, 0.01);
  const auto& one_way = record_of(all, "p2p_unidirectional", 2, 1);
  EXPECT_DOUBLE_EQ(one_way.window.time_us, kLatencyUs + 2);
  EXPECT_DOUBLE_EQ(one_way.algbw_gbps, 20 / 7.0);
  const auto& both = record_of(all, "p2p_bidirectional", 1, 2);
  EXPECT_DOUBLE_EQ(both.window.time_us, kLatencyUs + 2);
  EXPECT_DOUBLE_EQ(both.busbw_gbps, 2 * 20 / 7.0);
}

TEST(P2pRun, KnowsWhatASlowLinkWouldTakeWithoutItsFault) {
  const auto all = measured({.slow_links = {{.a = 0, .b = 1, .factor = 0.5}}});

  const auto& slow = record_of(all, "p2p_unidirectional", 1, 0).window;
  EXPECT_DOUBLE_EQ(slow.time_us, kLatencyUs + 4);
  EXPECT_DOUBLE_EQ(slow.fault_free_us.value(), kLatencyUs + 2);
  EXPECT_DOUBLE_EQ(record_of(all, "p2p_unidirectional", 0, 2).window.time_us, kLatencyUs + 2);
}

// Every call of rank 2 has a wrong bit.
TEST(P2pRun, CountsTheTestsWhoseDataIsWrongAndSaysWhere) {
  const auto all = measured({.flips = {{.rank = 2}}});

  EXPECT_EQ(record_of(all, "p2p_unidirectional", 0, 1).wrong, 0U);
  const auto& wrong = record_of(all, "p2p_unidirectional", 0, 2);
  EXPECT_GT(wrong.wrong.value(), 0U);
  EXPECT_EQ(wrong.where.value().rank, 2);
  EXPECT_EQ(all.totals.failed_checks, 6U) << "rank 2 receives in half of the twelve tests";
}

}  // namespace
}  // namespace linerate
