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

TEST(Verdicts, AreNamedInWordsThatNoParserLooksFor) {
  EXPECT_EQ(name_of(Verdict::above), "above the bound");
}

const std::vector<MemoryPoint> kMemory{{1024, 100, 50, 75, 80}, {65536, 20, 10, 15, 16}};

TEST(MemoryChanges, AreTheWorstOfAllPoints) {
  auto changed = kMemory;
  changed[1].write_gbps /= 2;
  changed[0].read_gbps *= 1.5;

  EXPECT_DOUBLE_EQ(memory_change(kMemory, changed), 2);
  EXPECT_DOUBLE_EQ(memory_change(changed, kMemory), 2);
}

TEST(MemoryChanges, AreNoneWhereNothingCanBeCompared) {
  EXPECT_DOUBLE_EQ(memory_change(kMemory, kMemory), 1);
  EXPECT_DOUBLE_EQ(memory_change(kMemory, {}), 1);
}

// What one rank reaches alone is no change of what all reach.
TEST(MemoryChanges, AreBetweenAsManyRanks) {
  auto alone = kMemory;
  for (auto& point : alone) {
    point.nranks = 1;
    point.copy_gbps /= 2;
  }

  EXPECT_DOUBLE_EQ(memory_change(kMemory, alone), 1);
  EXPECT_DOUBLE_EQ(memory_change(alone, alone), 1);
}

std::vector<NetworkPoint> network_of(std::vector<double> send_gbps) {
  std::vector<NetworkPoint> points;
  for (const double gbps : send_gbps)
    points.push_back(
        {.node = static_cast<int>(points.size()), .send_gbps = gbps, .receive_gbps = 10});
  return points;
}

TEST(NetworkChanges, AreThoseOfAllNodesTogether) {
  EXPECT_DOUBLE_EQ(network_change(network_of({10, 10}), network_of({15, 10})), 1.25);
  EXPECT_DOUBLE_EQ(network_change(network_of({10, 10}), network_of({8, 8})), 1.25);
  EXPECT_DOUBLE_EQ(network_change(network_of({10, 10, 10}), network_of({8, 12, 10})), 1);
}

TEST(NetworkChanges, AreThoseOfOneNodeWhereItHasLostMostOfIt) {
  EXPECT_DOUBLE_EQ(network_change(network_of({10, 10, 10, 10}), network_of({10, 10, 10, 2})), 5);
}

TEST(NetworkChanges, AreNoneWhereNothingCanBeCompared) {
  EXPECT_DOUBLE_EQ(network_change(network_of({10, 10}), {}), 1);
}

}  // namespace
}  // namespace linerate
