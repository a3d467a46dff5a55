// Bus ids as people and tools write them; what ids say of a device.
#include "topo/system/pci_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(BusIds, AreReadWithAndWithoutTheirDomain) {
  EXPECT_EQ(*parse_bus_id("0000:18:00.0"), (BusId{0, 0x18, 0, 0}));
  EXPECT_EQ(*parse_bus_id("18:1f.7"), (BusId{0, 0x18, 0x1f, 7}));
  EXPECT_EQ(*parse_bus_id("ffff:FF:01.0"), (BusId{0xffff, 0xff, 1, 0}));
}

TEST(BusIds, OfVirtualBridgesHaveLongDomains) {
  const auto bridge = parse_bus_id("fffffff:ff:ff.0");

  ASSERT_TRUE(bridge);
  EXPECT_EQ(bridge->domain, 0xfffffffU);
}

TEST(BusIds, AreWrittenAsTheyAreRead) {
  for (const auto* text : {"0000:18:00.0", "0001:00:1f.7", "fffffff:ff:ff.0"})
    EXPECT_EQ(text_of(*parse_bus_id(text)), text);
}

TEST(BusIds, ThatAreNoneAreRefusedInOneSentence) {
  for (const auto* text :
       {"", ":", "::.", "0000:18:00", "0000:18:100.0", "0000:18:00.8", "0000:100:00.0", "0x18:00.0",
        "-1:18:00.0", "0000:18:00.0 ", "123456789:18:00.0", "0000:18:00:0"}) {
    const auto id = parse_bus_id(text);

    ASSERT_FALSE(id) << text;
    EXPECT_THAT(id.sentence().find("such as 0000:18:00.0"), testing::Ne(std::string::npos));
  }
}

TEST(GpuModels, AreKnownByTheirDeviceIds) {
  EXPECT_EQ(gpu_model_of(0x10de, 0x20b0).sm, 80);   // A100
  EXPECT_EQ(gpu_model_of(0x10de, 0x26b9).sm, 89);   // L40S
  EXPECT_EQ(gpu_model_of(0x10de, 0x2330).sm, 90);   // H100
  EXPECT_EQ(gpu_model_of(0x10de, 0x2941).sm, 100);  // GB200
  EXPECT_EQ(gpu_model_of(0x10de, 0x31c2).sm, 103);  // GB300
}

TEST(GpuModels, OfModulesHaveTheLinksOfTheirBoard) {
  EXPECT_EQ(gpu_model_of(0x10de, 0x20b2).links, 12);  // A100 SXM4
  EXPECT_EQ(gpu_model_of(0x10de, 0x20b5).links, 0);   // A100 PCIe: as many as its bridges
  EXPECT_EQ(gpu_model_of(0x10de, 0x2324).links, 8);   // H800
  EXPECT_EQ(gpu_model_of(0x10de, 0x2330).links, 18);  // H100 SXM5
  EXPECT_EQ(gpu_model_of(0x1002, 0x74a1).links, 7);   // MI300X
}

TEST(GpuModels, OfOthersAreNotGuessed) {
  EXPECT_EQ(gpu_model_of(0x10de, 0x1234).sm, 0);
  EXPECT_EQ(gpu_model_of(0x1002, 0x2330).sm, 0);
  EXPECT_EQ(gpu_model_of(0x1002, 0x74a1).sm, 0);
  EXPECT_EQ(gpu_model_of(0, 0).sm, 0);
}

TEST(PciClasses, TellGpusAndNics) {
  EXPECT_TRUE(is_gpu_class(0x030200) && is_gpu_class(0x120000) && !is_gpu_class(0x060400));
  EXPECT_TRUE(is_nic_class(0x020700) && is_nic_class(0x020000) && !is_nic_class(0x0c0600));
}

}  // namespace
}  // namespace linerate::topo
