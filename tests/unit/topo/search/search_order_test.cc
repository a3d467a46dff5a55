// Which GPU a search tries next.
#include "topo/search/search_order.h"

#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "unit/topo/graph/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using ::testing::ElementsAre;

// A search whose first channel has come in by port 0.
class FromPort0 {
 public:
  explicit FromPort0(const NodeShape& shape) : graph_(build_graph(system_of(shape))) {
    candidate_.intra_type = candidate_.inter_type = static_cast<int>(PathType::sys);
    candidate_.channels.resize(1);
    candidate_.channel(0).net_in = 0;
  }

  const SearchTopology& topology() const { return topology_; }
  LinkLoad& load() { return load_; }
  std::vector<int> after(int gpu, NicNeed need) {
    GpuOrder order(topology_, load_);
    order.flip(gpu, 0);
    return order.after(gpu, need, candidate_);
  }

 private:
  Graph graph_;
  Paths paths_{graph_};
  SearchTopology topology_{graph_, paths_, true};
  LinkLoad load_{topology_};
  CandidateGraph candidate_{};
};

// Four GPUs on each of two sockets; port 0 is beside GPU 0.
TEST(GpuOrder, PrefersGpusNearThePortWhereTheChannelComesBackToIt) {
  FromPort0 search(pci_node());

  EXPECT_THAT(search.after(7, NicNeed::next), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(GpuOrder, PutsBandwidthFromThePortBeforeWhatIsLeftOfAGpusLink) {
  FromPort0 search(pci_node());
  ASSERT_TRUE(search.load().take(search.topology().path(0, 1), 20));

  // GPUs 0 and 1 have less left, but the other socket is behind a narrower link.
  const auto order = search.after(7, NicNeed::next);

  EXPECT_THAT(std::vector(order.begin(), order.begin() + 4), ElementsAre(2, 3, 0, 1));
}

TEST(GpuOrder, KeepsTheGpuNearThePortForLaterWhereAllAreEqual) {
  NodeShape mesh{.switches = 2};
  mesh.gpu.nvlinks = 6;
  mesh.gpu.nvswitches = 0;
  FromPort0 search(mesh);

  EXPECT_EQ(search.after(3, NicNeed::next).front(), 0);
  EXPECT_EQ(search.after(3, NicNeed::later).back(), 0);
}

}  // namespace
}  // namespace linerate::topo
