// Rails of channels, NCCL's double tree, and what both put on switches.
#include "topo/cluster/fabric_traffic.h"

#include "topo/cluster/platforms.h"
#include "topo/model/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace linerate::topo {
namespace {

using testing::Each;
using testing::ElementsAre;

// One port a channel: 2 GPUs and 4 NICs of which the n-th channel uses the n-th.
struct Wired {
  Graph graph = build_graph(system_of({.numas = 1, .switches = 1, .gpus = 2, .nics = 4}));
  NodeChannels found{};

  Wired() {
    const auto gpus = graph.of(NodeKind::gpu);
    for (const int port : graph.of(NodeKind::net)) {
      const Channel channel{.gpus = {gpus[0], gpus[1]}, .net_in = port, .net_out = port};
      found.ring.channels.push_back(channel);
      found.tree.channels.push_back(channel);
    }
    found.tree.pattern = Pattern::balanced_tree;
  }
};

std::vector<int> ins(const NodeRails& rails, Algorithm algorithm) {
  std::vector<int> ins;
  for (const auto& channel : rails.channels[index_of(algorithm)]) ins.push_back(channel.in);
  return ins;
}

TEST(NodeRails, TakeTheNicsOfAHostInTurn) {
  const Wired node;

  EXPECT_THAT(ins(rails_of(node.graph, node.found, 2), Algorithm::ring), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(ins(rails_of(node.graph, node.found, 4), Algorithm::pat), ElementsAre(0, 1, 2, 3));
}

TEST(NodeRails, BeginAnewOnEachHost) {
  const auto graph = build_graph(built_in_platform("gb200-nvl72").value());

  EXPECT_THAT(gbps_by_rail(graph, 3), ElementsAre(18 * 100, 18 * 50, 18 * 50));
}

TEST(NodeRails, ShareTheBandwidthOfNics) {
  const auto graph = build_graph(built_in_platform("dgx-h100").value());

  EXPECT_THAT(gbps_by_rail(graph, 8), Each(50));
  EXPECT_THAT(gbps_by_rail(graph, 3), ElementsAre(150, 150, 100));
}

// The second GPU of a balanced tree has the first child.
TEST(NodeRails, KnowWhichGpuHasTheChildren) {
  Wired node;

  EXPECT_TRUE(rails_of(node.graph, node.found, 1).first_child_is_out);
  node.found.tree.pattern = Pattern::tree;
  EXPECT_FALSE(rails_of(node.graph, node.found, 1).first_child_is_out);
}

TEST(NodeRails, PairRingsWhereNcclCrossesNicsInPairs) {
  Wired node;
  EXPECT_FALSE(rails_of(node.graph, node.found, 1).pairs_rings);

  node.found.ring.cross_nic = 2;

  EXPECT_TRUE(rails_of(node.graph, node.found, 1).pairs_rings);
}

std::vector<int> parents(int tree, int nnodes) {
  std::vector<int> parents;
  for (int n = 0; n < nnodes; ++n) parents.push_back(place_in_tree(tree, n, nnodes).parent);
  return parents;
}

TEST(DoubleTree, BeginsWithATreeOfPowersOfTwo) {
  EXPECT_EQ(parents(0, 8), (std::vector{-1, 2, 4, 2, 0, 6, 4, 6}));
  EXPECT_EQ(parents(0, 6), (std::vector{-1, 2, 4, 2, 0, 4}));
}

TEST(DoubleTree, MirrorsItForAnEvenNumberAndShiftsItForAnOddOne) {
  EXPECT_EQ(parents(1, 4), (std::vector{1, 3, 1, -1}));
  EXPECT_EQ(parents(1, 5), (std::vector{1, -1, 3, 0, 3}));
}

TEST(DoubleTree, GivesEveryNodeAWayToTheRootAndParentsTwoChildrenAtMost) {
  for (const int nnodes : {1, 2, 3, 5, 12, 14, 64, 65, 100})
    for (const int tree : {0, 1}) {
      std::vector<int> children(static_cast<std::size_t>(2 * nnodes));
      int roots = 0;
      for (int n = 0; n < nnodes; ++n) {
        const auto place = place_in_tree(tree, n, nnodes);
        if (place.parent < 0) {
          ++roots;
          continue;
        }
        ++children[static_cast<std::size_t>(2 * place.parent + (place.second_child ? 1 : 0))];
        int steps = 0;
        for (int at = n; at >= 0 && steps <= nnodes; ++steps)
          at = place_in_tree(tree, at, nnodes).parent;
        EXPECT_LE(steps, 9) << nnodes << " nodes, tree " << tree << ", node " << n;
      }
      EXPECT_EQ(roots, 1);
      for (const int count : children) EXPECT_LE(count, 1) << nnodes << " nodes, tree " << tree;
    }
}

TEST(DoubleTree, LetsNoNodeHaveTwoChildrenInBothTrees) {
  constexpr int kNodes = 14;
  std::vector<int> children(kNodes);
  for (int n = 0; n < kNodes; ++n)
    for (const int tree : {0, 1})
      if (const int parent = place_in_tree(tree, n, kNodes).parent; parent >= 0)
        ++children[static_cast<std::size_t>(parent)];

  for (const int count : children) EXPECT_LE(count, 2);
}

using testing::DoubleNear;
using testing::Pointwise;

constexpr double kClose = 1e-12;

// Nodes of one GPU whose channels all use the given rails.
struct Job {
  Cluster cluster{};
  NodeRails rails{};

  Job(int nnodes, const Fabric& fabric, const std::vector<ChannelRails>& channels) {
    cluster.groups.push_back({.count = nnodes});
    cluster.fabric = fabric;
    rails.channels.fill(channels);
  }
  FabricTraffic of(Function function, Algorithm algorithm) const {
    FabricJob job{.cluster = &cluster,
                  .nodes = std::vector(static_cast<std::size_t>(cluster.nnodes()), &rails),
                  .nranks = cluster.nnodes()};
    job.nchannels.fill(static_cast<int>(rails.channels[0].size()));
    return traffic_of(job, function, algorithm);
  }
};

Job job_in_two_racks() { return {4, {.nodes_per_rack = 2}, {{0, 0}}}; }

// The same at all links of the two racks, up and down.
void expect_each(const FabricTraffic& traffic, double share) {
  for (const auto& links : {traffic.up, traffic.down}) {
    ASSERT_EQ(links.size(), 2U);
    EXPECT_NEAR(links[0], share, kClose);
    EXPECT_NEAR(links[1], share, kClose);
  }
  EXPECT_NEAR(traffic.spine, 2 * share, kClose);
}

// Two of its four hops cross: each carries 2 x 3/4 of the bytes, in two rounds.
TEST(FabricTraffic, OfARingIsOnTheHopsBetweenRacks) {
  const auto job = job_in_two_racks();

  const auto all_reduce = job.of(Function::all_reduce, Algorithm::ring);
  expect_each(all_reduce, 1.5);
  EXPECT_EQ(all_reduce.crossings, 4);

  const auto all_gather = job.of(Function::all_gather, Algorithm::ring);
  expect_each(all_gather, 0.75);
  EXPECT_EQ(all_gather.crossings, 2);

  expect_each(job.of(Function::broadcast, Algorithm::ring), 1);
}

// Tree 0 is 1 - 2 - 0 and 3 - 2, tree 1 the same from the other end: two edges of each cross, with
// half of the bytes both ways.
TEST(FabricTraffic, OfTreesIsOnTheirEdgesBetweenRacks) {
  for (const auto algorithm : {Algorithm::tree, Algorithm::nvls_tree}) {
    const auto traffic = job_in_two_racks().of(Function::all_reduce, algorithm);

    expect_each(traffic, 2);
    EXPECT_EQ(traffic.crossings, 4);
  }
}

// Two parts of a quarter to the next node, one to the second next, which is in the other rack.
TEST(FabricTraffic, OfPatFallsWithTheDistance) {
  const auto traffic = job_in_two_racks().of(Function::all_gather, Algorithm::pat);

  expect_each(traffic, 0.5 + 2 * 0.25);
  EXPECT_EQ(traffic.crossings, 2);
}

TEST(FabricTraffic, IsNothingInOneRackOfOneRail) {
  const Job job(4, {.nodes_per_rack = 4}, {{0, 0}, {0, 0}});

  for (const auto function : kAllFunctions)
    for (const auto algorithm : kAllAlgorithms) {
      const auto traffic = job.of(function, algorithm);
      EXPECT_EQ(traffic.spine, 0);
      EXPECT_EQ(traffic.crossings, 0);
    }
}

// A channel that goes out on another rail than it comes in by needs the spine within a rack, unless
// every second node takes rings in pairs the other way round.
TEST(FabricTraffic, CrossesBetweenRails) {
  Job job(2, {.rails = 2}, {{0, 1}, {1, 0}});

  EXPECT_NEAR(job.of(Function::all_gather, Algorithm::ring).spine, 2 * 2 * 0.25, kClose);
  job.rails.pairs_rings = true;
  EXPECT_EQ(job.of(Function::all_gather, Algorithm::ring).spine, 0);
}

// One node of four is a first child in each tree: half of the bytes go up to it and half come back.
TEST(FabricTraffic, OfTreesReachesChildrenWhereTheGpusOfTheirPlaceAre) {
  Job job(4, {.rails = 2}, {{0, 1}});
  EXPECT_EQ(job.of(Function::all_reduce, Algorithm::tree).spine, 0);

  job.rails.first_child_is_out = true;

  const auto traffic = job.of(Function::all_reduce, Algorithm::tree);
  EXPECT_THAT(traffic.up, Pointwise(DoubleNear(kClose), {1.0, 1.0}));
  EXPECT_EQ(job.of(Function::all_reduce, Algorithm::nvls_tree).spine, 0);
}

Cluster nodes(int count, const Fabric& fabric) {
  Cluster cluster{.fabric = fabric};
  cluster.groups.push_back({.count = count});
  return cluster;
}

const std::vector<std::vector<double>> kOneNic{{50}};  // GB/s of a node

TEST(FabricLinks, DivideWhatIsBelowByTheOversubscription) {
  const auto cluster =
      nodes(4, {.nodes_per_rack = 2, .rack = {.oversubscription = 2}, .spine = {4}});

  const auto links = links_of(cluster, kOneNic);

  EXPECT_THAT(links.leaf_gbps, ElementsAre(50, 50));  // 2 x 50 GB/s over 2
  EXPECT_EQ(links.spine_gbps, 25);                    // 2 x 50 GB/s over 4
}

TEST(FabricLinks, AreThoseOfAFullRackWhereItIsNotFull) {
  EXPECT_THAT(links_of(nodes(3, {.nodes_per_rack = 2}), kOneNic).leaf_gbps, ElementsAre(100, 100));
}

TEST(FabricLinks, AreApartForEachRail) {
  const std::vector<std::vector<double>> two_rails{{50, 25}};

  EXPECT_THAT(links_of(nodes(2, {.rails = 2, .nodes_per_rack = 2}), two_rails).leaf_gbps,
              ElementsAre(100, 50));
}

// One channel's all_reduce ring over four nodes, all on rail 0.
FabricLoad load_of_ring(const Cluster& cluster) {
  NodeRails rails;
  rails.channels.fill({{0, 0}});
  FabricJob job{.cluster = &cluster, .nodes = {4, &rails}, .nranks = 4};
  job.nchannels.fill(1);
  return narrowest(traffic_of(job, Function::all_reduce, Algorithm::ring),
                   links_of(cluster, kOneNic), cluster.fabric);
}

struct Bound {
  Fabric fabric{};
  std::string link{};
  double us_per_megabyte = 0;
};

class NarrowestLink : public testing::TestWithParam<Bound> {};

// A ring of all_reduce over 4 nodes in racks of 2: 1.5 bytes a byte on each rack's links, 3 on the
// spine.
TEST_P(NarrowestLink, IsTheOneWithTheMostBytesForItsBandwidth) {
  const auto cluster = nodes(4, GetParam().fabric);
  const auto load = load_of_ring(cluster);

  EXPECT_EQ(load.link, GetParam().link);
  EXPECT_NEAR(load.us_per_byte * 1e6, GetParam().us_per_megabyte, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, NarrowestLink,
    testing::Values(
        Bound{{}, "", 0}, Bound{{.nodes_per_rack = 2}, "rack 0 uplink", 15},  // 1.5 / 100
        Bound{{.nodes_per_rack = 2, .rack = {.oversubscription = 3}}, "rack 0 uplink", 45},
        Bound{{.nodes_per_rack = 2, .spine = {.oversubscription = 2}}, "spine", 30}));  // 3 / 100

// 4 hops of the longest way cross, each through two leaves and the spine.
TEST(FabricLoad, WaitsForTheSwitchesOfEachCrossing) {
  const auto cluster =
      nodes(4, {.nodes_per_rack = 2, .rack = {.latency_us = 0.5}, .spine = {.latency_us = 2}});
  const auto load = load_of_ring(cluster);

  EXPECT_NEAR(load.crossing_us, 4 * (2 * 0.5 + 2), 1e-9);
}

TEST(WireBytes, CountTheFlagsOfProtocols) {
  EXPECT_EQ(wire_bytes_per_byte(Protocol::simple), 1);
  EXPECT_EQ(wire_bytes_per_byte(Protocol::ll), 2);
  EXPECT_NEAR(wire_bytes_per_byte(Protocol::ll128), 1.067, 0.001);
}

}  // namespace
}  // namespace linerate::topo
