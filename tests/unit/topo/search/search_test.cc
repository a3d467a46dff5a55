// Searches: what channels are made of, and how they follow the node's links.
#include "topo/search/channels.h"
#include "topo/search/search_topology.h"
#include "unit/topo/graph/nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

struct Found {
  Graph graph;
  ChannelSet set;
};

Found found(const System& system, Pattern pattern, bool multi_node = false,
            const SearchLimits& limits = {}) {
  auto graph = build_graph(system);
  auto set = search_channels(SearchTopology(graph, Paths(graph), multi_node), pattern, limits);
  return {std::move(graph), std::move(set)};
}

constexpr bool kNodes = true;  // several

double total(const ChannelSet& set) { return set.nchannels() * set.intra_gbps; }

// Without NVLink, what the rings of a set take of every link of the graph, in GB/s.
std::map<std::pair<int, int>, double> load_of(const Found& f) {
  const Paths paths(f.graph);
  std::map<std::pair<int, int>, double> load;
  const auto add = [&](int from, int to, double gbps) {
    for (const auto& hop : paths.between(from, to).hops) load[{hop.from, hop.to}] += gbps;
  };
  for (const auto& channel : f.set.channels) {
    for (std::size_t i = 0; i + 1 < channel.gpus.size(); ++i)
      add(channel.gpus[i], channel.gpus[i + 1], f.set.intra_gbps);
    if (channel.net_in >= 0) {
      add(channel.net_in, channel.gpus.front(), f.set.inter_gbps);
      add(channel.gpus.back(), channel.net_out, f.set.inter_gbps);
    } else {
      add(channel.gpus.back(), channel.gpus.front(), f.set.intra_gbps);
    }
  }
  return load;
}

TEST(Rings, PassEveryGpuOnce) {
  for (const auto& shape : {hopper_node(), pci_node()})
    for (const bool multi_node : {false, true}) {
      const auto f = found(system_of(shape), Pattern::ring, multi_node);
      ASSERT_GT(f.set.nchannels(), 0);
      EXPECT_FALSE(f.set.simple_order);
      for (const auto& channel : f.set.channels) {
        const std::set<int> gpus(channel.gpus.begin(), channel.gpus.end());
        EXPECT_EQ(gpus.size(), 8u);
        EXPECT_EQ(channel.net_in >= 0, multi_node);
        EXPECT_EQ(channel.net_out >= 0, multi_node);
      }
    }
}

TEST(Rings, TakeNoMoreOfALinkThanItHas) {
  for (const auto& shape : {hopper_node(), pci_node()})
    for (const bool multi_node : {false, true}) {
      const auto f = found(system_of(shape), Pattern::ring, multi_node);
      for (const auto& [ends, gbps] : load_of(f)) {
        double has = 0;
        for (const auto& link : f.graph.node(ends.first).links)
          if (link.to == ends.second) has += link.gbps;
        EXPECT_LE(gbps, has + 0.01) << f.graph.node(ends.first).name;
      }
    }
}

TEST(Rings, WithinOneNodeHaveNoPorts) {
  const auto f = found(system_of(hopper_node()), Pattern::ring);

  for (const auto& channel : f.set.channels) EXPECT_EQ(channel.net_in, -1);
}

TEST(Rings, FollowTheSpeedOfTheNics) {
  NodeShape half = hopper_node();
  half.nic.speed_mbps = 200000;

  EXPECT_EQ(found(system_of(hopper_node()), Pattern::ring, kNodes).set.inter_gbps, 48);
  EXPECT_EQ(found(system_of(half), Pattern::ring, kNodes).set.inter_gbps, 24);
}

TEST(Rings, FollowTheGenerationOfPciExpress) {
  NodeShape gen4 = hopper_node();
  gen4.gpu.pcie = gen4.nic.pcie = gen4.uplink = 4;

  EXPECT_EQ(found(system_of(gen4), Pattern::ring, kNodes).set.inter_gbps, 24);
}

TEST(Rings, FollowTheNumberOfNvLinks) {
  double before = 0;
  for (const int nvlinks : {4, 8, 12, 18}) {
    NodeShape shape = hopper_node();
    shape.gpu.nvlinks = nvlinks;
    const auto f = found(system_of(shape), Pattern::ring);
    EXPECT_GT(total(f.set), before);
    EXPECT_LE(total(f.set), nvlinks * 20.6);
    EXPECT_GE(total(f.set), 0.75 * nvlinks * 20.6);
    before = total(f.set);
  }
}

TEST(Rings, ThatCrossNicsGoBackAndForthInPairs) {
  const auto f = found(system_of(hopper_node()), Pattern::ring, kNodes);

  ASSERT_EQ(f.set.cross_nic, 2);
  ASSERT_EQ(f.set.nchannels() % 2, 0);
  for (std::size_t c = 0; c < f.set.channels.size(); c += 2) {
    EXPECT_EQ(f.set.channels[c].net_in, f.set.channels[c + 1].net_out);
    EXPECT_EQ(f.set.channels[c].net_out, f.set.channels[c + 1].net_in);
  }
}

// As NCCL's own search of this node has them, channel by channel.
TEST(Rings, BehindASwitchGoRoundTheGpusByNumber) {
  const auto f = found(system_of(hopper_node()), Pattern::ring, kNodes);
  const auto gpus = f.graph.of(NodeKind::gpu);

  ASSERT_EQ(f.set.nchannels(), 8);
  for (std::size_t c = 0; c < 8; ++c) {
    const auto step = c % 2 == 0 ? 7U : 1U;
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(f.set.channels[c].gpus[i], gpus[(c + i * step) % 8]) << c << " " << i;
  }
}

TEST(Trees, UseOnePortInBothDirections) {
  const auto f = found(system_of(hopper_node()), Pattern::balanced_tree, kNodes);

  EXPECT_EQ(f.set.pattern, Pattern::tree);  // the simpler one, from Hopper on
  ASSERT_GT(f.set.nchannels(), 0);
  for (const auto& channel : f.set.channels) EXPECT_EQ(channel.net_in, channel.net_out);
}

TEST(Rings, ShareAPortThatHasSeveralNames) {
  const auto one_port = with(system_of(hopper_node()), [](PciDevice& device) {
    for (auto& net : device.nets) net.guid = 1;
  });
  const auto f = found(one_port, Pattern::ring, kNodes);

  EXPECT_LE(f.set.nchannels() * f.set.inter_gbps, 50);
}

TEST(Nvls, HasEveryGpuAsAHeadOnce) {
  for (const bool multi_node : {false, true}) {
    const auto f = found(system_of(hopper_node()), Pattern::nvls, multi_node);
    std::set<int> heads;
    for (const auto& channel : f.set.channels) {
      ASSERT_EQ(channel.gpus.size(), 1u);
      heads.insert(channel.gpus.front());
    }
    EXPECT_EQ(heads.size(), 8u);
  }
}

// Seven heads would have more bandwidth together than eight.
TEST(Nvls, LeavesNoGpuOfOneNodeOut) {
  NodeShape shape = hopper_node();
  shape.gpu.nvlinks = 10;

  EXPECT_EQ(found(system_of(shape), Pattern::nvls).set.nchannels(), 8);
}

TEST(Nvls, NeedsASwitchAndHopper) {
  NodeShape ampere = hopper_node();
  ampere.gpu.sm = 80;
  NodeShape bridges = hopper_node();
  bridges.gpu.nvswitches = 0;

  EXPECT_EQ(found(system_of(ampere), Pattern::nvls).set.nchannels(), 0);
  EXPECT_EQ(found(system_of(bridges), Pattern::nvls).set.nchannels(), 0);
}

TEST(Searches, OfANodeWithoutPortsEndInTheSimpleOrder) {
  NodeShape shape = hopper_node();
  shape.nics = 0;
  const auto f = found(system_of(shape), Pattern::ring, kNodes);

  EXPECT_TRUE(f.set.simple_order);
  ASSERT_EQ(f.set.nchannels(), 1);
  EXPECT_DOUBLE_EQ(f.set.intra_gbps, 0.1);
  EXPECT_EQ(f.set.channels[0].net_in, -1);
}

TEST(Searches, OfOneGpuFindChannels) {
  NodeShape shape = hopper_node();
  shape.numas = shape.switches = 1;
  shape.nics = 1;

  for (const bool multi_node : {false, true}) {
    const auto f = found(system_of(shape), Pattern::ring, multi_node);
    EXPECT_FALSE(f.set.simple_order) << multi_node;
    EXPECT_GT(f.set.nchannels(), 0) << multi_node;
  }
  EXPECT_EQ(found(system_of(shape), Pattern::balanced_tree, kNodes).set.pattern, Pattern::tree);
}

TEST(Searches, OfNothingFindNothing) {
  for (const auto pattern : {Pattern::ring, Pattern::nvls, Pattern::balanced_tree})
    EXPECT_EQ(found({}, pattern).set.nchannels(), 0);
}

TEST(Searches, FindAsManyChannelsAsTheyAreLimitedTo) {
  const auto f = found(system_of(hopper_node()), Pattern::ring, false, {.max_channels = 2});

  EXPECT_EQ(f.set.nchannels(), 2);
  EXPECT_EQ(f.set.intra_gbps, 60);
}

TEST(Searches, ReachTwoSocketsWithoutNvLinkOverTheLinkBetweenThem) {
  const auto f = found(system_of(pci_node()), Pattern::ring);

  EXPECT_EQ(f.set.intra_type, PathType::sys);
  EXPECT_LE(total(f.set), 22);  // Sapphire Rapids
  EXPECT_GT(total(f.set), 11);
}

}  // namespace
}  // namespace linerate::topo
