// Predictions on clusters: what their network changes, and what it does not.
#include "topo/cluster/cluster_predictor.h"

#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/system/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

constexpr std::size_t kSizes[] = {8, std::size_t{1} << 20, 8 * kGiB};

Cluster cluster_of(std::string_view platform, int count, const Fabric& fabric = {}) {
  Cluster cluster{.fabric = fabric};
  cluster.groups.push_back({.topology = std::string(platform),
                            .system = std::make_shared<System>(*built_in_platform(platform)),
                            .count = count});
  return cluster;
}

ClusterPrediction predicted(const Cluster& cluster, Function function, std::size_t bytes) {
  ClusterNodes nodes(cluster);
  return ClusterPredictor(nodes, cluster.nnodes()).predict(function, bytes);
}

double time_us(const Cluster& cluster, std::size_t bytes) {
  return predicted(cluster, Function::all_reduce, bytes).forecast->time_us;
}

// 8 rails, 2 x 50 GB/s below each leaf, of which a quarter goes up: 25 GB/s a rail. All but 1/32 of
// the bytes leave each rack, so that the bus bandwidth is what the 8 uplinks have together.
TEST(ClusterPredictions, EndAtTheUplinksOfRacks) {
  const auto cluster =
      cluster_of("dgx-h100", 4, {.rails = 8, .nodes_per_rack = 2, .rack = {.oversubscription = 4}});

  const auto found = predicted(cluster, Function::all_gather, 64 * kGiB);

  EXPECT_NEAR(found.forecast->busbw_gbps, 8 * 25, 1);
  EXPECT_EQ(found.bound_by, "rack 0 rail 0 uplink");
}

TEST(ClusterPredictions, OfAmdsGpusAreRefused) {
  auto system = *built_in_platform("dgx-h100");
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->gcn = "gfx942";
  });
  Cluster cluster;
  cluster.groups.push_back(
      {.topology = "mi300x.xml", .system = std::make_shared<System>(system), .count = 2});

  EXPECT_THAT(ClusterNodes(cluster).unfit(2),
              testing::HasSubstr("the GPUs of mi300x.xml are AMD's. There RCCL runs"));
}

// LL128 sends 16 bytes for 15 of data, of which 31/32 of an eighth leave by each leaf, at 0.1 GB/s
// and at 0.05.
TEST(ClusterPredictions, CountTheFlagsOfProtocols) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  const auto found = [](double oversubscription) {
    const Fabric fabric{.rails = 8, .nodes_per_rack = 2, .rack = {oversubscription}};
    return predicted(cluster_of("dgx-h100", 4, fabric), Function::all_gather, kBytes);
  };
  const auto faster = found(1000), slower = found(2000);

  ASSERT_EQ(faster.nccl.protocol, Protocol::ll128);
  const double wire_bytes = kBytes * 16.0 / 15;
  EXPECT_NEAR(slower.forecast->time_us - faster.forecast->time_us,
              wire_bytes * 31 / 32 / 8 / (0.1 * 1000), 1);
}

TEST(ClusterPredictions, NameTheSpineWhereItIsNarrower) {
  const auto cluster =
      cluster_of("dgx-a100", 8, {.nodes_per_rack = 2, .spine = {.oversubscription = 16}});

  EXPECT_EQ(predicted(cluster, Function::all_reduce, kGiB).bound_by, "spine");
}

TEST(ClusterPredictions, NameTheLatencyOfSwitchesForSmallSizes) {
  const auto cluster =
      cluster_of("dgx-a100", 8, {.nodes_per_rack = 2, .spine = {.latency_us = 20}});

  EXPECT_EQ(predicted(cluster, Function::all_reduce, 8).bound_by, "switch latency");
}

TEST(ClusterPredictions, OfOneRackAreThoseWithoutSwitches) {
  for (const auto& platform : platforms()) {
    if (platform.hosts > 1) continue;  // minutes of searching for what the others show
    const auto cluster = cluster_of(platform.name, 3, {.nodes_per_rack = 4, .rack = {7, 9}});
    ClusterNodes nodes(cluster);
    ClusterPredictor predictor(nodes, 3);
    for (const auto bytes : kSizes) {
      const auto found = predictor.predict(Function::all_reduce, bytes);
      const Scheme scheme{Function::all_reduce, found.nccl.algorithm, found.nccl.protocol};
      EXPECT_DOUBLE_EQ(found.forecast->time_us,
                       forecast(predictor.nccl().job(), {scheme, bytes})->time_us);
      EXPECT_EQ(found.bound_by, "NCCL model");
    }
  }
}

TEST(ClusterPredictions, NeverGainByOversubscription) {
  for (const auto bytes : kSizes) {
    double before_at_racks = 0, before_at_spine = 0;
    for (const double ratio : {1.0, 1.5, 4.0, 64.0}) {
      const double at_racks = time_us(
          cluster_of("azure-ndv4", 6, {.rails = 2, .nodes_per_rack = 2, .rack = {ratio}}), bytes);
      const double at_spine = time_us(
          cluster_of("azure-ndv4", 6, {.nodes_per_rack = 2, .rack = {2}, .spine = {ratio}}), bytes);
      EXPECT_GE(at_racks, before_at_racks);
      EXPECT_GE(at_spine, before_at_spine);
      before_at_racks = at_racks;
      before_at_spine = at_spine;
    }
  }
}

// all_gather has one algorithm between nodes: NCCL's choice stays.
TEST(ClusterPredictions, FollowTheSpeedOfNicsWhereTheNetworkBinds) {
  const Fabric fabric{.nodes_per_rack = 2, .rack = {.oversubscription = 4}};
  auto cluster = cluster_of("dgx-h100", 8, fabric);
  auto slower = *cluster.groups[0].system;
  walk_devices(slower, [](auto&, PciDevice& device, int) {
    for (auto& net : device.nets) net.speed_mbps /= 2;
  });
  const auto busbw_gbps = [&] {
    return predicted(cluster, Function::all_gather, 64 * kGiB).forecast->busbw_gbps;
  };
  const double before = busbw_gbps();

  cluster.groups[0].system = std::make_shared<System>(slower);

  EXPECT_NEAR(before / busbw_gbps(), 2, 0.05);
}

TEST(ClusterNodes, HaveNoMoreDevicesThanNcclHasPlacesFor) {
  const auto unfit = [](const NodeShape& shape, const NcclVersion& version) {
    Cluster cluster;
    cluster.groups.push_back(
        {.topology = "big.xml", .system = std::make_shared<System>(system_of(shape))});
    return ClusterNodes(cluster, version).unfit(1);
  };
  const NodeShape gpus{.numas = 1, .switches = 0, .gpus = 257, .nics = 0};
  const NodeShape ports{.numas = 1, .switches = 0, .gpus = 2, .nics = 257};

  EXPECT_EQ(unfit(gpus, {2, 26, 6}),
            "big.xml has 257 GPUs, and NCCL 2.26.6 takes 256 in a node at most.");
  EXPECT_EQ(unfit(ports, {2, 26, 6}),
            "big.xml has 257 NIC ports, and NCCL 2.26.6 takes 256 in a node at most.");
  EXPECT_EQ(unfit(gpus, {2, 27, 3}), "");
}

TEST(ClusterNodes, SayWhyTheyCannotRunTogether) {
  Cluster cluster = cluster_of("dgx-h100", 2);
  System bare = *built_in_platform("dgx-h100");
  walk_devices(bare, [](auto&, PciDevice& device, int) { device.nets.clear(); });
  cluster.groups.push_back({.topology = "bare.xml", .system = std::make_shared<System>(bare)});
  cluster.groups.push_back({.topology = "empty.xml", .system = std::make_shared<System>()});

  const ClusterNodes nodes(cluster);

  EXPECT_EQ(nodes.unfit(2), "");
  EXPECT_EQ(nodes.unfit(3), "several nodes need a NIC, and bare.xml has none.");
  EXPECT_THAT(nodes.unfit(4), testing::HasSubstr("several nodes"));
}

TEST(ClusterNodes, OfSeveralKindsKnowWhereTheirNumbersOfNicsDiffer) {
  Cluster cluster = cluster_of("dgx-a100", 2);
  cluster.groups.push_back(cluster_of("aws-p4d", 1).groups[0]);

  const ClusterNodes nodes(cluster);

  EXPECT_FALSE(nodes.nics_differ(2));
  EXPECT_TRUE(nodes.nics_differ(3));
}

// A call over both kinds is no faster than over either alone.
TEST(ClusterPredictions, OfMixedNodesKeepToTheSlowerKind) {
  Cluster mixed = cluster_of("hgx-h200", 2);
  mixed.groups.push_back(cluster_of("azure-ndv4", 2).groups[0]);

  for (const auto bytes : kSizes)
    EXPECT_GE(time_us(mixed, bytes) * (1 + 1e-9), time_us(cluster_of("hgx-h200", 4), bytes));
  EXPECT_GE(time_us(mixed, 8 * kGiB), time_us(cluster_of("azure-ndv4", 4), 8 * kGiB) * 0.99);
}

}  // namespace
}  // namespace linerate::topo
