// Sends on the switches of a cluster, by hand.
#include "support/sizes.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/cluster/platforms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

Cluster cluster_of(const System& system, int count, const Fabric& fabric) {
  Cluster cluster{.fabric = fabric};
  cluster.groups.push_back({.system = std::make_shared<const System>(system), .count = count});
  return cluster;
}

P2pModel model_of(const Cluster& cluster) {
  return {build_graph(*cluster.groups.front().system), cluster.nnodes()};
}

FabricTraffic traffic(const Cluster& cluster, std::string_view name, std::size_t step = 0) {
  const auto model = model_of(cluster);
  return traffic_of(cluster, model, p2p_steps(*find_collective(name), model.ranks())->at(step));
}

std::optional<P2pBound> bound(const Cluster& cluster, std::string_view name) {
  const auto model = model_of(cluster);
  const std::vector<std::vector<double>> rails(1,
                                               gbps_by_rail(model.graph(), cluster.fabric.rails));
  return costs_on(cluster, links_of(cluster, rails), model, *find_collective(name))->at(kGiB);
}

// Without NVLinks, a NIC of its own for each GPU.
System pcie_node(int gpus) {
  return system_of(
      {.numas = 1, .switches = gpus, .gpus = 1, .nics = 1, .gpu = {.sm = 89, .nvlinks = 0}});
}

// Four nodes of one GPU, in two racks.
Cluster two_racks(const Fabric& fabric = {}) {
  Fabric racks = fabric;
  racks.nodes_per_rack = 2;
  return cluster_of(pcie_node(1), 4, racks);
}

TEST(SendTraffic, OfAllToAllIsWhatOtherRacksGet) {
  const auto found = traffic(two_racks(), "all_to_all");

  EXPECT_THAT(found.up, ElementsAre(1, 1));  // two nodes, two parts of a quarter each
  EXPECT_THAT(found.down, ElementsAre(1, 1));
  EXPECT_EQ(found.spine, 2);
  EXPECT_EQ(found.crossings, 1);
}

TEST(SendTraffic, OfARootIsToItsRackOrFromThere) {
  const auto gather = traffic(two_racks(), "gather"), scatter = traffic(two_racks(), "scatter");

  EXPECT_THAT(gather.up, ElementsAre(0, 0.5));
  EXPECT_THAT(gather.down, ElementsAre(0.5, 0));
  EXPECT_THAT(scatter.up, ElementsAre(0.5, 0));
  EXPECT_THAT(scatter.down, ElementsAre(0, 0.5));
}

TEST(SendTraffic, OfSendrecvLeavesARackAtItsLastNode) {
  const auto found = traffic(two_racks(), "sendrecv");

  EXPECT_THAT(found.up, ElementsAre(1, 1));
  EXPECT_THAT(found.down, ElementsAre(1, 1));
}

TEST(SendTraffic, OfAHypercubeLeavesARackWhereItsPartnerIsFar) {
  EXPECT_THAT(traffic(two_racks(), "hypercube", 0).up, ElementsAre(0, 0));
  EXPECT_THAT(traffic(two_racks(), "hypercube", 1).up, ElementsAre(1, 1));  // two nodes' half
}

// Of each node's two GPUs each sends a quarter to the other node's other GPU, on the other rail.
TEST(SendTraffic, LeavesTheLeafWhereItArrivesOnAnotherRail) {
  const auto cluster = cluster_of(pcie_node(2), 2, {.rails = 2});

  const auto found = traffic(cluster, "all_to_all");

  EXPECT_THAT(found.up, ElementsAre(0.5, 0.5));
  EXPECT_THAT(found.down, ElementsAre(0.5, 0.5));
  EXPECT_EQ(found.spine, 1);
}

TEST(SendTraffic, StaysInItsLeafWhereAGpuPassesItOn) {
  const auto cluster = cluster_of(built_in_platform("dgx-h100").value(), 2, {.rails = 8});

  const auto found = traffic(cluster, "all_to_all");

  EXPECT_THAT(found.up, testing::Each(0));
  EXPECT_EQ(found.crossings, 0);
}

// Of 128 rows 15/16 leave their node, 3/4 of that on another rail, a quarter from each leaf.
TEST(P2pCosts, AreThoseOfTheLeafWhereRailsDoNotReachEachOther) {
  const auto l40s = built_in_platform("pcie-8xl40s").value();
  const Fabric narrow{.rails = 4, .nodes_per_rack = 16, .rack = {.oversubscription = 64}};
  const double leaf_gbps = gbps_by_rail(build_graph(l40s), 4)[0] * 16 / 64;

  const auto found = bound(cluster_of(l40s, 16, narrow), "all_to_all");

  EXPECT_EQ(found->bound_by, "rack 0 rail 0 uplink");
  EXPECT_NEAR(found->algbw_gbps, leaf_gbps / (128 * 15.0 / 16 * 3 / 4 / 4), 1e-3);
}

TEST(P2pCosts, WaitForTheSwitchesOfEachStepThatCrosses) {
  const auto model = model_of(two_racks());
  const auto alone = model.bound(*find_collective("hypercube"), kGiB);

  const auto found =
      bound(two_racks({.rack = {.latency_us = 10}, .spine = {.latency_us = 100}}), "hypercube");

  EXPECT_NEAR(found->time_us - alone->time_us, 120, 1e-6);
  EXPECT_EQ(found->bound_by, alone->bound_by);
}

TEST(P2pCosts, AreTheNodesOwnWhereSwitchesAreWide) {
  const auto cluster = two_racks();

  EXPECT_EQ(bound(cluster, "all_to_all")->time_us,
            model_of(cluster).bound(*find_collective("all_to_all"), kGiB)->time_us);
}

}  // namespace
}  // namespace linerate::topo
