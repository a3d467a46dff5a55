// When no channel can be there.
#include "topo/search/channels.h"
#include "topo/search/link_load.h"
#include "unit/topo/graph/nodes.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

// Two sockets of four GPUs without NVLink: 48 GB/s within a socket, 22 between them.
bool joins_all_of(Pattern pattern, float gbps, PathType farthest, bool multi_node = false) {
  const auto graph = build_graph(system_of(pci_node()));
  const Paths paths(graph);
  const SearchTopology topology(graph, paths, multi_node);
  CandidateGraph candidate{.pattern = pattern, .intra_gbps = gbps, .inter_gbps = gbps};
  candidate.intra_type = candidate.inter_type = topology.place(farthest);
  return connects_all_gpus(topology, candidate);
}

TEST(Reach, EndsAtLinksThatAreTooSlow) {
  EXPECT_TRUE(joins_all_of(Pattern::ring, 20, PathType::sys));
  EXPECT_FALSE(joins_all_of(Pattern::ring, 30, PathType::sys));
}

TEST(Reach, EndsAtPathTypesThatAreTooFar) {
  EXPECT_FALSE(joins_all_of(Pattern::ring, 20, PathType::phb));
  EXPECT_FALSE(joins_all_of(Pattern::tree, 20, PathType::phb));
}

TEST(Reach, BeginsAtAPort) {
  auto shape = hopper_node();
  shape.nic.speed_mbps = 100000;  // 12.5 GB/s
  const auto graph = build_graph(system_of(shape));
  const Paths paths(graph);
  CandidateGraph candidate{.intra_gbps = 20, .inter_gbps = 20};
  const SearchTopology alone(graph, paths, false), among_others(graph, paths, true);
  candidate.intra_type = candidate.inter_type = alone.place(PathType::sys);

  EXPECT_TRUE(connects_all_gpus(alone, candidate));
  EXPECT_FALSE(connects_all_gpus(among_others, candidate));
}

// What a search found was there to be found.
TEST(Reach, IncludesEveryChannelThatASearchFinds) {
  constexpr unsigned kSystems = 40;
  unsigned compared = 0;
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    const auto graph = build_graph(random_system(seed));
    const bool multi_node = !graph.of(NodeKind::net).empty() && seed % 2 == 0;
    const Paths paths(graph);
    const SearchTopology topology(graph, paths, multi_node);
    const auto set = search_channels(graph, paths, Pattern::ring, {.multi_node = multi_node});
    if (set.simple_order) continue;
    const CandidateGraph candidate{.pattern = Pattern::ring,
                                   .intra_gbps = static_cast<float>(set.intra_gbps),
                                   .inter_gbps = static_cast<float>(set.inter_gbps),
                                   .intra_type = topology.place(set.intra_type),
                                   .inter_type = topology.place(set.inter_type)};
    EXPECT_TRUE(connects_all_gpus(topology, candidate)) << "system " << seed;
    ++compared;
  }
  EXPECT_EQ(compared, 37U);
}

}  // namespace
}  // namespace linerate::topo
