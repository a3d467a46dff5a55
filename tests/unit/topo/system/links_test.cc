// Bandwidths of links against NCCL's tables, the state of links, and the ports that NCCL takes.
#include "topo/system/links.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

TEST(LinkState, ReadsSpeedsOfBothSpellings) {
  EXPECT_EQ(gigatransfers_of("16.0 GT/s PCIe"), 16);
  EXPECT_EQ(gigatransfers_of("2.5 GT/s"), 2.5);
  EXPECT_EQ(gigatransfers_of("Unknown speed"), 0);
  EXPECT_EQ(gigatransfers_of("16"), 0);
  EXPECT_EQ(gigatransfers_of(""), 0);
}

TEST(PcieGeneration, IsThatOfTheNumber) {
  EXPECT_EQ(pcie_generation("2.5 GT/s PCIe"), 1);
  EXPECT_EQ(pcie_generation("16 GT/s"), 4);
  EXPECT_EQ(pcie_generation("64.0 GT/s PCIe"), 6);
  EXPECT_EQ(pcie_generation("Unknown"), 0);
  EXPECT_EQ(pcie_generation("17 GT/s"), 0);
}

TEST(IsDegraded, NeedsBothToBeKnown) {
  const auto device_of = [](PciLink link, PciLink best = {}) -> PciDevice {
    return {.link = std::move(link), .max_link = std::move(best)};
  };
  const PciLink x8{"16.0 GT/s PCIe", 8}, x16{"16.0 GT/s PCIe", 16};

  EXPECT_TRUE(is_degraded(device_of(x8, x16)));
  EXPECT_FALSE(is_degraded(device_of(x16, x16)));
  EXPECT_FALSE(is_degraded(device_of(x8)));
  EXPECT_FALSE(is_degraded(device_of({"16.0 GT/s PCIe", 8}, {"8.0 GT/s PCIe", 16})));
  EXPECT_TRUE(is_degraded(device_of({"64.0 GT/s PCIe", 16}, {"128.0 GT/s PCIe", 16})));
  EXPECT_FALSE(is_degraded(device_of({"", 8}, x16)));
}

TEST(LinkState, AGpuIsIdleAtFullWidthAndTheFirstGeneration) {
  const PciLink most{"32.0 GT/s PCIe", 16};
  const auto is_idle_at = [&](const PciLink& link) {
    return is_idle({.link = link, .max_link = most, .gpu = Gpu{}});
  };

  EXPECT_TRUE(is_idle_at({"2.5 GT/s PCIe", 16}));
  EXPECT_FALSE(is_idle_at({"2.5 GT/s PCIe", 8}));
  EXPECT_FALSE(is_idle_at({"5.0 GT/s PCIe", 16}));
  EXPECT_FALSE(is_idle({.link = {"2.5 GT/s PCIe", 16}, .max_link = most}));  // no GPU
}

TEST(LinkState, APortIsUpUnlessItSaysOtherwise) {
  EXPECT_TRUE(is_up({.state = "ACTIVE"}));
  EXPECT_TRUE(is_up({}));
  EXPECT_FALSE(is_up({.state = "DOWN (Polling)"}));
  EXPECT_FALSE(is_up({.state = "INIT"}));
}

TEST(LinkState, VerbsHaveALinkLayerOrAGuid) {
  EXPECT_TRUE(is_verbs({.link_layer = "Ethernet"}));
  EXPECT_TRUE(is_verbs({.guid = 1}));
  EXPECT_FALSE(is_verbs({.name = "eth0"}));
}

const Net kInfiniBand{.name = "mlx5_0", .link_layer = "InfiniBand", .state = "ACTIVE"};
const Net kDown{.name = "mlx5_1", .link_layer = "InfiniBand", .state = "DOWN (Polling)"};
const Net kEthernet{.name = "eth0", .state = "ACTIVE"};
const Net kOverInfiniBand{.name = "ib0", .state = "ACTIVE"};

// One half of the ports at a device, the other where nobody knows.
std::vector<std::string> taken_of(const std::vector<Net>& nets, bool has_nccl_ports = false) {
  System system{.has_nccl_ports = has_nccl_ports};
  Cpu& cpu = system.cpus.emplace_back();
  PciDevice& device = cpu.devices.emplace_back();
  for (std::size_t n = 0; n < nets.size(); ++n)
    (n % 2 == 0 ? device.nets : cpu.nets).push_back(nets[n]);
  const PortUse use(system);
  std::vector<std::string> taken;
  for (const auto& net : nets)
    if (use.takes(net)) taken.push_back(net.name);
  return taken;
}

using Names = std::vector<std::string>;

TEST(PortUse, IsOfInfiniBandAloneWhereThereIsSome) {
  EXPECT_EQ(taken_of({kEthernet, kDown, kInfiniBand, kOverInfiniBand}), Names{"mlx5_0"});
}

TEST(PortUse, IsOfInterfacesWhereNoInfiniBandPortIsUp) {
  EXPECT_EQ(taken_of({kEthernet, kDown}), Names{"eth0"});
}

TEST(PortUse, PrefersInterfacesOverInfiniBand) {
  EXPECT_EQ(taken_of({kEthernet, kOverInfiniBand}), Names{"ib0"});
}

TEST(PortUse, IsOfAllThatAreUpInNcclsOwnFiles) {
  EXPECT_EQ(taken_of({kEthernet, kDown, kInfiniBand}, true), (Names{"eth0", "mlx5_0"}));
}

std::string why_not(const Net& net, const Net& beside) {
  System system;
  system.cpus.emplace_back().nets = {net, beside};
  return PortUse(system).why_not(net);
}

TEST(PortUse, SaysWhatKeepsAPortOut) {
  EXPECT_EQ(why_not(kDown, kInfiniBand), "the port is DOWN (Polling)");
  EXPECT_EQ(why_not(kEthernet, kInfiniBand),
            "an InfiniBand or RoCE port is up, and it uses these alone");
  EXPECT_EQ(why_not(kEthernet, kOverInfiniBand),
            "an interface over InfiniBand is up, and it prefers these");
}

}  // namespace
}  // namespace linerate::topo
