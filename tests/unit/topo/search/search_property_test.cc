// What holds for the channels of any system, in any version.
#include "topo/search/channels.h"
#include "topo/search/search_topology.h"
#include "unit/topo/graph/nodes.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>

namespace linerate::topo {
namespace {

constexpr unsigned kSystems = 12;
constexpr NcclVersion kVersions[] = {{2, 18, 6}, {2, 22, 3}, {2, 26, 6}, {2, 28, 9}, {2, 30, 7}};

template <typename Check>
void for_each_search(const Check& check) {
  for (unsigned seed = 0; seed < kSystems; ++seed)
    for (const auto& version : kVersions)
      for (const auto pattern : {Pattern::ring, Pattern::balanced_tree, Pattern::nvls}) {
        SCOPED_TRACE(text_of(version) + " system " + std::to_string(seed));
        const auto graph = build_graph(random_system(seed), version);
        const bool multi_node = !graph.of(NodeKind::net).empty() && seed % 2 == 0;
        const Paths paths(graph);
        check(graph, paths, search_channels(SearchTopology(graph, paths, multi_node), pattern, {}));
      }
}

// Fast links of any GPU, all together: no set of rings can carry more.
double bound(const Graph& graph) {
  double most = 0;
  for (const int gpu : graph.of(NodeKind::gpu)) {
    double sum = 0;
    for (const auto& link : graph.node(gpu).links) sum += link.gbps;
    most = std::max(most, sum);
  }
  return most;
}

TEST(AnySearch, FindsChannelsOrSaysSo) {
  for_each_search([](const Graph&, const Paths&, const ChannelSet& set) {
    if (set.pattern == Pattern::nvls) return;
    ASSERT_GT(set.nchannels(), 0);
    ASSERT_TRUE(!set.simple_order || set.nchannels() == 1);
    ASSERT_GT(set.intra_gbps, 0);
  });
}

TEST(AnySearch, PutsEveryGpuIntoEachChannelOnce) {
  for_each_search([](const Graph& graph, const Paths&, const ChannelSet& set) {
    for (const auto& channel : set.channels) {
      const std::set<int> gpus(channel.gpus.begin(), channel.gpus.end());
      ASSERT_EQ(gpus.size(), channel.gpus.size());
      ASSERT_TRUE(set.pattern == Pattern::nvls || gpus.size() == graph.of(NodeKind::gpu).size());
    }
  });
}

TEST(AnySearch, KeepsRingsWithinTheTypesThatItNames) {
  for_each_search([](const Graph& graph, const Paths& paths, const ChannelSet& set) {
    if (set.pattern != Pattern::ring || set.simple_order) return;
    for (const auto& channel : set.channels)
      for (std::size_t i = 0; i + 1 < channel.gpus.size(); ++i)
        ASSERT_FALSE(nearer(set.intra_type,
                            paths.between(channel.gpus[i], channel.gpus[i + 1]).type,
                            graph.version()));
  });
}

TEST(AnySearch, PromisesNoMoreThanTheLinksOfAGpu) {
  for_each_search([](const Graph& graph, const Paths&, const ChannelSet& set) {
    if (set.pattern != Pattern::ring || graph.of(NodeKind::gpu).size() < 2) return;
    ASSERT_LE(set.nchannels() * set.intra_gbps, bound(graph) + 0.01);
  });
}

TEST(AnAddedNvLink, LowersNoBound) {
  for (int nvlinks = 1; nvlinks < 18; ++nvlinks) {
    const auto rings = [&](int count) {
      NodeShape shape = hopper_node();
      shape.gpu.nvlinks = count;
      const auto graph = build_graph(system_of(shape));
      const auto set =
          search_channels(SearchTopology(graph, Paths(graph), false), Pattern::ring, {});
      return set.nchannels() * set.intra_gbps;
    };
    EXPECT_GE(rings(nvlinks + 1), rings(nvlinks)) << nvlinks;
  }
}

TEST(TheOrderOfSwitches, ChangesNoSpeed) {
  for (const bool multi_node : {false, true})
    for (const auto& shape : {hopper_node(), pci_node()}) {
      System other = system_of(shape);
      for (auto& cpu : other.cpus) std::ranges::reverse(cpu.devices);
      const auto speeds = [&](const System& system) {
        const auto graph = build_graph(system);
        const auto set =
            search_channels(SearchTopology(graph, Paths(graph), multi_node), Pattern::ring, {});
        return std::tuple(set.nchannels(), set.intra_gbps, set.inter_gbps, set.intra_type);
      };
      EXPECT_EQ(speeds(system_of(shape)), speeds(other));
    }
}

}  // namespace
}  // namespace linerate::topo
