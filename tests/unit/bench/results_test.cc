// Times of threads become one time, and times become bandwidths.
#include "bench/results.h"

#include "record/verdict.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(CombineUs, FollowsTheAverageAskedFor) {
  const std::vector<double> threads{4, 1, 7};

  EXPECT_DOUBLE_EQ(combine_us(threads, Average::rank0), 4);
  EXPECT_DOUBLE_EQ(combine_us(threads, Average::mean), 4);
  EXPECT_DOUBLE_EQ(combine_us(threads, Average::min), 1);
  EXPECT_DOUBLE_EQ(combine_us(threads, Average::max), 7);
}

RankInfo rank_of(int rank, int group) {
  return {.rank = rank, .group = group, .hostname = "h", .node = rank / 2, .device_name = "d"};
}

// Two threads, 10 calls; thread 0 took 20 us, thread 1 took 40 us.
Measurement measurement_of(std::string_view collective) {
  Measurement m{.what = {.collective = find_collective(collective), .bytes = 1024}};
  m.iters = 10;
  m.thread_times = {{.elapsed_ns = 20'000}, {.elapsed_ns = 40'000}};
  m.samples.emplace_back(10, 2);
  return m;
}

TEST(ResultsOf, DivideTheWindowByItsCalls) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};
  const auto m = measurement_of("all_reduce");

  const auto results = results_of(m, {}, facts, {{0, 1}});

  EXPECT_DOUBLE_EQ(results.table.window.time_us, 3.0);
  EXPECT_DOUBLE_EQ(results.table.algbw_gbps, 1024 / 3.0 / 1e3);
  EXPECT_DOUBLE_EQ(results.table.busbw_gbps, results.table.algbw_gbps);  // 2 (n-1)/n = 1
  EXPECT_EQ(results.groups.size(), 1u);
  EXPECT_FALSE(results.table.wrong.has_value());
}

TEST(ResultsOf, HoldTheMedianSkewsAndTheMeanLateness) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};
  auto m = measurement_of("all_reduce");
  auto& reduction = m.samples.front();
  for (const double us : {1.0, 2.0, 6.0}) {
    reduction.time_us.add(10 * us);
    reduction.arrival_skew_us.add(us);
    reduction.exit_skew_us.add(2 * us);
    reduction.last_to_last_us.add(4 * us);
  }
  reduction.late_us_sum = {3, 9};
  reduction.wait_us_sum = {9, 0};
  reduction.transfer_us_sum = {6, 30};

  const auto samples = results_of(m, {}, facts, {{0, 1}}).table.samples.value();

  EXPECT_DOUBLE_EQ(samples.us.median, 20);
  EXPECT_DOUBLE_EQ(samples.arrival_skew_us.value(), 2);
  EXPECT_DOUBLE_EQ(samples.exit_skew_us.value(), 4);
  EXPECT_DOUBLE_EQ(samples.last_to_last_us.value(), 8);
  EXPECT_EQ(samples.late_us, (std::vector<double>{1, 3}));
  EXPECT_EQ(samples.wait_us, (std::vector<double>{3, 0}));
  EXPECT_EQ(samples.transfer_us, (std::vector<double>{2, 10}));
}

TEST(ResultsOf, GiveEachGroupItsOwnThreadsAndTheTableAllOfThem) {
  const RunFacts facts{.infos = {rank_of(0, 7), rank_of(1, 9)}};
  auto m = measurement_of("all_reduce");
  m.samples.emplace_back(10, 1);
  m.samples.emplace_back(10, 1);

  const auto results = results_of(m, {}, facts, {{0, 1}, {0}, {1}});

  ASSERT_EQ(results.groups.size(), 2u);
  EXPECT_EQ(results.groups[0].group, 7);
  EXPECT_DOUBLE_EQ(results.groups[0].window.time_us, 2.0);
  EXPECT_DOUBLE_EQ(results.groups[1].window.time_us, 4.0);
  EXPECT_EQ(results.groups[1].nranks, 1);
  EXPECT_DOUBLE_EQ(results.table.window.time_us, 3.0);
}

// Thread 0 lost 5 of its 20 us, thread 1 15 of its 40.
Measurement measurement_with_losses() {
  auto m = measurement_of("all_reduce");
  m.thread_times[0].lost_ns = 5'000;
  m.thread_times[1].lost_ns = 15'000;
  m.samples.emplace_back(10, 1);
  m.samples.emplace_back(10, 1);
  return m;
}

TEST(ResultsOf, HoldTheSlowestTimeWithoutWhatFaultsCost) {
  const RunFacts facts{.infos = {rank_of(0, 7), rank_of(1, 9)}};

  const auto results = results_of(measurement_with_losses(), {}, facts, {{0, 1}, {0}, {1}});

  EXPECT_DOUBLE_EQ(results.table.window.fault_free_us.value(), 2.5);
  EXPECT_DOUBLE_EQ(results.groups[0].window.fault_free_us.value(), 1.5);
  EXPECT_DOUBLE_EQ(results.groups[1].window.fault_free_us.value(), 2.5);
}

TEST(ResultsOf, HoldNoFaultFreeTimeWhereAThreadDoesNotKnowIt) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};
  auto m = measurement_with_losses();
  m.thread_times[1].lost_ns.reset();

  EXPECT_FALSE(results_of(m, {}, facts, {{0, 1}}).table.window.fault_free_us);
}

// Thread 1 waited for 15 of its 40 us.
TEST(ResultsOf, HoldWhatEachThreadWaitedForItsCore) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};
  auto m = measurement_of("all_reduce");
  m.thread_times[1].core_wait_ns = 15'000;
  EXPECT_TRUE(results_of(m, {}, facts, {{0, 1}}).table.window.core_wait_us.empty());

  m.thread_times[0].core_wait_ns = 0;
  EXPECT_EQ(results_of(m, {}, facts, {{0, 1}}).table.window.core_wait_us,
            (std::vector<double>{0, 1.5}));
}

// Whatever -a shows: 10 calls took the slower thread 40 us.
TEST(ResultsOf, HoldTheTimeOfTheSlowestRank) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};

  for (const auto average : {Average::rank0, Average::mean, Average::min, Average::max}) {
    BenchConfig config;
    config.average = average;
    const auto table = results_of(measurement_of("all_reduce"), config, facts, {{0, 1}}).table;

    EXPECT_DOUBLE_EQ(table.window.slowest_us, 4.0);
    EXPECT_DOUBLE_EQ(slowest_busbw_gbps(table), 1024 / 4.0 / 1e3);
  }
}

TEST(ResultsOf, NameTheFirstWrongRankAndCountEachRank) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};
  auto m = measurement_of("all_reduce");
  m.checked = true;
  m.checks = {{.rank = 0},
              {.rank = 1, .wrong = 3, .first = {.index = 17}},
              {.rank = 0},
              {.rank = 1, .wrong = 1, .first = {.index = 5}}};

  const auto results = results_of(m, {}, facts, {{0, 1}});

  EXPECT_EQ(results.table.wrong, 4u);
  ASSERT_TRUE(results.table.where.has_value());
  EXPECT_EQ(results.table.where->rank, 1);
  EXPECT_EQ(results.table.where->first.index, 17u);
  ASSERT_EQ(results.table.where->count_per_rank.size(), 1u);
  EXPECT_EQ(results.failed_checks, 2u);
}

}  // namespace
}  // namespace linerate
