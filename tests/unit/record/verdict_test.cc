// When a result is low, and when a machine is not one machine.
#include "record/verdict.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

Record reached(double share) {
  Record record;
  record.busbw_gbps = 40 * share;
  record.expected = band_below(40, 0.5, "memory");
  return record;
}

TEST(Verdicts, FollowThePartOfTheBoundThatIsReached) {
  EXPECT_EQ(verdict_of(reached(0.49)), Verdict::low);
  EXPECT_EQ(verdict_of(reached(0.5)), Verdict::ok);
  EXPECT_EQ(verdict_of(reached(1.04)), Verdict::ok);
  EXPECT_EQ(verdict_of(reached(1.06)), Verdict::above);
}

// The table may show the mean: a collective ends when its last rank does.
TEST(Verdicts, CountTheSlowestRank) {
  auto record = reached(0.6);
  record.window = {.time_us = 10, .slowest_us = 15};

  EXPECT_DOUBLE_EQ(efficiency(record), 0.4);
  EXPECT_EQ(verdict_of(record), Verdict::low);
}

TEST(Verdicts, AreNamedInWordsThatNoParserLooksFor) {
  EXPECT_EQ(name_of(Verdict::above), "above");
  EXPECT_EQ(name_of(Verdict::unsure), "unsure");
}

// 40 GB/s, low below 20: with a slack of 1.25 surely low below 16.
TEST(Verdicts, AreUnsureWhereTheSlackMayExplainIt) {
  const auto with_slack = [](double share) {
    auto record = reached(share);
    record.expected->slack = 1.25;
    return record;
  };

  EXPECT_EQ(verdict_of(with_slack(0.51)), Verdict::ok);
  EXPECT_EQ(verdict_of(with_slack(0.49)), Verdict::unsure);
  EXPECT_EQ(verdict_of(with_slack(0.41)), Verdict::unsure);
  EXPECT_EQ(verdict_of(with_slack(0.39)), Verdict::low);
  EXPECT_DOUBLE_EQ(possible_efficiency(with_slack(0.4)), 0.5);
}

// The machine changed by a factor of two while the run lasted.
TEST(Verdicts, HaveAWiderBandOnAMachineThatChanges) {
  EXPECT_EQ(verdict_of(widened(reached(0.3), 2)), Verdict::unsure);
  EXPECT_EQ(verdict_of(widened(reached(0.2), 2)), Verdict::low);
  EXPECT_EQ(verdict_of(widened(reached(1.2), 2)), Verdict::ok);
  EXPECT_EQ(verdict_of(widened(reached(0.6), 2)), Verdict::ok);
}

Record window_of_100_us() {
  Record record;
  record.window = {.time_us = 90, .slowest_us = 100};
  return record;
}

// Together the ranks waited for their cores for 60 of 100 us: 40 would have been enough.
TEST(Disturbance, IsWhatTheRanksWaitedForTheirCores) {
  auto record = window_of_100_us();
  record.window.core_wait_us = {20, 0, 40};

  EXPECT_DOUBLE_EQ(disturbance(record, true), 2.5);
  EXPECT_DOUBLE_EQ(disturbance(record, false), 1);
}

TEST(Disturbance, IsWhatTheWindowHasOverTheMedianSample) {
  auto record = window_of_100_us();
  record.samples = SampleInfo{.us = {.n = 20, .median = 25}};
  EXPECT_DOUBLE_EQ(disturbance(record, true), 4);

  record.samples->us.median = 120;  // samples may be slower: each begins with a barrier
  EXPECT_DOUBLE_EQ(disturbance(record, true), 1);
}

TEST(Disturbance, IsLimitedWhereNothingIsLeft) {
  auto record = window_of_100_us();
  record.window.core_wait_us = {100, 300};

  EXPECT_DOUBLE_EQ(disturbance(record, true), 1e6);
  EXPECT_DOUBLE_EQ(disturbance(Record(), true), 1);
}

TEST(ReachedText, SaysWhatWasExpectedAndWhatBinds) {
  auto record = reached(0.49);
  record.what.bytes = 1024;
  EXPECT_EQ(reached_text(record),
            "1024 B, out of place: got 19.6 GB/s, expected 40 (0.49), low below 20, bound by "
            "memory");

  record.what.placement = Placement::in_place;
  record.expected->slack = 1.25;
  EXPECT_EQ(reached_text(record),
            "1024 B, in place: got 19.6 GB/s, expected 40 (0.49), ok from 20, low below 16, bound "
            "by memory");
  record.expected->slack = 1000;
  EXPECT_EQ(reached_text(record),
            "1024 B, in place: got 19.6 GB/s, expected 40 (0.49), ok from 20, too disturbed to be "
            "called low, bound by memory");
  record.busbw_gbps = 44;
  EXPECT_EQ(reached_text(record),
            "1024 B, in place: got 44 GB/s, expected 40 (1.10), possible 42, bound by memory");

  record.what.collective = "p2p_latency";
  record.pair = std::pair(2, 5);
  EXPECT_EQ(reached_text(record),
            "p2p_latency, 1024 B, rank 2 to rank 5: got 44 GB/s, expected 40 (1.10), possible 42, "
            "bound by memory");
}

}  // namespace
}  // namespace linerate
