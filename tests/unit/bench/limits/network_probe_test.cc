// Which nodes meet, and that distance alone makes none of them slow.
#include "bench/limits/network_probe.h"

#include "model/network_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace linerate {
namespace {

constexpr int kRack = 8;

bool in_one_rack(const Pair& pair) { return pair.first / kRack == pair.second / kRack; }

// 10 GB/s, a quarter between racks where most are on that way; what `slow` sends, a tenth of
// either.
std::vector<NodeLink> pairs_in_racks(int nnodes, int slow = -1) {
  std::vector<NodeLink> pairs;
  for (const auto& round : probed_rounds(nnodes)) {
    const auto inside = static_cast<std::size_t>(std::ranges::count_if(round, in_one_rack));
    const double outside_gbps = 2 * inside < round.size() ? 2.5 : 10;
    for (const auto& pair : round) {
      const double gbps = in_one_rack(pair) ? 10 : outside_gbps;
      pairs.push_back({.first = pair.first,
                       .second = pair.second,
                       .speed = {.round_trip_us = 20,
                                 .out_gbps = pair.first == slow ? gbps / 10 : gbps,
                                 .in_gbps = pair.second == slow ? gbps / 10 : gbps}});
    }
  }
  return pairs;
}

TEST(ProbedRounds, AreUpToThreeOfDisjointPairs) {
  for (const int nnodes : {3, 4, 5, 6, 7, 100, 101}) {
    const auto rounds = probed_rounds(nnodes);
    std::set<Pair> seen;
    std::vector<int> met(static_cast<std::size_t>(nnodes));
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const auto& [first, second] : round) {
        EXPECT_LT(first, second);
        EXPECT_TRUE(seen.insert({first, second}).second) << nnodes;
        for (const int node : {first, second}) {
          EXPECT_TRUE(busy.insert(node).second) << nnodes;
          ++met.at(static_cast<std::size_t>(node));
        }
      }
    }

    EXPECT_LE(rounds.size(), 3U);
    for (const int times : met) EXPECT_GE(times, 2) << nnodes;
  }
}

TEST(ProbedRounds, OfTwoNodesAreTwoOfTheSamePair) {
  const auto rounds = probed_rounds(2);

  ASSERT_EQ(rounds.size(), 2U);
  for (const auto& round : rounds) EXPECT_EQ(round, (Round{{0, 1}}));
}

TEST(ProbedRounds, LetEachNodeMeetOneOfItsRackAndAllMeetOthersAtOnce) {
  constexpr int kNodes = 25 * kRack;
  const auto rounds = probed_rounds(kNodes);

  std::set<int> met_one_of_their_rack;
  for (const auto& round : rounds)
    for (const auto& pair : round)
      if (in_one_rack(pair)) met_one_of_their_rack.insert({pair.first, pair.second});

  EXPECT_EQ(met_one_of_their_rack.size(), static_cast<std::size_t>(kNodes));
  EXPECT_EQ(rounds.back().size(), static_cast<std::size_t>(kNodes / 2));
  EXPECT_TRUE(std::ranges::none_of(rounds.back(), in_one_rack));
}

TEST(ProbedRounds, FindTheSpeedOfANodesOwnLinkWhereRacksShareLess) {
  const auto points = points_of(pairs_in_racks(5 * kRack), 5 * kRack);

  for (const auto& point : points) {
    EXPECT_DOUBLE_EQ(point.send_gbps, 10) << point.node;
    EXPECT_DOUBLE_EQ(point.receive_gbps, 10) << point.node;
  }
}

// Those whose bandwidth is not what it should be.
std::vector<int> slow_nodes(const std::vector<NetworkPoint>& points) {
  const auto healthy = healthy_points(points);
  std::vector<int> slow;
  for (std::size_t node = 0; node < points.size(); ++node)
    if (points[node] != healthy[node]) slow.push_back(points[node].node);
  return slow;
}

TEST(ProbedRounds, ShowNoNodeSlowForTheWayBetweenRacks) {
  constexpr int kNodes = 5 * kRack;

  EXPECT_EQ(slow_nodes(points_of(pairs_in_racks(kNodes), kNodes)), std::vector<int>());
  const auto points = points_of(pairs_in_racks(kNodes, 3), kNodes);
  EXPECT_EQ(slow_nodes(points), std::vector<int>{3});
  const auto healthy = healthy_points(points);
  EXPECT_LT(points[3].send_gbps, healthy[3].send_gbps);
  EXPECT_DOUBLE_EQ(points[3].receive_gbps, healthy[3].receive_gbps);
}

// Node 1 sends at a tenth of 10 GB/s.
TEST(NetworkPoints, AreTheBestOfANodesPairs) {
  std::vector<NodeLink> pairs;
  for (const auto& round : probed_rounds(3))
    for (const auto& [first, second] : round)
      pairs.push_back({.first = first,
                       .second = second,
                       .speed = {.round_trip_us = 20.0 + first + second,
                                 .out_gbps = first == 1 ? 1.0 : 10.0,
                                 .in_gbps = second == 1 ? 1.0 : 10.0}});

  const auto points = points_of(pairs, 3);

  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0],
            (NetworkPoint{.node = 0, .send_gbps = 10, .receive_gbps = 10, .round_trip_us = 21}));
  EXPECT_EQ(points[1],
            (NetworkPoint{.node = 1, .send_gbps = 1, .receive_gbps = 10, .round_trip_us = 21}));
}

// One short probe of thousands met a hiccup: both nodes do better with others.
TEST(NetworkPoints, AreNotThoseOfOneSlowPair) {
  for (const int nnodes : {3, 40}) {
    std::vector<NodeLink> pairs;
    for (const auto& round : probed_rounds(nnodes))
      for (const auto& [first, second] : round)
        pairs.push_back({.first = first,
                         .second = second,
                         .speed = {.round_trip_us = 20, .out_gbps = 10, .in_gbps = 10}});
    pairs.front().speed.out_gbps = 0.5;

    EXPECT_EQ(slow_nodes(points_of(pairs, nnodes)), std::vector<int>()) << nnodes;
  }
}

using testing::ElementsAre;
using testing::IsEmpty;

CoreRanges ranges(std::vector<int> cores) { return ranges_of(cores); }

TEST(CoreRanges, AreShortForNeighbours) {
  EXPECT_THAT(ranges({0, 1, 2, 3, 96}), ElementsAre(0, 4, 96, 97));
  EXPECT_THAT(ranges({}), IsEmpty());
}

TEST(CoresBeside, AreThoseOfRanksThatAreBoundElsewhere) {
  const std::vector<CoreRanges> all{ranges({0, 8}), ranges({1, 9}), ranges({2})};

  EXPECT_THAT(cores_beside(all[0], all), ElementsAre(1, 2, 9));
}

TEST(CoresBeside, AreNoneWhereAllRanksHaveTheSame) {
  const std::vector<CoreRanges> all(4, ranges({0, 1, 2}));

  EXPECT_THAT(cores_beside(all[0], all), IsEmpty());
}

using testing::ElementsAre;
using testing::HasSubstr;

InterfaceAddress at(std::string host, std::string interface) {
  InterfaceAddress address;
  address.host = std::move(host);
  address.interface = std::move(interface);
  return address;
}

const std::vector<InterfaceAddress> kOwn{at("10.0.0.1", "eth0"), at("fd00::1", "eth0"),
                                         at("10.1.0.1", "eth1")};

TEST(TcpHosts, AreThoseOfTheInterfaceThatIsNamed) {
  EXPECT_THAT(*tcp_hosts("TCP on eth0", kOwn), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_THAT(*tcp_hosts("TCP on eth7, eth1", kOwn), ElementsAre("10.1.0.1"));
}

TEST(TcpHosts, AreThoseInANetworkThatIsNamed) {
  auto own = kOwn;
  own[0].bytes = {10, 0, 0, 1};
  own[1].bytes.assign(16, 0xfd);
  own[2].bytes = {10, 1, 0, 1};

  EXPECT_THAT(*tcp_hosts("TCP on 10.1.0.0/16", own), ElementsAre("10.1.0.1"));
  EXPECT_THAT(*tcp_hosts("TCP on 10.9.0.0/16, eth1", own), ElementsAre("10.1.0.1"));
  EXPECT_THAT(tcp_hosts("TCP on 10.0.0.0/8", own).sentence(), HasSubstr("any of"));
  EXPECT_THAT(tcp_hosts("TCP on 10.9.0.0/16", own).sentence(),
              HasSubstr("no interface in 10.9.0.0/16"));
}

TEST(TcpHosts, ArePartOfOneInterfaceWhateverTheirLabels) {
  const std::vector<InterfaceAddress> own{at("10.0.0.1", "eth0"), at("10.0.0.2", "eth0:1")};

  EXPECT_THAT(*tcp_hosts("TCP", own), ElementsAre("10.0.0.1", "10.0.0.2"));
  EXPECT_THAT(*tcp_hosts("TCP on eth0:1", own), ElementsAre("10.0.0.1", "10.0.0.2"));
}

TEST(TcpHosts, NeedNoNameWhereThereIsOneInterface) {
  EXPECT_THAT(*tcp_hosts("TCP", {at("10.0.0.1", "eth0")}), ElementsAre("10.0.0.1"));
}

TEST(TcpHosts, AreNotGuessedAmongSeveral) {
  EXPECT_THAT(tcp_hosts("TCP", kOwn).sentence(), HasSubstr("any of the interfaces eth0, eth1"));
  EXPECT_THAT(tcp_hosts("TCP on eth0,eth1", kOwn).sentence(), HasSubstr("any of"));
  EXPECT_THAT(tcp_hosts("TCP on eth7", kOwn).sentence(), HasSubstr("no interface eth7"));
  EXPECT_THAT(tcp_hosts("TCP", {}).sentence(), HasSubstr("No interface"));
}

}  // namespace

}  // namespace linerate
