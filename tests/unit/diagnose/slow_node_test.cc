// Which nodes the probe before a run names.
#include "diagnose/diagnose.h"
#include "unit/diagnose/example.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

std::vector<Finding> slow_nodes(const std::vector<NetworkPoint>& points, double reached = 0.2) {
  const RunInfo run{.network = points};
  const auto result = result_of(reached, "network");
  return rules::slow_node({.run = run, .results = {&result, 1}});
}

TEST(SlowNode, IsNamedWithTheDirection) {
  const auto found = slow_nodes(network_of({10, 10, 1, 10}));

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "what node 2 sends to others");
  EXPECT_EQ(found[0].evidence, "reaches 0.10 of the median of 4 nodes");
}

TEST(SlowNode, IsNamedOnceForBothDirections) {
  auto points = network_of({10, 10, 10, 10});
  points[1].send_gbps = 4;
  points[1].receive_gbps = 2;

  const auto found = slow_nodes(points);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].subject, "what node 1 sends to others and receives from them");
  EXPECT_EQ(found[0].evidence, "reaches 0.20 of the median of 4 nodes");
}

TEST(SlowNode, IsOneOfTheThreeSlowest) {
  const auto found = slow_nodes(network_of({10, 10, 10, 10, 10, 10, 10, 4, 3, 2, 1}));

  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].subject, "what node 10 sends to others");
  EXPECT_EQ(found[2].subject, "what node 8 sends to others");
}

TEST(SlowNode, IsNoneOfTwoAndNoneAboveHalfOfTheMedian) {
  EXPECT_TRUE(slow_nodes(network_of({10, 1})).empty());
  EXPECT_TRUE(slow_nodes(network_of({10, 10, 6})).empty());
}

TEST(SlowNode, IsOfNoInterestWhereNoResultIsLow) {
  EXPECT_TRUE(slow_nodes(network_of({10, 10, 1}), 0.9).empty());
}

}  // namespace
}  // namespace linerate
