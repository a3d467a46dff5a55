// Predictions from a description of the node alone, for platforms with published figures.
#include "topo/model/job.h"

#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/model/predict.h"
#include "topo/system/system.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

JobShape job(std::string_view platform, int nnodes = 1, std::string_view version = "2.28.9") {
  const auto graph =
      build_graph(built_in_platform(platform).value(), parse_nccl_version(version).value());
  return job_of(graph, nnodes);
}

double peak_gbps(const JobShape& shape) {
  return Predictor(shape).predict(Function::all_reduce, 16 * kGiB).busbw_gbps;
}

void expect_within(double share, double value, double golden) {
  EXPECT_NEAR(value, golden, share * golden);
}

// What public runs of all_reduce reach, or what their operators ask for.
TEST(JobsOfPlatforms, ReachTheirPublishedPeaks) {
  expect_within(0.03, peak_gbps(job("dgx-a100")), 240);
  expect_within(0.03, peak_gbps(job("dgx-h100")), 480);
  expect_within(0.03, peak_gbps(job("dgx-b200")), 720);
  expect_within(0.03, peak_gbps(job("hgx-h200", 2)), 461);
  expect_within(0.03, peak_gbps(job("dgx-a100", 2)), 192);
}

TEST(JobsOfPlatforms, HaveTheirKnownChannels) {
  const auto a100 = job("dgx-a100"), h100 = job("dgx-h100"), b200 = job("dgx-b200");

  EXPECT_EQ(a100.of(Algorithm::ring).nchannels(), 12);
  EXPECT_EQ(a100.channels.coll_channels, 24);
  EXPECT_EQ(h100.of(Algorithm::ring).nchannels(), 12);
  EXPECT_EQ(h100.of(Algorithm::nvls).nchannels(), 8);
  EXPECT_EQ(b200.of(Algorithm::ring).nchannels(), 16);
  EXPECT_EQ(b200.channels.coll_channels, 32);
}

TEST(JobsOfPlatforms, KnowTheirProcessorsAndSwitches) {
  EXPECT_EQ(job("dgx-a100").cpu, CpuKind::amd);
  EXPECT_EQ(job("dgx-h100").cpu, CpuKind::intel);
  EXPECT_TRUE(job("dgx-h100").nvls());
  EXPECT_FALSE(job("dgx-a100").nvls());
  EXPECT_FALSE(job("pcie-8xl40s").nvswitch);
}

TEST(JobsOfPlatforms, FollowTheSpeedOfTheirNics) {
  auto system = built_in_platform("hgx-h200").value();
  walk_devices(system, [](auto&, PciDevice& device, int) {
    for (auto& net : device.nets) net.speed_mbps /= 2;
  });

  const double slow = peak_gbps(job_of(build_graph(system), 4));

  EXPECT_NEAR(slow / peak_gbps(job("hgx-h200", 4)), 0.5, 0.05);
}

// Two nodes, one of each kind.
JobShape mixed(const System& first, const System& second) {
  const auto one = facts_of(build_graph(first), true), other = facts_of(build_graph(second), true);
  const IdenticalNodes nodes[] = {{&one, 1}, {&other, 1}};
  return job_of(nodes);
}

TEST(JobsOfMixedNodes, HaveWhatAllOfThemCanDo) {
  const auto h100 = built_in_platform("dgx-h100").value();
  const auto a100 = built_in_platform("dgx-a100").value();

  for (const auto& shape : {mixed(h100, a100), mixed(a100, h100)}) {
    const auto& ring = shape.of(Algorithm::ring);
    EXPECT_EQ(ring.nchannels(), 8);
    EXPECT_EQ(ring.intra_gbps, 24);
    EXPECT_EQ(ring.inter_gbps, 24);
    EXPECT_EQ(shape.channels.coll_channels, 16);
    EXPECT_EQ(shape.min_sm, 80);
    EXPECT_EQ(shape.max_sm, 90);
    EXPECT_EQ(shape.cpu, CpuKind::mixed);
    EXPECT_FALSE(shape.nvls());
    EXPECT_EQ(shape.nranks, 16);
  }
}

TEST(JobsOfMixedNodes, AreThoseOfOneKindWhereTheKindsAreAlike) {
  const auto system = built_in_platform("hgx-h200").value();

  EXPECT_DOUBLE_EQ(peak_gbps(mixed(system, system)), peak_gbps(job("hgx-h200", 2)));
}

TEST(JobsOfMixedNodes, MayHaveDifferentNumbersOfGpus) {
  const auto four = system_of({.switches = 2}), eight = system_of({.switches = 4});

  const auto shape = mixed(four, eight);

  EXPECT_EQ(shape.nranks, 12);
  EXPECT_EQ(shape.ranks_per_node(), 6);
  EXPECT_EQ(shape.gpus, 8);
  EXPECT_EQ(shape.of(Algorithm::nvls).nchannels(), 4);  // heads
  EXPECT_GT(peak_gbps(shape), 0);
}

}  // namespace
}  // namespace linerate::topo
