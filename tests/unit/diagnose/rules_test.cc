// What each rule finds, and what findings mean together.
#include "diagnose/diagnose.h"
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
  EXPECT_EQ(overall_verdict(findings), "ok");
}

TEST(BelowBound, NamesTheResultThatIsFurthestBelow) {
  const std::vector<Record> results{result_of(0.4), result_of(0.2), result_of(0.9)};

  const auto findings = rules::below_bound({.run = {}, .results = results});

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].subject, "2 of 3 results");
  EXPECT_EQ(findings[0].evidence, "1024 B, out of place: 8 of 40 GB/s (0.20), bound by memory");
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

  const auto found = rules::late_rank({.run = {}, .results = {&low, 1}});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "rank 2");
  EXPECT_EQ(found[0].evidence, "comes 30 us after the first");
  EXPECT_TRUE(rules::late_rank({.run = {}, .results = {&even, 1}}).empty());
  EXPECT_TRUE(rules::late_rank({.run = {}, .results = {&ok, 1}}).empty());
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
  EXPECT_EQ(overall_verdict(findings), "low");
}

TEST(Findings, AreDoubtedOnAnUnstableMachine) {
  RunInfo run = run_of(2);
  run.memory = {
      {.bytes = 1024, .read_gbps = 10, .write_gbps = 10, .copy_gbps = 10, .update_gbps = 10}};
  auto after = run.memory;
  after[0].copy_gbps = 5;
  const auto low = result_of(0.2);

  const auto findings = diagnose({.run = run, .results = {&low, 1}, .memory_after = after});

  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "unstable_machine");
  EXPECT_EQ(findings[0].confidence, 1);
  EXPECT_EQ(findings[1].rule, "below_bound");
  EXPECT_EQ(findings[1].confidence, 0.5);
  EXPECT_EQ(overall_verdict(findings), "unstable machine");
}

}  // namespace
}  // namespace linerate
