// What pairs of nodes tell of each node.
#include "bench/expect/network_limits.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// All pairs of a few rounds, at 10 GB/s, but what `slow` sends at a tenth.
std::vector<NodePair> pairs_of(int nnodes, int slow = -1) {
  std::vector<NodePair> pairs;
  for (const auto& round : probed_rounds(nnodes))
    for (const auto& [first, second] : round)
      pairs.push_back({.first = first,
                       .second = second,
                       .speed = {.round_trip_us = 20.0 + first + second,
                                 .out_gbps = first == slow ? 1.0 : 10.0,
                                 .in_gbps = second == slow ? 1.0 : 10.0}});
  return pairs;
}

TEST(NetworkPoints, AreTheBestOfANodesPairs) {
  const auto points = points_of(pairs_of(3, 1), 3);

  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0],
            (NetworkPoint{.node = 0, .send_gbps = 10, .receive_gbps = 10, .round_trip_us = 21}));
  EXPECT_EQ(points[1],
            (NetworkPoint{.node = 1, .send_gbps = 1, .receive_gbps = 10, .round_trip_us = 21}));
}

TEST(NodesAsTheyShouldBe, AreNoStragglers) {
  const auto points = as_they_should_be(points_of(pairs_of(3, 1), 3));

  EXPECT_DOUBLE_EQ(points[1].send_gbps, 10);
}

TEST(NodesAsTheyShouldBe, MayDiffer) {
  auto points = points_of(pairs_of(4), 4);
  points[2].receive_gbps = 6;

  EXPECT_DOUBLE_EQ(as_they_should_be(points)[2].receive_gbps, 6);
}

TEST(NodesAsTheyShouldBe, AreNotKnownOfTwo) {
  const auto points = points_of(pairs_of(2, 1), 2);

  EXPECT_DOUBLE_EQ(as_they_should_be(points)[1].send_gbps, 1);
  EXPECT_TRUE(slow_nodes(pairs_of(2, 1), 2).empty());
}

TEST(SlowNodes, AreNamedWithTheDirection) {
  for (const int nnodes : {3, 4, 9, 40}) {
    const auto suspects = slow_nodes(pairs_of(nnodes, 2), nnodes);

    ASSERT_EQ(suspects.size(), 1U) << nnodes;
    EXPECT_EQ(suspects[0].subject, "what node 2 sends to others");
    EXPECT_DOUBLE_EQ(suspects[0].reached, 0.1);
  }
  EXPECT_TRUE(slow_nodes(pairs_of(4), 4).empty());
}

TEST(SlowNodes, AreNamedOnceForBothDirections) {
  auto pairs = pairs_of(9);
  for (auto& [first, second, speed] : pairs)
    if (first == 5 || second == 5) speed.out_gbps = speed.in_gbps = 2;

  const auto suspects = slow_nodes(pairs, 9);

  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_EQ(suspects[0].subject, "what node 5 sends to others and receives from them");
  EXPECT_DOUBLE_EQ(suspects[0].reached, 0.2);
}

TEST(SlowNodes, AreTheSlowestOfMany) {
  auto pairs = pairs_of(40, 7);
  for (auto& [first, second, speed] : pairs)
    for (const int slow : {2, 3, 4}) {
      if (first == slow) speed.in_gbps = slow;
      if (second == slow) speed.out_gbps = slow;
    }

  const auto suspects = slow_nodes(pairs, 40);

  ASSERT_EQ(suspects.size(), 3U);
  EXPECT_EQ(suspects[0].subject, "what node 7 sends to others");
  EXPECT_EQ(suspects[1].subject, "what node 2 receives from others");
  EXPECT_EQ(suspects[2].subject, "what node 3 receives from others");
}

// One short probe of thousands met a hiccup: both nodes do better with others.
TEST(SlowNodes, AreNoneWhereOnePairAloneIsSlow) {
  for (const int nnodes : {3, 1000}) {
    auto pairs = pairs_of(nnodes);
    pairs.front().speed.out_gbps = 0.5;

    EXPECT_TRUE(slow_nodes(pairs, nnodes).empty()) << nnodes;
  }
}

TEST(CallsUntilABarrier, AreThoseOfAnIterationWithOuterBlocking) {
  BenchConfig config;
  config.iters = 20;
  config.agg_iters = 3;
  EXPECT_EQ(calls_at_once(config), 60U);

  config.blocking = Blocking::outer;
  EXPECT_EQ(calls_at_once(config), 3U);
}

}  // namespace
}  // namespace linerate
