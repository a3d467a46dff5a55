// Searches beside what NCCL itself found on machines whose owners published its dumps or logs.
#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "topo/search/channels.h"
#include "topo/search/search_topology.h"
#include "unit/topo/graph/nodes.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

struct Published {
  const char* source;
  NodeShape node;
  int nchannels;  // rings of the search, which NCCL then doubles
  double gbps;    // of each; in the words of NCCL 2.18 and newer
  bool same_channels;
};

// GPUs without a switch: their links go to each other, as many to each.
NodeShape mesh_of_4(int sm, int nvlinks) {
  NodeShape shape{.switches = 2};
  shape.gpu.sm = sm;
  shape.gpu.nvlinks = nvlinks;
  shape.gpu.nvswitches = 0;
  return shape;
}

NodeShape hgx_a100() {
  NodeShape shape{};
  shape.gpu.sm = 80;
  shape.gpu.nvlinks = 12;
  shape.gpu.nvswitches = 6;
  return shape;
}

class PublishedRings : public testing::TestWithParam<Published> {};

TEST_P(PublishedRings, OfOneNodeAreFound) {
  const auto& nccl = GetParam();
  const auto graph = build_graph(system_of(nccl.node));

  const auto rings = search_channels(SearchTopology(graph, Paths(graph), false), Pattern::ring, {});

  EXPECT_EQ(rings.nchannels(), nccl.nchannels) << nccl.source;
  EXPECT_DOUBLE_EQ(rings.intra_gbps, nccl.gbps) << nccl.source;
  EXPECT_EQ(rings.intra_type, PathType::nvl) << nccl.source;
  EXPECT_EQ(rings.same_channels, nccl.same_channels) << nccl.source;
}

INSTANTIATE_TEST_SUITE_P(
    OfGithub, PublishedRings,
    testing::Values(
        // A ring takes a link. NCCL of that year counted 22 GB/s for it, since then it is 20.
        Published{"NVIDIA/nccl issue 713, 4 V100, 2 NVLinks a pair", mesh_of_4(70, 6), 6, 20,
                  false},
        Published{"NVIDIA/nccl-tests issue 100, HGX A100: 24 channels 0 1 2 3 4 5 6 7", hgx_a100(),
                  12, 20, true},
        Published{"NVIDIA/nccl issue 1367, HGX H100: 12 rings", hopper_node(), 12, 30, true}));

}  // namespace
}  // namespace linerate::topo
