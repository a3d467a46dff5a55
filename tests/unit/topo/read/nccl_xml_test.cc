// NCCL's topology files: what is read of them.
#include "topo/read/nccl_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A system around what stands in its one processor.
std::string around(std::string_view inside) {
  return "<system version=\"1\">\n<cpu numaid=\"0\">\n" + std::string(inside) + "\n</cpu></system>";
}

System read(std::string_view text) {
  auto system = read_nccl_xml(text, "a.xml");
  EXPECT_TRUE(system) << (system ? "" : system.sentence());
  return system ? *system : System{};
}

TEST(NcclXml, TellsProcessors) {
  const auto system = read(R"(<system version="1" name="box">
    <cpu numaid="1" affinity="000000ff,ffffffff" arch="x86_64" vendor="GenuineIntel" familyid="6"
         modelid="143" host_hash="0xfedcba9876543210"/></system>)");

  EXPECT_EQ(system.name, "box");
  EXPECT_EQ(system.source, "file a.xml");
  EXPECT_THAT(system.unseen, IsEmpty());
  ASSERT_EQ(system.cpus.size(), 1u);
  EXPECT_EQ(system.cpus[0], (Cpu{.numa = 1,
                                 .affinity = "000000ff,ffffffff",
                                 .arch = CpuArch::x86_64,
                                 .vendor = "GenuineIntel",
                                 .family = 6,
                                 .model = 143,
                                 .host_hash = 0xfedcba9876543210}));
}

TEST(NcclXml, TellsDevicesBelowSwitches) {
  const auto system = read(around(R"(
    <pci busid="0000:10:00.0" class="0x060400" vendor="0x1000" device="0xc030"
         subsystem_vendor="0x1000" subsystem_device="0x1003" link_speed="32.0 GT/s PCIe"
         link_width="16">
      <pcilink target="0000:20:00.0"/>
      <pci busid="00000000:1B:00.0" class="0x030200" link_speed="16 GT/s" link_width="8">
        <gpu dev="3" sm="90" rank="5" gdr="1">
          <nvlink target="fffffff:ffff:ff" count="18" tclass="0x068000"/>
          <c2c bw="44712" count="5"/>
        </gpu>
      </pci>
    </pci>)"));

  ASSERT_EQ(system.cpus[0].devices.size(), 1u);
  auto bridge = system.cpus[0].devices[0];
  ASSERT_EQ(bridge.children.size(), 1u);
  const auto gpu = bridge.children[0];
  bridge.children.clear();
  EXPECT_EQ(bridge, (PciDevice{.bus_id = {.bus = 0x10},
                               .class_code = 0x060400,
                               .vendor = 0x1000,
                               .device = 0xc030,
                               .subsystem_vendor = 0x1000,
                               .subsystem_device = 0x1003,
                               .link = {"32.0 GT/s PCIe", 16},
                               .pci_peers = {{.bus = 0x20}}}));
  EXPECT_EQ(gpu.bus_id, (BusId{.bus = 0x1b}));
  EXPECT_EQ(gpu.link, (PciLink{"16 GT/s", 8}));
  EXPECT_EQ(*gpu.gpu,
            (Gpu{.dev = 3,
                 .sm = 90,
                 .rank = 5,
                 .gdr = true,
                 .nvlinks = {{.target = "fffffff:ffff:ff", .count = 18, .tclass = 0x068000}},
                 .c2c = C2c{44712, 5}}));
}

TEST(NcclXml, TellsPortsOfNicsOnTheBusAndBesideIt) {
  const auto system = read(around(R"(
    <pci busid="0000:10:00.0" class="0x020000"><nic>
      <net name="mlx5_0" dev="0" speed="400000" port="2" latency="2.5" guid="0x9a70500003ae6d94"
           maxconn="131072" gdr="1" coll="1"/>
      <net name="mlx5_1" dev="1" speed="-1"/>
    </nic></pci>
    <nic><net name="eth0" dev="2" speed="10000" gdr="0"/></nic>)"));

  EXPECT_THAT(system.cpus[0].devices.at(0).nets, ElementsAre(Net{.name = "mlx5_0",
                                                                 .dev = 0,
                                                                 .speed_mbps = 400000,
                                                                 .port = 2,
                                                                 .latency_us = 2.5,
                                                                 .guid = 0x9a70500003ae6d94,
                                                                 .maxconn = 131072,
                                                                 .gdr = true,
                                                                 .coll = true},
                                                             Net{.name = "mlx5_1", .dev = 1}));
  EXPECT_THAT(system.cpus[0].nets, ElementsAre(Net{.name = "eth0", .dev = 2, .speed_mbps = 10000}));
}

TEST(NcclXml, LeavesOutDevicesThatNcclDoesNotSendOver) {
  const auto system = read(around(R"(<nic>
    <net name="gin0" dev="0" net="0" gin="1"/><net name="mlx5_0" dev="1" net="1" gin="1"/>
    </nic>)"));

  ASSERT_EQ(system.cpus[0].nets.size(), 1u);
  EXPECT_EQ(system.cpus[0].nets[0].name, "mlx5_0");
  EXPECT_THAT(system.unseen, IsEmpty());
}

TEST(NcclXml, TakesEmptyAttributesForUnknownOnes) {
  const auto system =
      read(around(R"(<pci busid="0000:10:00.0" class="" vendor="" link_speed="" link_width=""/>)"));

  EXPECT_EQ(system.cpus[0].devices.at(0), (PciDevice{.bus_id = {.bus = 0x10}}));
}

TEST(NcclXml, TakesAShortClassForTheBeginningOfOne) {
  const auto system = read(around(R"(<pci busid="0000:10:00.0" class="0x06"/>
    <pci busid="0000:11:00.0" class="0x0604"/><pci busid="0000:12:00.0" class="0x060400"/>)"));

  const auto& devices = system.cpus[0].devices;
  EXPECT_EQ(devices.at(0).class_code, 0x060000u);
  EXPECT_EQ(devices.at(1).class_code, 0x060400u);
  EXPECT_EQ(devices.at(2).class_code, 0x060400u);
}

TEST(NcclXml, KeepsTheHostsOfARackApart) {
  const auto system = read(R"(<system version="1">
    <cpu numaid="0" host_hash="0x1"><pci busid="0008:01:00.0"><gpu dev="0" rank="0"/></pci></cpu>
    <cpu numaid="0" host_hash="0x2"><pci busid="0008:01:00.0"><gpu dev="0" rank="4"/></pci></cpu>
    </system>)");

  ASSERT_EQ(system.cpus.size(), 2u);
  EXPECT_EQ(system.cpus[1].host_hash, 2u);
  EXPECT_EQ(system.cpus[1].devices.at(0).gpu->rank, 4);
  EXPECT_THAT(system.unseen, IsEmpty());
}

TEST(NcclXml, OfRcclHasVersionTwoXgmiAndGcn) {
  const auto system = read(R"(<system version="2"><cpu numaid="0">
    <pci busid="0000:08:00.0" class="0x120000" vendor="0x1002" device="0x75a0">
      <gpu dev="0" sm="256" gcn="gfx950" arch="38911" rank="0" gdr="1">
        <xgmi target="0000:18:00.0" count="1" tclass="0x120000"/></gpu></pci></cpu></system>)");

  const auto& gpu = system.cpus[0].devices.at(0).gpu;
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->gcn, "gfx950");
  EXPECT_EQ(gpu->sm, 0);  // the file's 256 are processors
  EXPECT_THAT(gpu->nvlinks, ElementsAre(NvLink{"0000:18:00.0", 1, 0x120000, 0}));
  EXPECT_THAT(system.unseen, IsEmpty());
}

TEST(NcclXml, MakesDevicesOfBareClassesInTheOrderOfTheirBusIds) {
  const auto system = read(around(R"(<pci busid="ffff:ff:01.0" class="0x060400">
      <pci busid="0003:00:00.0" class="0x030200" vendor="0x10de" device="0x20b0"/>
      <pci busid="0103:00:00.0" class="0x020700"/>
      <pci busid="0001:00:00.0" class="0x030200"/>
      <pci busid="0101:00:00.0" class="0x0207"/></pci>)"));

  const auto& devices = system.cpus[0].devices.at(0).children;
  EXPECT_EQ(*devices.at(0).gpu, (Gpu{.dev = 1, .sm = 80, .gdr = true}));
  EXPECT_EQ(*devices.at(2).gpu, (Gpu{.dev = 0, .gdr = true}));
  EXPECT_THAT(devices.at(1).nets, ElementsAre(Net{.name = "net1", .dev = 1, .gdr = true}));
  EXPECT_THAT(devices.at(3).nets, ElementsAre(Net{.name = "net0", .dev = 0, .gdr = true}));
  EXPECT_THAT(
      system.unseen,
      ElementsAre("The file gives 2 GPUs by PCI class only, without NVLinks: --platform beside "
                  "it tells them.",
                  "The file gives 2 NICs by PCI class only, without name and speed: --platform "
                  "beside it tells them."));
}

TEST(NcclXml, NumbersBareDevicesBehindThoseThatHaveANumber) {
  const auto system = read(around(R"(<pci busid="0000:01:00.0" class="0x030200"/>
    <pci busid="0000:02:00.0" class="0x030200"><gpu dev="4"/></pci>)"));

  EXPECT_EQ(system.cpus[0].devices.at(0).gpu->dev, 5);
}

TEST(NcclXml, TellsThatDevicesWithoutClassAreNotKnown) {
  const auto system = read(around("<pci busid=\"0000:00:16.0\"/><pci busid=\"0000:00:17.0\"/>"));

  EXPECT_THAT(system.unseen, ElementsAre(HasSubstr("The file gives 2 PCI devices without class")));
}

TEST(NcclXml, TakesNoServersScreenForAGpu) {
  const auto system =
      read(around(R"(<pci busid="0000:01:00.0" class="0x030000" vendor="0x1a03"/>)"));

  EXPECT_FALSE(system.cpus[0].devices.at(0).gpu);
}

TEST(NcclXml, MakesNoPortOfANicThatIsToldToHaveNone) {
  const auto system = read(around(R"(<pci busid="0000:01:00.0" class="0x020700"><nic>
    <net name="gin0" dev="0" net="0"/></nic></pci>)"));

  EXPECT_THAT(system.cpus[0].devices.at(0).nets, IsEmpty());
}

TEST(NcclXml, SaysOnceWhatItDoesNotRead) {
  const auto system = read(around(R"(<fpga/>
    <pci busid="0000:01:00.0"><nic><net name="a" rail="0"/><net name="b" rail="1"/></nic></pci>)"));

  EXPECT_THAT(system.unseen, ElementsAre("Element <fpga> in <cpu> is not read (first on line 3).",
                                         "Attribute rail of <net> is not read (first on line 4)."));
}

TEST(NcclXml, ReadsTheFirstOfSeveralPartitionsOfAGpu) {
  const auto system = read(around(R"(<pci busid="0002:81:00.0">
    <gpu dev="0" mlopart="0" rank="0"/><gpu dev="0" mlopart="1" rank="1"/></pci>)"));

  EXPECT_EQ(system.cpus[0].devices.at(0).gpu->rank, 0);
  EXPECT_THAT(system.unseen, ElementsAre(HasSubstr("several ranks or partitions")));
}

TEST(NcclXml, TellsOnceWhichBusIdsStandThereTwice) {
  const auto system = read(around(R"(<pci busid="0000:01:00.0" class="0x060400"/>
    <pci busid="0:01:0.0" class="0x060400"/>
    <pci busid="1:0.0" class="0x060400"/>)"));

  EXPECT_EQ(system.cpus[0].devices.size(), 3u);
  EXPECT_THAT(system.unseen, ElementsAre(HasSubstr("stands on line 3 and again on line 4")));
}

TEST(NcclXml, MayHaveAPrologCommentsOtherLineEndsAndAByteOrderMark) {
  const std::string plain = around(R"(<pci busid="0000:01:00.0" class="0x060400"/>)");
  std::string decorated = "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- a <cpu> of ours -->\n" + plain;
  for (std::size_t at = 0; (at = decorated.find('\n', at)) != std::string::npos; at += 2)
    decorated.insert(at, "\r");

  EXPECT_EQ(read(decorated), read(plain));
}

TEST(NcclXml, MayHaveItsQuotesSingle) {
  EXPECT_EQ(read("<system version='1'><cpu numaid='3'/></system>").cpus[0].numa, 3);
}

}  // namespace
}  // namespace linerate::topo
