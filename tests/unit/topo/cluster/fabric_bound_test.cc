// The narrowest link of a cluster, by hand.
#include "topo/cluster/fabric_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

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
  return fabric_load(job, links_of(cluster, kOneNic), Function::all_reduce, Algorithm::ring);
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
