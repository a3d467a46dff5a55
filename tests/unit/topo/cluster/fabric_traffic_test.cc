// What each scheme puts on the switches, reckoned by hand for four nodes in two racks.
#include "topo/cluster/fabric_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace linerate::topo {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
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

TEST(FabricTraffic, OfReductionsInSwitchesIsOncePerRack) {
  const auto job = job_in_two_racks();

  const auto traffic = job.of(Function::all_reduce, Algorithm::collnet_chain);
  expect_each(traffic, 1);
  EXPECT_EQ(traffic.crossings, 1);
  expect_each(job.of(Function::all_gather, Algorithm::collnet_direct), 0.5);
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

// Node 1 hangs on the first child's place of node 0 in one tree, on the second's in none.
TEST(FabricTraffic, OfTreesReachesChildrenWhereTheGpusOfTheirPlaceAre) {
  Job job(2, {.rails = 2}, {{0, 1}});
  EXPECT_EQ(job.of(Function::all_reduce, Algorithm::tree).spine, 0);

  job.rails.child_is_out = {true, true};

  const auto traffic = job.of(Function::all_reduce, Algorithm::tree);
  EXPECT_THAT(traffic.up, Pointwise(DoubleNear(kClose), {1.0, 1.0}));
  EXPECT_EQ(job.of(Function::all_reduce, Algorithm::nvls_tree).spine, 0);
}

}  // namespace
}  // namespace linerate::topo
