// On which rails the channels of a node are.
#include "topo/cluster/fabric_traffic.h"
#include "topo/cluster/platforms.h"
#include "topo/model/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::Each;
using testing::ElementsAre;

// One port a channel: 2 GPUs and 4 NICs of which the n-th channel uses the n-th.
struct Wired {
  Graph graph = build_graph(system_of({.numas = 1, .switches = 1, .gpus = 2, .nics = 4}));
  NodeChannels found{};

  Wired() {
    const auto gpus = graph.of(NodeKind::gpu);
    for (const int port : graph.of(NodeKind::net)) {
      const Channel channel{.gpus = {gpus[0], gpus[1]}, .net_in = port, .net_out = port};
      found.ring.channels.push_back(channel);
      found.tree.channels.push_back(channel);
    }
    found.tree.pattern = Pattern::balanced_tree;
  }
};

std::vector<int> ins(const NodeRails& rails, Algorithm algorithm) {
  std::vector<int> ins;
  for (const auto& channel : rails.channels[index_of(algorithm)]) ins.push_back(channel.in);
  return ins;
}

TEST(NodeRails, TakeTheNicsOfAHostInTurn) {
  const Wired node;

  EXPECT_THAT(ins(rails_of(node.graph, node.found, 2), Algorithm::ring), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(ins(rails_of(node.graph, node.found, 4), Algorithm::pat), ElementsAre(0, 1, 2, 3));
}

TEST(NodeRails, BeginAnewOnEachHost) {
  const auto graph = build_graph(built_in_platform("gb200-nvl72").value());

  EXPECT_THAT(gbps_by_rail(graph, 3), ElementsAre(18 * 100, 18 * 50, 18 * 50));
}

TEST(NodeRails, ShareTheBandwidthOfNics) {
  const auto graph = build_graph(built_in_platform("dgx-h100").value());

  EXPECT_THAT(gbps_by_rail(graph, 8), Each(50));
  EXPECT_THAT(gbps_by_rail(graph, 3), ElementsAre(150, 150, 100));
}

// The second GPU of a balanced tree has the first child, of a split tree both.
TEST(NodeRails, KnowWhichGpuHasTheChildren) {
  Wired node;
  const auto children = [&] { return rails_of(node.graph, node.found, 1).child_is_out; };

  EXPECT_THAT(children(), ElementsAre(true, false));
  node.found.tree.pattern = Pattern::split_tree;
  EXPECT_THAT(children(), ElementsAre(true, true));
  node.found.tree.pattern = Pattern::tree;
  EXPECT_THAT(children(), ElementsAre(false, false));
}

TEST(NodeRails, PairRingsWhereNcclTriedToCrossNics) {
  Wired node;
  EXPECT_FALSE(rails_of(node.graph, node.found, 1).pairs_rings);

  node.found.ring.cross_nic = 2;

  EXPECT_TRUE(rails_of(node.graph, node.found, 1).pairs_rings);
}

}  // namespace
}  // namespace linerate::topo
