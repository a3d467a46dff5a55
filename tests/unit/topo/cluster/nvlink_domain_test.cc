// Hosts of one NVLink domain: what is theirs alone, and what they share.
#include "topo/cluster/nvlink_domain.h"

#include "topo/cluster/platforms.h"
#include "topo/graph/paths.h"
#include "topo/read/nccl_xml.h"
#include "topo/show/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace linerate::topo {
namespace {

using testing::HasSubstr;

// A tray as NCCL wrote it down.
System tray() {
  return read_nccl_xml(*nccl_xml_of(*built_in_platform("gb200-nvl4")), "tray.xml").value();
}

TEST(NvlinkDomain, OfAFileIsTheRackThatIsBuiltIn) {
  const auto domain = in_one_domain(tray(), 2);
  ASSERT_TRUE(domain) << domain.sentence();

  const auto graph = build_graph(*domain), rack = build_graph(*built_in_platform("gb200-nvl8"));

  ASSERT_EQ(graph.nodes().size(), rack.nodes().size());
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    EXPECT_EQ(graph.nodes()[n].name, rack.nodes()[n].name);
    EXPECT_EQ(graph.nodes()[n].links, rack.nodes()[n].links);
  }
  const Paths paths(graph);
  const int near = *graph.find("h0/GPU0"), far = *graph.find("h1/GPU3");
  EXPECT_EQ(paths.between(near, far).type, PathType::nvl);
}

TEST(NvlinkDomain, GivesEachHostRanksAndGuidsOfItsOwn) {
  const auto domain = in_one_domain(tray(), 3);
  ASSERT_TRUE(domain);

  std::set<int> ranks;
  std::set<std::uint64_t> guids;
  walk_devices(*domain, [&](const Cpu&, const PciDevice& device, int) {
    if (device.gpu) ranks.insert(device.gpu->rank);
    for (const auto& net : device.nets) guids.insert(net.guid);
  });
  EXPECT_EQ(ranks.size(), 12u);
  EXPECT_EQ(*ranks.rbegin(), 11);
  EXPECT_EQ(guids.size(), 12u);
}

TEST(NvlinkDomain, JoinsHostsOverSwitchesAlone) {
  EXPECT_THAT(in_one_domain(*built_in_platform("hgx-h100-4gpu"), 2).sentence(),
              HasSubstr("4 GPUs, and the NVLinks of none lead to a switch"));
  EXPECT_THAT(in_one_domain(*built_in_platform("gb200-nvl72"), 2).sentence(),
              HasSubstr("has 18 hosts already"));
  EXPECT_FALSE(in_one_domain({}, 2));
}

}  // namespace
}  // namespace linerate::topo
