// Bandwidths of links, against NCCL's tables.
#include "topo/system/link_speed.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

constexpr NcclVersion kCurrent{};

Cpu x86(const char* vendor, int family, int model) {
  return {.arch = CpuArch::x86_64, .vendor = vendor, .family = family, .model = model};
}

TEST(PciSpeed, OfALaneFollowsTheGeneration) {
  EXPECT_DOUBLE_EQ(pci_gbps({"2.5 GT/s PCIe", 16}), 3);
  EXPECT_DOUBLE_EQ(pci_gbps({"8.0 GT/s PCIe", 16}), 12);
  EXPECT_DOUBLE_EQ(pci_gbps({"16.0 GT/s PCIe", 8}), 12);
  EXPECT_DOUBLE_EQ(pci_gbps({"32.0 GT/s PCIe", 16}), 48);
  EXPECT_DOUBLE_EQ(pci_gbps({"64.0 GT/s PCIe", 16}), 96);
}

TEST(PciSpeed, IsReadInTheWordsOfOldAndNewKernels) {
  EXPECT_DOUBLE_EQ(pci_gbps({"16 GT/s", 16}), pci_gbps({"16.0 GT/s PCIe", 16}));
  EXPECT_DOUBLE_EQ(pci_gbps({"32.0 GT/s PCIe/s", 16}), 48);
  EXPECT_TRUE(knows_pci_speed("16 GT/s"));
  EXPECT_TRUE(knows_pci_speed("2.5 GT/s PCIe"));
}

TEST(PciSpeed, ThatNcclDoesNotKnowCountsAsGen3) {
  for (const auto* text : {"", "Unknown", "16.0 GT/s", "128.0 GT/s PCIe", "64 GT/s"}) {
    EXPECT_FALSE(knows_pci_speed(text)) << text;
    EXPECT_DOUBLE_EQ(pci_gbps({text, 16}), 12) << text;
  }
}

TEST(PciSpeed, WithoutAWidthHasSixteenLanes) {
  EXPECT_DOUBLE_EQ(pci_gbps({"16.0 GT/s PCIe", 0}), 24);
  EXPECT_DOUBLE_EQ(pci_gbps({}), 12);
}

TEST(NvlinkSpeed, FollowsTheArchitectureAndTheVersion) {
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 60}, kCurrent), 18);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 80}, kCurrent), 20);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 86}, kCurrent), 12);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 90}, kCurrent), 20.6);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 90}, {2, 19, 3}), 20);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 100}, kCurrent), 40.1);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 100}, {2, 27, 3}), 40);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.sm = 100}, {2, 24, 3}), 20.6);
}

TEST(NvlinkSpeed, OfAmdIsThatOfXgmi) {
  EXPECT_DOUBLE_EQ(nvlink_gbps({.gcn = "gfx90a"}, kCurrent), 36);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.gcn = "gfx942"}, kCurrent), 48);
  EXPECT_DOUBLE_EQ(nvlink_gbps({.gcn = "gfx906"}, kCurrent), 24);
}

TEST(NetSpeed, IsTenGigabitWhereItIsNotKnown) {
  EXPECT_DOUBLE_EQ(net_gbps({.speed_mbps = 400000}), 50);
  EXPECT_DOUBLE_EQ(net_gbps({.speed_mbps = 0}), 1.25);
  EXPECT_DOUBLE_EQ(net_gbps({.speed_mbps = -1}), 1.25);
}

TEST(C2cSpeed, IsThatOfAllLinks) {
  EXPECT_DOUBLE_EQ(c2c_gbps({.link_mbps = 44712, .count = 5}), 223.56);
}

TEST(CpuLinkSpeed, FollowsVendorAndModel) {
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("GenuineIntel", 6, 0x4f), kCurrent), 6);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("GenuineIntel", 6, 0x6a), kCurrent), 10);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("GenuineIntel", 6, 0x8f), kCurrent), 22);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("GenuineIntel", 6, 0xcf), kCurrent), 40);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("GenuineIntel", 6, 0xcf), {2, 25, 1}), 10);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("AuthenticAMD", 25, 1), kCurrent), 16);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("AuthenticAMD", 25, 1), {2, 18, 6}), kLocalGbps);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("  Shanghai  ", 7, 0x5b), kCurrent), 9);
  EXPECT_DOUBLE_EQ(cpu_link_gbps(x86("CentaurHauls", 7, 0x3b), kCurrent), 6);
  EXPECT_DOUBLE_EQ(cpu_link_gbps({.arch = CpuArch::arm64}, kCurrent), 6);
  EXPECT_DOUBLE_EQ(cpu_link_gbps({.arch = CpuArch::ppc64}, kCurrent), 32);
  EXPECT_DOUBLE_EQ(cpu_link_gbps({}, kCurrent), kLocalGbps);
}

}  // namespace
}  // namespace linerate::topo
