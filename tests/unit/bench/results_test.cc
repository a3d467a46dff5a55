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

TEST(ResultsOf, ExpectTheTimeWithoutWhatTheThreadsLost) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};

  const auto results = results_of(measurement_with_losses(), {}, facts, {{0, 1}});

  ASSERT_TRUE(results.table.expected);
  EXPECT_DOUBLE_EQ(efficiency(results.table), 40.0 / 60);
  EXPECT_EQ(verdict_of(results.table), Verdict::low);
}

TEST(ResultsOf, ExpectNothingWhereAThreadDoesNotTellOrNobodyAsks) {
  const RunFacts facts{.infos = {rank_of(0, 0), rank_of(1, 0)}};
  auto m = measurement_with_losses();
  BenchConfig unasked;
  unasked.expects = false;

  EXPECT_FALSE(results_of(m, unasked, facts, {{0, 1}}).table.expected);
  m.thread_times[1].lost_ns.reset();
  EXPECT_FALSE(results_of(m, {}, facts, {{0, 1}}).table.expected);
}

TEST(ResultsOf, JudgeTheRowOfSeveralGroupsByItsWorst) {
  const RunFacts facts{.infos = {rank_of(0, 7), rank_of(1, 9), rank_of(2, 7), rank_of(3, 9)}};
  auto m = measurement_with_losses();
  m.thread_times.push_back({.elapsed_ns = 20'000, .lost_ns = 0});
  m.thread_times.push_back({.elapsed_ns = 40'000, .lost_ns = 25'000});

  const auto results = results_of(m, {}, facts, {{0, 1, 2, 3}, {0, 2}, {1, 3}});

  EXPECT_DOUBLE_EQ(efficiency(results.groups[0]), 35.0 / 40);
  EXPECT_DOUBLE_EQ(efficiency(results.groups[1]), 40.0 / 80);
  EXPECT_DOUBLE_EQ(efficiency(results.table), 40.0 / 80);
}

// Knows of groups alone: one reaches 0.4 of its bound or as much as it is given, and is low below
// 0.5; the other one 0.3, and is not low.
class GroupExpecter final : public Expecter {
 public:
  explicit GroupExpecter(double reached = 0.4) : reached_(reached) {}
  std::optional<Expectation> of(const SizedCase&) const override { return Expectation{1, "x"}; }
  std::vector<std::optional<Expectation>> of_groups(const GroupedCase& what) const override {
    asked_calls_ = what.calls;
    return {Expectation{.busbw_gbps = what.groups[0].busbw_gbps / reached_, .low_below = 0.5},
            Expectation{.busbw_gbps = what.groups[1].busbw_gbps / 0.3, .low_below = 0.2}};
  }
  std::uint64_t asked_calls() const { return asked_calls_; }

 private:
  double reached_;
  mutable std::uint64_t asked_calls_ = 0;
};

Results results_of_groups(const GroupExpecter& expecter) {
  const RunFacts facts{.infos = {rank_of(0, 7), rank_of(1, 9), rank_of(2, 7), rank_of(3, 9)},
                       .expecter = &expecter};
  auto m = measurement_of("all_reduce");
  m.group_windows.resize(2);  // of 5 calls each
  m.samples.emplace_back(10, 1);
  m.samples.emplace_back(10, 1);
  return results_of(m, {}, facts, {{0, 1}, {0}, {1}});
}

// Else nobody would see that a bound is wrong.
TEST(ResultsOf, TellAGroupAboveItsBoundBeforeOneThatIsWell) {
  EXPECT_DOUBLE_EQ(efficiency(results_of_groups(GroupExpecter(2)).table), 2);
}

TEST(ResultsOf, JudgeGroupsByWhatAllOfThemDid) {
  const GroupExpecter expecter;

  const auto results = results_of_groups(expecter);

  EXPECT_DOUBLE_EQ(efficiency(results.groups[1]), 0.3);
  EXPECT_DOUBLE_EQ(efficiency(results.table), 0.4);
  EXPECT_EQ(verdict_of(results.table), Verdict::low);
  EXPECT_EQ(expecter.asked_calls(), 5u);
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
