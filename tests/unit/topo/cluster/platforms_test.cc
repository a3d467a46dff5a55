// A shape's numbers are found again in its system; the built-in platforms.
#include "topo/cluster/platforms.h"

#include "topo/graph/graph.h"
#include "topo/system/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

std::vector<PciDevice> devices_of(const System& system) {
  std::vector<PciDevice> all;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) { all.push_back(device); });
  return all;
}

std::vector<int> nvlink_counts(const PciDevice& device) {
  std::vector<int> counts;
  for (const auto& link : device.gpu->nvlinks) counts.push_back(link.count);
  return counts;
}

std::vector<PciDevice> gpus_of(const System& system) {
  auto all = devices_of(system);
  std::erase_if(all, [](const PciDevice& device) { return !device.gpu; });
  return all;
}

TEST(NodeShapes, HaveTheirDevicesBelowTheirSwitches) {
  const auto system = system_of({.numas = 2, .switches = 3, .gpus = 2, .nics = 1});

  ASSERT_EQ(system.cpus.size(), 2u);
  for (const auto& cpu : system.cpus) {
    ASSERT_EQ(cpu.devices.size(), 3u);
    for (const auto& bridge : cpu.devices) {
      EXPECT_EQ(bridge.class_code, 0x060400u);
      ASSERT_EQ(bridge.children.size(), 3u);
      EXPECT_TRUE(bridge.children[0].gpu && bridge.children[1].gpu);
      EXPECT_EQ(bridge.children[2].nets.size(), 1u);
    }
  }
}

TEST(NodeShapes, OfTwoLevelsHaveASwitchForEachDevice) {
  const auto system = system_of({.numas = 1, .switches = 1, .levels = 2, .gpus = 1, .nics = 1});

  const auto& below = system.cpus[0].devices[0].children;
  ASSERT_EQ(below.size(), 2u);
  EXPECT_TRUE(below[0].children.at(0).gpu);
  EXPECT_FALSE(below[1].children.at(0).nets.empty());
}

TEST(NodeShapes, WithoutSwitchesHaveTheirDevicesAtTheProcessor) {
  const auto system = system_of({.numas = 1, .switches = 0, .gpus = 2, .nics = 1});

  EXPECT_EQ(system.cpus[0].devices.size(), 3u);
}

TEST(NodeShapes, NumberGpusAndPortsInTheOrderOfTheirUniqueBusIds) {
  const auto devices =
      devices_of(system_of({.numas = 4, .switches = 4, .levels = 2, .gpus = 4, .nics = 4}));

  std::set<BusId> ids;
  BusId last{};
  int gpus = 0, nics = 0;
  for (const auto& device : devices) {
    EXPECT_TRUE(ids.insert(device.bus_id).second) << text_of(device.bus_id);
    EXPECT_LT(last, device.bus_id);
    last = device.bus_id;
    if (device.gpu) {
      EXPECT_EQ(device.gpu->dev, gpus++);
    }
    for (const auto& net : device.nets) EXPECT_EQ(net.dev, nics++);
  }
  EXPECT_EQ(gpus, 64);
  EXPECT_EQ(nics, 64);
}

TEST(NodeShapes, SpreadNvlinksOverTheSwitchesUnevenlyOnlyWhereTheyMust) {
  const auto gpus = gpus_of(system_of({.gpu = {.nvlinks = 18, .nvswitches = 4}}));

  EXPECT_THAT(nvlink_counts(gpus[0]), ElementsAre(5, 5, 4, 4));
  EXPECT_EQ(gpus[0].gpu->nvlinks, gpus[7].gpu->nvlinks);
  EXPECT_EQ(gpus[0].gpu->nvlinks[0].tclass, 0x068000u);
}

TEST(NodeShapes, WithoutNvswitchesLinkEachGpuToTheOthersOfItsHost) {
  const auto gpus = gpus_of(system_of(
      {.hosts = 2, .numas = 1, .switches = 1, .gpus = 4, .gpu = {.nvlinks = 6, .nvswitches = 0}}));

  ASSERT_EQ(gpus.size(), 8u);
  EXPECT_THAT(nvlink_counts(gpus[5]), ElementsAre(2, 2, 2));
  EXPECT_EQ(gpus[5].gpu->nvlinks[0].target, text_of(gpus[4].bus_id));
  EXPECT_EQ(gpus[5].gpu->nvlinks[0].tclass, 0x030200u);
}

TEST(NodeShapes, WithBridgesLinkCardsInPairs) {
  const auto gpus = gpus_of(*built_in_platform("pcie-8xh100"));

  ASSERT_EQ(gpus.size(), 8u);
  EXPECT_THAT(nvlink_counts(gpus[5]), ElementsAre(12));
  EXPECT_EQ(gpus[5].gpu->nvlinks[0].target, text_of(gpus[4].bus_id));
}

TEST(NodeShapes, OfSeveralHostsTellThemApartAndCountRanksThrough) {
  const auto system = system_of({.hosts = 3, .numas = 2, .switches = 1});
  const auto gpus = gpus_of(system);

  ASSERT_EQ(system.cpus.size(), 6u);
  EXPECT_EQ(system.cpus[0].host_hash, system.cpus[1].host_hash);
  EXPECT_NE(system.cpus[1].host_hash, system.cpus[2].host_hash);
  EXPECT_EQ(gpus[5].gpu->rank, 5);
  EXPECT_EQ(gpus[5].gpu->dev, 1);
  EXPECT_EQ(gpus[5].bus_id, gpus[1].bus_id);
}

TEST(NodeShapes, GiveEachNumaNodeItsOwnHardwareThreads) {
  const auto system = system_of({.numas = 2, .cpu = {.threads = 24}});

  EXPECT_EQ(system.cpus[0].affinity, "00000000,00ffffff");
  EXPECT_EQ(system.cpus[1].affinity, "0000ffff,ff000000");
}

TEST(PciLinks, AreWordedAsSysfsDoes) {
  EXPECT_EQ(pci_x16(1), (PciLink{"2.5 GT/s PCIe", 16}));
  EXPECT_EQ(pci_x16(5), (PciLink{"32.0 GT/s PCIe", 16}));
}

// What a data sheet says of one platform, all hosts together.
struct Sheet {
  std::string_view name;
  int gpus = 8, sm = 90, nvlinks = 18;
  int nics = 8;
  double gbits = 400;  // of a NIC
};

constexpr Sheet kSheets[] = {
    {.name = "dgx-a100", .sm = 80, .nvlinks = 12, .gbits = 200},
    {.name = "dgx-h100"},
    {.name = "hgx-h200"},
    {.name = "hgx-a100-4nic", .sm = 80, .nvlinks = 12, .nics = 4, .gbits = 200},
    {.name = "hgx-h100-4nic", .nics = 4},
    {.name = "hgx-a100-4gpu", .gpus = 4, .sm = 80, .nvlinks = 12, .nics = 4, .gbits = 200},
    {.name = "hgx-h100-4gpu", .gpus = 4, .nics = 4},
    {.name = "hgx-h20"},
    {.name = "hgx-h800", .nvlinks = 8},
    {.name = "gh200", .gpus = 1, .nvlinks = 0, .nics = 1},
    {.name = "dgx-b200", .sm = 100},
    {.name = "dgx-b300", .sm = 103, .gbits = 800},
    {.name = "gb200-nvl72", .gpus = 72, .sm = 100, .nics = 72},
    {.name = "gb300-nvl72", .gpus = 72, .sm = 103, .nics = 72, .gbits = 800},
    {.name = "azure-ndv4", .sm = 80, .nvlinks = 12, .gbits = 200},
    {.name = "azure-ndv5"},
    {.name = "aws-p4d", .sm = 80, .nvlinks = 12, .nics = 4, .gbits = 100},
    {.name = "aws-p5"},  // 32 of 100 Gb/s, and its plugin shows NCCL four of them as one
    {.name = "gcp-a3-mega", .gbits = 200},
    {.name = "pcie-8xh100", .nvlinks = 12, .nics = 4, .gbits = 200},
    {.name = "pcie-8xh100nvl", .nvlinks = 12, .nics = 4, .gbits = 200},
    {.name = "pcie-8xl40s", .sm = 89, .nvlinks = 0, .nics = 4, .gbits = 200},
};

class Platforms : public testing::TestWithParam<Sheet> {};

TEST_P(Platforms, HaveTheDevicesOfTheirDataSheet) {
  const auto system = built_in_platform(GetParam().name);
  ASSERT_TRUE(system) << system.sentence();

  int gpus = 0, nics = 0;
  walk_devices(*system, [&](const Cpu&, const PciDevice& device, int) {
    if (device.gpu) {
      ++gpus;
      int links = 0;
      for (const auto& link : device.gpu->nvlinks) links += link.count;
      EXPECT_EQ(links, GetParam().nvlinks);
      EXPECT_EQ(device.gpu->sm, GetParam().sm);
    }
    for (const auto& net : device.nets) {
      ++nics;
      EXPECT_EQ(net.speed_mbps, 1000 * GetParam().gbits);
    }
  });
  EXPECT_EQ(gpus, GetParam().gpus);
  EXPECT_EQ(nics, GetParam().nics);
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, Platforms, testing::ValuesIn(kSheets), [](const auto& sheet) {
  std::string name(sheet.param.name);
  std::erase(name, '-');
  return name;
});

TEST(PlatformTable, HasADataSheetForEachRow) {
  std::vector<std::string_view> rows, sheets;
  for (const auto& platform : platforms()) rows.push_back(platform.name);
  for (const auto& sheet : kSheets) sheets.push_back(sheet.name);

  EXPECT_EQ(rows, sheets);
}

// A part of a rack is its first hosts.
TEST(PlatformTable, HasPartsOfRacksByTheirGpus) {
  for (const int gpus : {4, 8, 16, 36, 64}) {
    const auto name = "gb200-nvl" + std::to_string(gpus);
    const auto part = built_in_platform(name);
    ASSERT_TRUE(part) << part.sentence();
    EXPECT_EQ(gpus_of(*part).size(), static_cast<std::size_t>(gpus));
    EXPECT_EQ(part->name, name);
    EXPECT_EQ(hosts_of(*part).size(), static_cast<std::size_t>(gpus / 4));
  }
  for (const auto* name : {"gb200-nvl6", "gb200-nvl76", "gb200-nvl", "gb200-nvl0", "gb200-nvl-4"})
    EXPECT_FALSE(built_in_platform(name)) << name;
  EXPECT_THAT(built_in_platform("gb200-nvl6").sentence(),
              testing::HasSubstr("give gb200-nvl4 to gb200-nvl72, in steps of 4."));
}

TEST(PlatformTable, SuggestsTheNearestName) {
  const auto system = built_in_platform("dgx-h10");

  ASSERT_FALSE(system);
  EXPECT_THAT(system.sentence(), testing::HasSubstr("Did you mean 'dgx-h100'?"));
}

TEST(PlatformTable, RacksHaveGpusThatReachTheirProcessorBesidePci) {
  const auto rack = built_in_platform("gb200-nvl72");
  ASSERT_TRUE(rack);

  EXPECT_EQ(rack->cpus.size(), 36u);
  EXPECT_EQ(rack->cpus[0].arch, CpuArch::arm64);
  const auto& gpu = rack->cpus[0].devices.at(0).gpu;
  ASSERT_TRUE(gpu && gpu->c2c);
  EXPECT_NEAR(gpu->c2c->link_mbps * gpu->c2c->count, 225e3, 5e3);  // 900 GB/s, two ways, two GPUs
}

}  // namespace
}  // namespace linerate::topo
