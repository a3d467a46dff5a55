// The built-in platforms against what their data sheets say.
#include "topo/cluster/platforms.h"

#include "topo/system/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

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
    {.name = "dgx-b200", .sm = 100},
    {.name = "gb200-nvl72", .gpus = 72, .sm = 100, .nics = 72},
    {.name = "azure-ndv4", .sm = 80, .nvlinks = 12, .gbits = 200},
    {.name = "azure-ndv5"},
    {.name = "aws-p4d", .sm = 80, .nvlinks = 12, .nics = 4, .gbits = 100},
    {.name = "aws-p5"},  // 32 of 100 Gb/s, and its plugin shows NCCL four of them as one
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
  for (const auto& platform : platforms()) EXPECT_EQ(platform.shape.name, platform.name);
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
