// When a result is low, and when a machine is not one machine.
#include "record/verdict.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

Record reached(double share) {
  Record record;
  record.busbw_gbps = 40 * share;
  record.expected = {.busbw_gbps = 40, .bound_by = "memory", .low_below = 0.5};
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
  EXPECT_EQ(name_of(Verdict::above), "above the bound");
}

TEST(ReachedText, SaysWhatWasExpectedAndWhatBinds) {
  auto record = reached(0.49);
  record.what.bytes = 1024;
  EXPECT_EQ(reached_text(record), "1024 B, out of place: 19.6 of 40 GB/s (0.49), bound by memory");

  record.what.placement = Placement::in_place;
  EXPECT_EQ(reached_text(record), "1024 B, in place: 19.6 of 40 GB/s (0.49), bound by memory");

  record.what.collective = "p2p_latency";
  record.pair = std::pair(2, 5);
  EXPECT_EQ(reached_text(record),
            "p2p_latency, 1024 B, rank 2 to rank 5: 19.6 of 40 GB/s (0.49), bound by memory");
}

}  // namespace
}  // namespace linerate
