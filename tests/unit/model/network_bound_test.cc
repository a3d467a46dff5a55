// Bounds of collectives over several nodes' TCP, worked by hand.
#include "model/network_bound.h"

#include "collectives/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kBytes = 4'000'000;

// One rank on each node, 2 GB/s each way, round trips of 20 us.
NetworkLimits limits(int nnodes) {
  NetworkLimits made{.barrier_us = 30};
  for (int node = 0; node < nnodes; ++node) {
    made.points.push_back({.node = node, .send_gbps = 2, .receive_gbps = 2, .round_trip_us = 20});
    made.hostnames.push_back("host" + std::to_string(node + 1));
    made.nodes.push_back(node);
  }
  return made;
}

std::optional<Expectation> bound_if_any(std::string_view name, const NetworkLimits& limits,
                                        std::size_t bytes = kBytes,
                                        std::optional<double> memory_us = 0) {
  const auto* collective = find_collective(name);
  const int nranks = static_cast<int>(limits.nodes.size());
  const auto count = count_of(*collective, bytes, DataType::float32, nranks);
  return network_bound({.collective = collective, .sizing = {.count = count, .nranks = nranks}},
                       limits, memory_us);
}

double healthy_share(const Expectation& expected) {
  return expected.low_gbps / expected.busbw_gbps;
}

Expectation bound(std::string_view name, const NetworkLimits& limits, std::size_t bytes = kBytes,
                  std::optional<double> memory_us = 0) {
  return bound_if_any(name, limits, bytes, memory_us).value();
}

// Of all_to_all_v with these bytes from each rank to each.
std::optional<Expectation> bound_of_matrix(std::string_view matrix, const NetworkLimits& limits) {
  const int nranks = static_cast<int>(limits.nodes.size());
  const auto traffic = TrafficMatrix::parse(matrix, nranks, 1).value();
  return network_bound({.collective = find_collective("all_to_all_v"),
                        .sizing = {.count = 1, .nranks = nranks, .traffic = &traffic}},
                       limits, 0);
}

// Ranks on these nodes.
NetworkLimits on(const std::vector<int>& nodes) {
  auto made = limits(*std::ranges::max_element(nodes) + 1);
  made.nodes = nodes;
  return made;
}

// 2 (n-1)/n of 4 MB for each node at 2 GB/s.
TEST(NetworkBounds, OfAllReduceAreTheBandwidthOfTheNodes) {
  const auto expected = bound("all_reduce", limits(3));

  EXPECT_NEAR(expected.busbw_gbps, 2, 1e-6);
  EXPECT_EQ(expected.bound_by, "network");
}

TEST(NetworkBounds, AreThoseOfTheDirectionThatIsSlower) {
  auto slow = limits(3);
  for (auto& point : slow.points) point.receive_gbps = 1;

  EXPECT_NEAR(bound("all_gather", slow).busbw_gbps, 1, 0.01);
}

TEST(NetworkBounds, NameTheNodeThatAloneBinds) {
  auto slow = limits(4);
  slow.points[2].send_gbps = 0.25;

  EXPECT_EQ(bound("all_gather", slow).bound_by, "network (node 2, host3)");
  EXPECT_EQ(bound("all_gather", limits(4)).bound_by, "network");
  EXPECT_EQ(bound("gather", limits(4)).bound_by, "network (node 0, host1)");  // into the root
}

// Their link is one: which end is slow nobody can tell.
TEST(NetworkBounds, OfTwoNodesNameNone) {
  auto slow = limits(2);
  slow.points[1].send_gbps = slow.points[0].receive_gbps = 0.5;

  const auto expected = bound("all_reduce", slow);

  EXPECT_NEAR(expected.busbw_gbps, 0.5, 0.01);
  EXPECT_EQ(expected.bound_by, "network");
}

TEST(NetworkBounds, AreMemorysOrAMessagesWhereThoseTakeLonger) {
  EXPECT_EQ(bound("all_reduce", limits(3), kBytes, 1e6).bound_by, "memory");
  EXPECT_NEAR(bound("all_reduce", limits(3), kBytes, 1e6).busbw_gbps, kBytes * 4 / 3 / 1e9, 1e-4);
  EXPECT_EQ(bound("all_reduce", limits(3), 64).bound_by, "latency");
}

// Libraries copy on the way, and nobody knows for how long.
TEST(NetworkBounds, CallNothingLowWhereMemoryIsUnknown) {
  const auto known = bound("all_reduce", limits(2), kBytes, 0.0);
  const auto unknown = bound("all_reduce", limits(2), kBytes, std::nullopt);

  EXPECT_GT(healthy_share(known), 0.4);
  EXPECT_EQ(healthy_share(unknown), 0);
  EXPECT_EQ(unknown.busbw_gbps, known.busbw_gbps);
}

// A ring over ranks may do; a tree of log2(n) levels, too, where there is a root; small messages go
// one after the other.
TEST(NetworkBounds, LeaveRoomForFlatAlgorithms) {
  EXPECT_NEAR(healthy_share(bound("all_reduce", limits(2), 100 * kBytes)), 0.5, 0.01);
  EXPECT_NEAR(healthy_share(bound("all_reduce", limits(8), 100 * kBytes)), 0.25, 0.01);
  EXPECT_NEAR(healthy_share(bound("broadcast", limits(8), 100 * kBytes)), 0.5 / 3, 0.01);
  // 6 messages of four barriers each, where one message's way is 10 us.
  EXPECT_NEAR(healthy_share(bound("all_reduce", limits(4), 16)), 10 / (6 * 4 * 30.0), 1e-3);
}

// Ranks 0, 1, 2, 3 on nodes 0, 1, 0, 1: a ring leaves each of them twice.
TEST(NetworkBounds, LeaveMoreRoomWhereNeighboursAreOnOtherNodes) {
  auto in_blocks = limits(2), in_turn = limits(2);
  in_blocks.nodes = {0, 0, 1, 1};
  in_turn.nodes = {0, 1, 0, 1};

  const auto block = bound("all_reduce", in_blocks, 100 * kBytes);
  const auto turn = bound("all_reduce", in_turn, 100 * kBytes);

  EXPECT_NEAR(turn.busbw_gbps, block.busbw_gbps, 1e-6);
  EXPECT_NEAR(healthy_share(turn), healthy_share(block) / 2, 0.005);
}

// A root sends the next call's message when the last one's has left.
TEST(NetworkBounds, LetMessagesBeOnTheWayAtOnceWhereSomeRankNeedNotWait) {
  EXPECT_NEAR(bound("all_reduce", limits(2), 8).busbw_gbps, 8 / 10.0 / 1e3, 1e-9);
  EXPECT_NEAR(bound("broadcast", limits(2), 8).busbw_gbps, 2, 1e-9);
}

// Parts that one rank alone needs pass nobody on the way: where neighbours are makes no difference.
TEST(NetworkBounds, LeaveNoMoreRoomWhereEachPartHasOneReceiver) {
  const auto slowest = on({0, 0, 1, 1}), in_turn = on({0, 1, 0, 1});

  for (const auto name : {"all_to_all", "gather", "scatter", "sendrecv"})
    EXPECT_NEAR(healthy_share(bound(name, in_turn, 100 * kBytes)),
                healthy_share(bound(name, slowest, 100 * kBytes)), 0.005)
        << name;
  for (const auto name : {"all_gather", "reduce_scatter", "broadcast", "reduce"})
    EXPECT_NEAR(healthy_share(bound(name, in_turn, 100 * kBytes)),
                healthy_share(bound(name, slowest, 100 * kBytes)) / 2, 0.005)
        << name;
}

// 4 MB enter and leave each node.
TEST(NetworkBounds, OfSendrecvAreTheBandwidthOfTheSlowestNodeForTheSlowestRank) {
  auto slow = limits(3);
  slow.points[2].send_gbps = 1.2;

  EXPECT_NEAR(bound("sendrecv", limits(3)).busbw_gbps, 2, 1e-6);
  EXPECT_NEAR(bound("sendrecv", slow).busbw_gbps, 1.2, 0.01);
}

// 4 MB to the other node take 2000 us; the largest sum of a row or a column is 6 MB.
TEST(NetworkBounds, OfAllToAllVAreWhatTheBusiestNodeNeeds) {
  const auto expected = bound_of_matrix("2e6 4e6\n16 2e6\n", limits(2));

  ASSERT_TRUE(expected);
  EXPECT_NEAR(expected->busbw_gbps, 6e6 / 2000 / 1e3 / 2, 1e-3);
  EXPECT_EQ(expected->bound_by, "network");
}

// Rank 0 waits for nobody, and those on nodes 2 and 3 for little.
TEST(NetworkBounds, OfAllToAllVAreTheSlowestRanksWhereSomeNeedNothingOfOthers) {
  const std::string_view matrix = "0 4e6 0 0\n0 0 0 0\n0 0 0 16\n0 0 16 0\n";

  const auto slowest = bound_of_matrix(matrix, limits(4));
  ASSERT_TRUE(slowest);
  EXPECT_NEAR(slowest->busbw_gbps, 4e6 / 2000 / 1e3 * 3 / 4, 1e-3);
}

TEST(NetworkBounds, AreNoneWhereNothingLeavesItsNode) {
  const std::string_view matrix = "0 4e6 0 0\n4e6 0 0 0\n0 0 0 4e6\n0 0 4e6 0\n";

  EXPECT_FALSE(bound_of_matrix(matrix, on({0, 0, 1, 1})));
}

TEST(NetworkBounds, OfCallsThatSendNothingAreNone) {
  EXPECT_FALSE(network_bound(
      {.collective = find_collective("all_reduce"), .sizing = {.count = 0, .nranks = 3}}, limits(3),
      0));
}

TEST(Transports, AreTcpByTheirWords) {
  EXPECT_TRUE(is_tcp("TCP"));
  EXPECT_TRUE(is_tcp("TCP on eth0"));
  for (const auto* other : {"", "MPI", "shared memory", "TCPX", "fake"})
    EXPECT_FALSE(is_tcp(other)) << other;
}

std::vector<NetworkPoint> sending(const std::vector<double>& send_gbps) {
  std::vector<NetworkPoint> points;
  for (const double gbps : send_gbps)
    points.push_back({.node = static_cast<int>(points.size()), .send_gbps = gbps});
  return points;
}

TEST(HealthyPoints, GiveStragglersTheMedian) {
  EXPECT_DOUBLE_EQ(healthy_points(sending({10, 1, 10}))[1].send_gbps, 10);
}

TEST(HealthyPoints, MayDifferByLessThanHalf) {
  EXPECT_DOUBLE_EQ(healthy_points(sending({10, 6, 10}))[1].send_gbps, 6);
}

TEST(HealthyPoints, AreNotKnownOfTwo) {
  EXPECT_DOUBLE_EQ(healthy_points(sending({10, 1}))[1].send_gbps, 1);
}

}  // namespace
}  // namespace linerate
