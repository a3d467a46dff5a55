// Links, speeds, cores and models in people's words.
#include "topo/show/device_text.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

PciDevice device_of(PciLink link, PciLink best = {}) {
  return {.link = std::move(link), .max_link = std::move(best)};
}

TEST(GbpsText, HaveADecimalOnlyWhereItMatters) {
  EXPECT_EQ(gbps_text(370.8), "371");
  EXPECT_EQ(gbps_text(48), "48");
  EXPECT_EQ(gbps_text(12.5), "12.5");
  EXPECT_EQ(gbps_text(0.24), "0.2");
}

TEST(PcieText, OfAHealthyLink) {
  EXPECT_EQ(pcie_text(device_of({"32.0 GT/s PCIe", 16}, {"32.0 GT/s PCIe", 16})),
            "PCIe 5.0 x16, 48 GB/s");
  EXPECT_EQ(pcie_text(device_of({"8 GT/s", 4})), "PCIe 3.0 x4, 3 GB/s");
}

TEST(PcieText, OfALinkBelowItsBest) {
  const PciLink best{"32.0 GT/s PCIe", 16};

  EXPECT_EQ(pcie_text(device_of({"32.0 GT/s PCIe", 8}, best)), "PCIe 5.0 x8 of x16, 24 of 48 GB/s");
  EXPECT_EQ(pcie_text(device_of({"8.0 GT/s PCIe", 16}, best)),
            "PCIe 3.0 of 5.0, x16, 12 of 48 GB/s");
  EXPECT_EQ(pcie_text(device_of({"8.0 GT/s PCIe", 8}, best)),
            "PCIe 3.0 x8 of 5.0 x16, 6 of 48 GB/s");
}

TEST(PcieText, SayWhatNcclCountsForWhatItDoesNotKnow) {
  EXPECT_EQ(pcie_text(device_of({})), "PCIe link not known, NCCL counts 12 GB/s");
  EXPECT_EQ(pcie_text(device_of({"", 8})), "PCIe x8, speed not known, NCCL counts 6 GB/s");
  EXPECT_EQ(pcie_text(device_of({"16.0 GT/s", 16})), "PCIe 4.0 x16, NCCL counts 12 GB/s");
  EXPECT_EQ(pcie_text(device_of({"16.0 GT/s PCIe", 0})), "PCIe 4.0, width not known, 24 GB/s");
}

TEST(SpeedText, AreInGigabits) {
  EXPECT_EQ(speed_text({.speed_mbps = 400000, .link_layer = "InfiniBand"}), "400 Gb/s InfiniBand");
  EXPECT_EQ(speed_text({.speed_mbps = 2500}), "2.5 Gb/s");
  EXPECT_EQ(speed_text({}), "speed not known");
}

TEST(CoreText, AreRanges) {
  EXPECT_EQ(cores_text("000000ff,ffff0000,00ffffff"), "0-23,48-71");
  EXPECT_EQ(cores_text("1,00000000"), "32");
  EXPECT_EQ(cores_text("1,F"), "0-3,32") << "each word has 32 bits, however short it is";
  EXPECT_EQ(cores_text("ffffffffffff"), "0-47");
  EXPECT_EQ(cores_text("0000,00000000"), "none");
}

TEST(CoreText, OfWhatIsNoMaskAreTheText) {
  EXPECT_EQ(cores_text("0-3"), "0-3");
  EXPECT_EQ(cores_text("ff,"), "ff,");
  EXPECT_EQ(cores_text("f,123456789"), "f,123456789");
  EXPECT_EQ(cores_text("\x1b"), "?");
}

TEST(CpuText, AreTheNameOrWhatElseIsKnown) {
  EXPECT_EQ(cpu_text({.name = "Xeon 8480C"}), "Xeon 8480C");
  EXPECT_EQ(
      cpu_text({.arch = CpuArch::x86_64, .vendor = "AuthenticAMD", .family = 23, .model = 49}),
      "AMD, family 23 model 49");
  EXPECT_EQ(cpu_text({.arch = CpuArch::x86_64, .vendor = "  Shanghai  "}), "Zhaoxin");
  EXPECT_EQ(cpu_text({.arch = CpuArch::arm64}), "arm64");
  EXPECT_EQ(cpu_text({}), "model not known");
}

TEST(GpuText, AreModelAndChip) {
  EXPECT_EQ(gpu_text({.sm = 90, .model = "NVIDIA H100"}), "NVIDIA H100, sm_90");
  EXPECT_EQ(gpu_text({.gcn = "gfx90a"}), "gfx90a");
  EXPECT_EQ(gpu_text({}), "model not known");
}

}  // namespace
}  // namespace linerate::topo
