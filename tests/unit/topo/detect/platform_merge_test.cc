// Providers' files, completed by a built-in platform.
#include "topo/cluster/platforms.h"
#include "topo/detect/nccl_merge.h"
#include "topo/graph/graph.h"
#include "topo/read/nccl_xml.h"
#include "topo/system/links.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate::topo {
namespace {

using testing::HasSubstr;

// As providers write them: where `gpus` GPUs and NICs are, each pair below a switch, and no more.
System places(int gpus) {
  std::string text = R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel">)";
  for (int n = 1; n <= gpus; ++n)
    text += fmt::format(
        R"(<pci busid="ffff:ff:{0:02x}.0" class="0x060400" link_speed="16 GT/s" link_width="16">
           <pci busid="{0:04x}:00:00.0" class="0x030200" link_speed="16 GT/s" link_width="16"/>
           <pci busid="{0:04x}:01:00.0" class="0x020700" link_speed="16 GT/s" link_width="16"/>
           </pci>)",
        n);
  return read_nccl_xml(text + "</cpu></system>", "places.xml").value();
}

TEST(PlatformMerge, GivesTheFilesPlacesWhatThePlatformHas) {
  const auto merged = completed_as_platform(places(8), *built_in_platform("azure-ndv5"));
  ASSERT_TRUE(merged) << merged.sentence();

  int gpus = 0, ports = 0;
  walk_devices(*merged, [&](const Cpu&, const PciDevice& device, int) {
    if (device.gpu) {
      ++gpus;
      EXPECT_EQ(active_nvlinks(*device.gpu), 18);
      EXPECT_EQ(device.gpu->sm, 90);
      EXPECT_EQ(device.bus_id.device, 0);
      EXPECT_EQ(pci_gbps(device.link), 24);  // the file's
    }
    for (const auto& net : device.nets) {
      ++ports;
      EXPECT_EQ(net.speed_mbps, 400000);
      EXPECT_EQ(net.name, "mlx5_" + std::to_string(net.dev));
      EXPECT_EQ(device.bus_id.bus, 1);
    }
  });
  EXPECT_EQ(gpus, 8);
  EXPECT_EQ(ports, 8);
  for (const auto& sentence : merged->unseen)
    EXPECT_EQ(sentence.find("by PCI class only"), std::string::npos) << sentence;
  EXPECT_EQ(build_graph(*merged).of(NodeKind::pci).size(), 8u);  // the file's
}

TEST(PlatformMerge, LeadsLinksBetweenGpusToTheFilesPlaces) {
  const auto merged = completed_as_platform(places(4), *built_in_platform("hgx-h100-4gpu"));
  ASSERT_TRUE(merged) << merged.sentence();

  const auto graph = build_graph(*merged);
  const auto& links = graph.node(*graph.find("GPU0")).links;
  EXPECT_EQ(std::count_if(links.begin(), links.end(),
                          [](const Link& link) { return link.kind == LinkKind::nvl; }),
            3);
}

TEST(PlatformMerge, IsRefusedWhereTheyAreNotOneMachine) {
  EXPECT_THAT(completed_as_platform(places(8), *built_in_platform("hgx-h100-4gpu")).sentence(),
              HasSubstr("file places.xml has 8 GPUs, and hgx-h100-4gpu has 4 GPUs"));
  EXPECT_THAT(completed_as_platform(places(8), *built_in_platform("aws-p4d")).sentence(),
              HasSubstr("has 8 NICs, and aws-p4d has 4 NICs"));
  EXPECT_THAT(completed_as_platform(places(8), *built_in_platform("gb200-nvl8")).sentence(),
              HasSubstr("give a part of one host"));
}

}  // namespace
}  // namespace linerate::topo
