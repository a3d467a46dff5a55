// What each rule finds, and what findings mean together.
#include "diagnose/diagnose.h"
#include "record/verdict.h"
#include "unit/diagnose/example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace linerate {
namespace {

using testing::HasSubstr;

TEST(Rules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const auto& rule : all_rules()) names.insert(rule.name);

  EXPECT_EQ(names.size(), all_rules().size());
}

TEST(Rules, FindNothingWrongInAHealthyRun) {
  const std::vector<Record> results{result_of(0.5), result_of(1.04)};

  const auto findings = diagnose({.run = {}, .results = results});

  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(overall_verdict(results), "ok");
}

TEST(BelowBound, NamesTheResultThatIsFurthestBelow) {
  const std::vector<Record> results{result_of(0.4), result_of(0.2), result_of(0.9)};

  const auto findings = rules::below_bound({.run = {}, .results = results});

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].subject, "2 of 3 results");
  EXPECT_EQ(findings[0].evidence,
            "1024 B, out of place: got 8 GB/s, expected 40 (0.20), low below 20, bound by memory");
}

TEST(AboveBound, NamesTheResultThatIsFurthestAbove) {
  const std::vector<Record> results{result_of(1.2), result_of(1.1), result_of(0.9)};

  const auto findings = rules::above_bound({.run = {}, .results = results});

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].subject, "2 of 3 results");
  EXPECT_THAT(findings[0].evidence, HasSubstr("(1.20)"));
}

TEST(LateRank, IsTheOneThatTheOthersWaitForInALowResult) {
  auto low = result_of(0.2);
  low.samples = SampleInfo{.late_us = {0, 1, 30, 2}};
  auto even = low;
  even.samples->late_us = {0, 1, 2, 1};
  auto ok = low;
  ok.busbw_gbps = 40;
  const RunInfo on_purpose{.settings = {{"skew", "\"uniform:50us\""}}};

  const auto found = rules::late_rank({.run = {}, .results = {&low, 1}});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "rank 2");
  EXPECT_EQ(found[0].evidence, "comes 30 us after the first");
  EXPECT_TRUE(rules::late_rank({.run = {}, .results = {&even, 1}}).empty());
  EXPECT_TRUE(rules::late_rank({.run = {}, .results = {&ok, 1}}).empty());
  EXPECT_TRUE(rules::late_rank({.run = on_purpose, .results = {&low, 1}}).empty());
}

// All pairs of `nranks` ranks on hosts of `per_node`, one way, as measured.
std::vector<PairTime> pair_times(int nranks, int slow_rank, double factor) {
  std::vector<PairTime> pairs;
  for (int a = 0; a < nranks; ++a)
    for (int b = 0; b < nranks; ++b)
      if (a != b)
        pairs.push_back({.source = a,
                         .dest = b,
                         .one_way = true,
                         .time_us = a == slow_rank || b == slow_rank ? factor : 1});
  return pairs;
}

RunInfo run_of(int nranks) {
  RunInfo run{.run_id = "r1", .nranks = nranks};
  for (int rank = 0; rank < nranks; ++rank) run.ranks.push_back({.rank = rank});
  return run;
}

TEST(SlowComponent, ComparesMeasuredTimesWithTheirLike) {
  const auto run = run_of(4);
  const auto slow = pair_times(4, 2, 3), noisy = pair_times(4, 2, 1.9);

  const auto found = rules::slow_component({.run = run, .pairs = slow});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "rank 2");
  EXPECT_EQ(found[0].evidence, "6 pairs of ranks reach 0.33 of what they should");
  EXPECT_TRUE(rules::slow_component({.run = run, .pairs = noisy}).empty());
}

// A factor that measured times need not be believed is exact where the backend knows what is lost.
TEST(SlowComponent, BelievesFaultFreeTimes) {
  const auto run = run_of(4);
  auto pairs = pair_times(4, 2, 1.5);
  for (auto& pair : pairs) pair.fault_free_us = 1;

  const auto found = rules::slow_component({.run = run, .pairs = pairs});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "rank 2");
}

// One pair alone, by times that noise may have made.
TEST(SlowComponent, DoesNotBelieveAFewMeasuredPairs) {
  const auto run = run_of(4);
  auto pairs = pair_times(4, -1, 1);
  pairs[0].time_us = 10;

  EXPECT_TRUE(rules::slow_component({.run = run, .pairs = pairs}).empty());
}

TEST(SlowComponent, ReadsPairsFromResultsOfPairs) {
  const auto run = run_of(3);
  std::vector<Record> results;
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 0), std::pair(0, 2), std::pair(2, 0),
                             std::pair(1, 2), std::pair(2, 1)}) {
    auto& record = results.emplace_back(result_of(a + b == 3 ? 0.25 : 1, "healthy network"));
    record.what.collective = "p2p_unidirectional";
    record.pair = std::pair(a, b);
  }

  const auto found = rules::slow_component({.run = run, .results = results});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "the link between rank 1 and rank 2");
}

TEST(Findings, SayWhoseTheyAre) {
  const auto run = run_of(2);
  const auto low = result_of(0.2);

  const auto findings = diagnose({.run = run, .results = {&low, 1}});

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "below_bound");
  EXPECT_EQ(findings[0].run_id, "r1");
  EXPECT_EQ(findings[0].confidence, 1);
}

TEST(Findings, AreDoubtedOnAnUnstableMachine) {
  const auto run = run_of(2);
  const auto low = result_of(0.2);

  const auto findings =
      diagnose({.run = run, .results = {&low, 1}, .change = {.factor = 2, .what = "memory"}});

  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "unstable_machine");
  EXPECT_EQ(findings[0].confidence, 1);
  EXPECT_EQ(findings[1].rule, "below_bound");
  EXPECT_EQ(findings[1].confidence, 0.5);
}

TEST(OverallVerdict, IsTheWorstOfAllResults) {
  const auto unsure = widened(result_of(0.4), 2);
  const auto verdict = [](const std::vector<Record>& results) { return overall_verdict(results); };

  EXPECT_EQ(verdict({result_of(0.9), unsure}), "unsure");
  EXPECT_EQ(verdict({unsure, result_of(1.2), result_of(0.9)}), "above");
  EXPECT_EQ(verdict({unsure, result_of(1.2), result_of(0.2)}), "low");
}

TEST(NearBound, NamesTheResultsThatTheSlackMayExplain) {
  const std::vector<Record> results{widened(result_of(0.4), 2), widened(result_of(0.3), 2),
                                    widened(result_of(0.2), 2), result_of(0.9)};

  const auto found = rules::near_bound({.run = {}, .results = results});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "2 of 4 results");
  EXPECT_THAT(found[0].evidence, HasSubstr("(0.30), ok from 20, low below 10"));
}

TEST(UnstableMachine, IsOneWhoseProbesDiffer) {
  const auto ok = result_of(0.9);
  const auto find = [&](const MachineChange& change) {
    return rules::unstable_machine({.run = {}, .results = {&ok, 1}, .change = change});
  };

  ASSERT_EQ(find({.factor = 1.8, .what = "the network"}).size(), 1U);
  EXPECT_EQ(find({.factor = 1.8, .what = "the network"})[0].subject, "the network");
  EXPECT_EQ(find({.factor = 1.8})[0].evidence, "changed by a factor of 1.8 during the run");
  EXPECT_TRUE(find({.factor = 1.2}).empty());
}

// 20 calls of 100 us each in one result, 20 of 300 us in the other.
std::vector<Record> waits(const std::vector<double>& first_us,
                          const std::vector<double>& second_us) {
  std::vector<Record> results{result_of(0.9), result_of(0.9)};
  results[0].window = {.iters = 20, .time_us = 100, .core_wait_us = first_us};
  results[1].window = {.iters = 20, .time_us = 300, .core_wait_us = second_us};
  return results;
}

TEST(BusyCore, NamesTheRankThatWaitedForItOverAllResults) {
  const auto run = run_of(2);
  const auto results = waits({10, 50}, {0, 50});

  const auto found = rules::busy_core({.run = run, .results = results});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "rank 1");
  EXPECT_EQ(found[0].evidence, "waited for a core 25 % of the time");
}

TEST(BusyCore, NamesSeveralRanksOrCountsThem) {
  const auto subject = [](const std::vector<double>& us) {
    const auto run = run_of(static_cast<int>(us.size()));
    const auto results = waits(us, us);
    return rules::busy_core({.run = run, .results = results}).at(0).subject;
  };

  EXPECT_EQ(subject({90, 0, 90}), "rank 0 and rank 2");
  EXPECT_EQ(subject({90, 90, 90}), "rank 0, rank 1 and rank 2");
  EXPECT_EQ(subject({90, 90, 0, 90, 90}), "4 of 5 ranks");
}

TEST(BusyCore, IsNotFoundWhereRanksHardlyWaitOrWaitForEachOther) {
  auto run = run_of(2);
  const auto quiet = waits({5, 5}, {5, 5}), busy = waits({90, 90}, {90, 90}),
             unknown = waits({}, {});

  EXPECT_TRUE(rules::busy_core({.run = run, .results = quiet}).empty());
  EXPECT_TRUE(rules::busy_core({.run = run, .results = unknown}).empty());
  run.ncores = 1;
  EXPECT_TRUE(rules::busy_core({.run = run, .results = busy}).empty());
}

}  // namespace
}  // namespace linerate
