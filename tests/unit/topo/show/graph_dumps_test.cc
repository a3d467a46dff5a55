// Dumps of channels in lines, and what differs between two.
#include "topo/show/graph_dumps.h"

#include "topo/cluster/platforms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::topo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

GraphDump found_on(std::string_view platform, bool multi_node) {
  return searched_dump(build_graph(*built_in_platform(platform)), multi_node);
}

TEST(GraphDumps, OfASearchAreWhatNcclWouldWrite) {
  const auto dump = found_on("dgx-h100", false);

  ASSERT_EQ(dump.graphs.size(), 3U);
  EXPECT_EQ(dump.source, "dgx-h100");
  EXPECT_EQ(dump.graphs[0].channels.size(), 12U);
  EXPECT_EQ(dump.graphs[0].intra_gbps, 30);
  EXPECT_EQ(dump.graphs[2].id, 3);
  EXPECT_EQ(dump.graphs[2].channels.front().gpus.size(), 1U);
  EXPECT_FALSE(dump.multi_node());
  EXPECT_TRUE(found_on("dgx-h100", true).multi_node());
}

TEST(GraphDumps, ShowChannelsThatAreAlikeInOneLine) {
  const auto one = dump_text(found_on("dgx-h100", false));
  const auto many = dump_text(found_on("dgx-h100", true));

  EXPECT_THAT(one, HasSubstr("ring (ring): 12 x 30 GB/s (NVL)\n"));
  EXPECT_THAT(one, HasSubstr("  0-11  GPU 0 1 2 3 4 5 6 7\n"));
  EXPECT_THAT(many, HasSubstr("between nodes 48 GB/s (PXB)"));
  EXPECT_THAT(many, HasSubstr("NIC 0 - GPU 0"));
}

TEST(GraphDumps, OfAlikeMachinesDoNotDiffer) {
  const auto here = found_on("dgx-h100", true);
  auto there = here;
  for (auto& graph : there.graphs)
    for (auto& channel : graph.channels) channel.ranks = {8, 9, 10, 11, 12, 13, 14, 15};

  EXPECT_THAT(differences(here, there), IsEmpty());
}

TEST(GraphDumps, TellWhatASlowerNodeHasOtherwise) {
  const auto here = found_on("dgx-h100", true);
  auto there = here;
  auto& ring = there.graphs.front();
  ring.channels.pop_back();
  ring.inter_gbps = 24;
  ring.inter_type = PathType::phb;
  std::swap(ring.channels[2].gpus[0], ring.channels[2].gpus[1]);

  const auto lines = differences(here, there);

  EXPECT_THAT(
      lines,
      ElementsAre("ring: channels: 8 and 7", "ring: GB/s of a channel between nodes: 48 and 24",
                  "ring: farthest path to a NIC: PXB and PHB", HasSubstr("ring: channel 2: NIC ")));
}

TEST(GraphDumps, TellAGraphThatOneOfThemLacks) {
  const auto here = found_on("dgx-h100", false);
  auto there = here;
  there.source = "node7.xml";
  there.graphs.pop_back();

  EXPECT_THAT(differences(here, there), ElementsAre("NVLS: node7.xml has no channels for it"));
  EXPECT_THAT(differences(there, here), ElementsAre("NVLS: node7.xml has no channels for it"));
}

TEST(GraphDumps, CountDifferencesBeyondTheFirstEight) {
  const auto here = found_on("dgx-h100", false);
  auto there = here;
  for (auto& channel : there.graphs.front().channels) std::swap(channel.gpus[0], channel.gpus[1]);

  const auto lines = differences(here, there);

  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines.back(), "ring: 4 more channels differ");
}

}  // namespace
}  // namespace linerate::topo
