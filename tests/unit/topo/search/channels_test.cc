// Golden searches: channels and speeds that NCCL is known to find on well-known nodes.
#include "topo/search/channels.h"

#include "topo/cluster/platforms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace linerate::topo {
namespace {

// A set in the words of NCCL's log: "12x30/30 NVL".
std::string told(const ChannelSet& set) {
  return fmt::format("{}x{:g}/{:g} {}", set.nchannels(), set.intra_gbps, set.inter_gbps,
                     name_of(set.intra_type));
}

NodeChannels channels_of(std::string_view platform, bool multi_node = false,
                         NcclVersion version = {}) {
  const auto graph = build_graph(*built_in_platform(platform), version);
  return find_node_channels(graph, Paths(graph), multi_node);
}

constexpr NcclVersion kLoggedVersions[] = {{2, 21, 5}, {2, 22, 3}, {2, 23, 4}, {2, 24, 3},
                                           {2, 25, 1}, {2, 26, 6}, {2, 27, 3}, {2, 27, 7},
                                           {2, 28, 9}, {2, 29, 7}, {2, 30, 4}, {2, 30, 7}};

TEST(NodeChannels, OfOneDgxA100AreTwelveTimesTwenty) {
  for (const auto& version : kLoggedVersions) {
    const auto found = channels_of("dgx-a100", false, version);
    EXPECT_EQ(told(found.ring), "12x20/20 NVL") << text_of(version);
    EXPECT_EQ(told(found.tree), "12x20/20 NVL") << text_of(version);
    EXPECT_EQ(found.coll_channels, 24) << text_of(version);
    EXPECT_EQ(found.nvls_channels, 0) << text_of(version);
  }
}

// The sets that a node of eight H100 logged: nccl#1197 on GitHub.
TEST(NodeChannels, OfOneDgxH100AreTwelveTimesThirtyAndEightHeads) {
  for (const auto& version : kLoggedVersions) {
    const auto found = channels_of("dgx-h100", false, version);
    EXPECT_EQ(told(found.ring), "12x30/30 NVL") << text_of(version);
    EXPECT_EQ(told(found.tree), "12x30/30 NVL") << text_of(version);
    EXPECT_EQ(told(found.nvls), "8x40/60 NVL") << text_of(version);
    EXPECT_EQ(found.coll_channels, 24) << text_of(version);
    EXPECT_EQ(found.nvls_channels, 16) << text_of(version);
  }
}

TEST(NodeChannels, OfOneDgxB200AreSixteenTimesFortyFive) {
  const auto found = channels_of("dgx-b200");

  EXPECT_EQ(told(found.ring), "16x45/45 NVL");
  EXPECT_EQ(found.tree.nchannels(), 16);
  EXPECT_EQ(told(found.nvls), "8x80/90 NVL");
  EXPECT_EQ(found.coll_channels, 32);
  EXPECT_EQ(found.nvls_channels, 24);
}

TEST(NodeChannels, OfSeveralH100NodesAreEightTimesFortyEight) {
  for (const auto* platform : {"dgx-h100", "hgx-h200", "azure-ndv5"}) {
    const auto found = channels_of(platform, true);
    EXPECT_EQ(told(found.ring), "8x48/48 NVL") << platform;
    EXPECT_EQ(found.tree.nchannels(), 8) << platform;
    EXPECT_EQ(found.nvls.nchannels(), 8) << platform;
    EXPECT_EQ(found.nvls.inter_gbps, 48) << platform;
    EXPECT_EQ(found.coll_channels, 16) << platform;
  }
}

TEST(NodeChannels, OfSeveralA100NodesAreEightTimesTwentyFour) {
  for (const auto* platform : {"dgx-a100", "azure-ndv4"}) {
    const auto found = channels_of(platform, true);
    EXPECT_EQ(told(found.ring), "8x24/24 NVL") << platform;
    EXPECT_EQ(found.tree.inter_gbps, 24) << platform;
    EXPECT_EQ(found.coll_channels, 16) << platform;
  }
}

TEST(NodeChannels, UseEveryNicOfASmallOrALargeNumber) {
  EXPECT_EQ(told(channels_of("aws-p4d", true).ring), "4x12/12 NVL");
  const auto graph = build_graph(
      system_of({.gpus = 1, .nics = 4, .nic = {.speed_mbps = 100000, .latency_us = 75}}));
  const auto many = find_node_channels(graph, Paths(graph), true);
  EXPECT_EQ(told(many.ring), "32x12/12 NVL");
  EXPECT_EQ(many.ring.inter_latency_us, 75);
  EXPECT_EQ(many.coll_channels, 64);
}

// Four NICs of AWS beside each GPU are one to NCCL.
TEST(NodeChannels, OfP5AreThoseOfANicOf400GbitForEachGpu) {
  const auto found = channels_of("aws-p5", true);

  EXPECT_EQ(told(found.ring), "8x48/48 NVL");
  EXPECT_EQ(found.ring.inter_latency_us, 75);
}

TEST(CollChannels, AreTwiceWhatWasFoundUpToTheVersionsMaximum) {
  EXPECT_EQ(coll_channels({.found = 12}), 24);
  EXPECT_EQ(coll_channels({.version = {2, 24, 3}, .found = 16}), 32);
  EXPECT_EQ(coll_channels({.version = {2, 24, 3}, .found = 20}), 32);
  EXPECT_EQ(coll_channels({.found = 40}), 64);
}

TEST(CollChannels, OfFewFastRingsBetweenHopperNodesDoubleAgain) {
  const ChannelCount few{.found = 4, .sm = 90, .nnodes = 2, .ring_gbps = 48};
  auto slow = few, many = few, alone = few, old = few;
  slow.ring_gbps = 45;
  many.found = 8;
  alone.nnodes = 1;
  old.sm = 80;

  EXPECT_EQ(coll_channels(few), 16);
  EXPECT_EQ(coll_channels(slow), 8);
  EXPECT_EQ(coll_channels(many), 16);
  EXPECT_EQ(coll_channels(alone), 8);
  EXPECT_EQ(coll_channels(old), 8);
}

TEST(CollChannels, OfBlackwellDoubleAgainFrom225) {
  const ChannelCount now{.found = 4, .sm = 100, .nnodes = 2, .ring_gbps = 48};
  auto before = now;
  before.version = {2, 24, 3};

  EXPECT_EQ(coll_channels(now), 16);
  EXPECT_EQ(coll_channels(before), 8);
}

TEST(NvlsChannels, FollowArchitectureAndVersion) {
  EXPECT_EQ(nvls_channels({.sm = 90}), 16);
  EXPECT_EQ(nvls_channels({.sm = 100}), 24);
  EXPECT_EQ(nvls_channels({.sm = 100, .nnodes = 2}), 32);
  EXPECT_EQ(nvls_channels({.version = {2, 26, 6}, .sm = 100}), 32);
  EXPECT_EQ(nvls_channels({.version = {2, 24, 3}, .sm = 100}), 16);
}

TEST(NvlsChannels, OfBlackwellNodesFollowTheirNicsFrom230) {
  const ChannelCount four{.version = {2, 30, 7}, .sm = 100, .nnodes = 4, .nic_gbps = 48};
  auto two = four, fast = four, slow = four, before = four;
  two.nnodes = 2;
  fast.nic_gbps = 96;
  fast.node_gpus = 72;
  slow.nic_gbps = 24;
  before.version = {2, 29, 7};

  EXPECT_EQ(nvls_channels(four), 24);
  EXPECT_EQ(nvls_channels(two), 32);
  EXPECT_EQ(nvls_channels(fast), 32);
  EXPECT_EQ(nvls_channels(slow), 32);
  EXPECT_EQ(nvls_channels(before), 32);
}

TEST(OpenChannels, AreThoseOfNvlsFrom220To227) {
  const NodeChannels found{.coll_channels = 16, .nvls_channels = 32};

  EXPECT_EQ(open_channels(found, {2, 19, 4}), 16);
  EXPECT_EQ(open_channels(found, {2, 20, 5}), 32);
  EXPECT_EQ(open_channels(found, {2, 27, 7}), 32);
  EXPECT_EQ(open_channels(found, {2, 28, 3}), 16);
}

TEST(ChannelLimits, AreTheMaximumThenTheMinimum) {
  const auto with = [](const ChannelSettings& asked) {
    return ChannelCount{.found = 12, .sm = 90, .asked = asked};
  };

  EXPECT_EQ(coll_channels(with({.max_ctas = 8})), 8);
  EXPECT_EQ(coll_channels(with({.max_channels = 4})), 4);
  EXPECT_EQ(coll_channels(with({.min_ctas = 32})), 32);
  EXPECT_EQ(coll_channels(with({.min_channels = 28, .max_channels = 4})), 28);
  EXPECT_EQ(nvls_channels(with({.min_ctas = 20})), 20);
  EXPECT_EQ(nvls_channels(with({.max_ctas = 8})), 8);
  EXPECT_EQ(nvls_channels(with({.min_channels = 32})), 16);
}

// NCCL up to 2.28.3 leaves NVLS out of nodes with one or two GPUs.
TEST(NodeChannels, HaveNvlsOfTwoGpusFrom2287) {
  const auto heads = [](const NcclVersion& version) {
    const auto graph = build_graph(system_of({.numas = 1, .switches = 2}), version);
    return find_node_channels(graph, Paths(graph), false).nvls.nchannels();
  };

  EXPECT_EQ(heads({2, 28, 3}), 0);
  EXPECT_EQ(heads({2, 28, 7}), 2);
}

// Up to 2.18 each channel asks for the first NICs again, and for GPUs whose PCI links are free.
TEST(NodeChannels, OfSeveralNodesOfCardsAreOthersWith218) {
  EXPECT_EQ(told(channels_of("pcie-8xh100", true, {2, 18, 6}).ring), "8x2.4/2.4 SYS");
  EXPECT_EQ(told(channels_of("pcie-8xh100", true, {2, 19, 4}).ring), "5x3/3 SYS");
}

TEST(NodeChannels, HaveNoNvlsBetweenNodesWith220) {
  const auto heads = [](bool multi_node, const NcclVersion& version) {
    return channels_of("dgx-h100", multi_node, version).nvls.nchannels();
  };

  EXPECT_EQ(heads(true, {2, 19, 4}), 8);
  EXPECT_EQ(heads(true, {2, 20, 5}), 0);
  EXPECT_EQ(heads(false, {2, 20, 5}), 8);
  EXPECT_EQ(heads(true, {2, 21, 5}), 8);
}

TEST(NodeChannels, HaveNoNvlsWhereItIsSwitchedOff) {
  const auto graph = build_graph(*built_in_platform("dgx-h100"));

  const auto found = find_node_channels(graph, Paths(graph), false, {.nvls = false});

  EXPECT_EQ(found.nvls.nchannels(), 0);
  EXPECT_EQ(found.nvls_channels, 0);
}

}  // namespace
}  // namespace linerate::topo
