// Systems written for NCCL, read again, and systems that NCCL's parser has no room for.
#include "support/topo/random_shape.h"
#include "topo/cluster/platforms.h"
#include "topo/read/nccl_xml.h"
#include "topo/show/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::Not;

// A processor with one GPU and one port.
System small_system() {
  System system{.name = "small", .has_nccl_ports = true};
  Cpu& cpu = system.cpus.emplace_back();
  cpu.devices.push_back({.bus_id = {.bus = 1},
                         .class_code = 0x030200,
                         .link = {"16.0 GT/s PCIe", 16},
                         .gpu = Gpu{.dev = 0}});
  cpu.nets.push_back({.name = "eth0"});
  return system;
}

System read_again(const System& system) {
  const auto text = nccl_xml_of(system);
  EXPECT_TRUE(text) << (text ? "" : text.sentence());
  if (!text) return {};
  const auto read = read_nccl_xml(*text, "a.xml");
  EXPECT_TRUE(read) << (read ? "" : read.sentence());
  return read ? as_nccl_tells(*read) : System{};
}

TEST(NcclXmlExport, OfRandomNodesIsReadAsTheSame) {
  int written = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const auto system = as_nccl_tells(system_of(random_shape(seed)));
    if (!nccl_xml_of(system)) continue;  // too large, as another test has it

    ++written;
    EXPECT_EQ(read_again(system), system) << "seed " << seed;
  }
  EXPECT_GT(written, 250);
}

TEST(NcclXmlExport, OfPlatformsIsReadAsTheSame) {
  for (const auto& platform : platforms()) {
    if (platform.hosts > 1) continue;
    const auto system = as_nccl_tells(system_of(platform));

    EXPECT_EQ(read_again(system), system) << platform.name;
  }
}

TEST(NcclXmlExport, KeepsWhatRegularNodesDoNotHave) {
  System system = small_system();
  system.cpus[0].host_hash = 0xfedcba9876543210;
  system.cpus[0].arch = CpuArch::ppc64;
  system.cpus[0].nets[0] = {.name = "mlx5_0",
                            .dev = 3,
                            .speed_mbps = 25000,
                            .port = 2,
                            .latency_us = 1.25,
                            .guid = 0x9a70500003ae6d94,
                            .maxconn = 7,
                            .coll = true};
  PciDevice& device = system.cpus[0].devices[0];
  device.pci_peers = {{.bus = 9}, {.domain = 0xfffffff, .bus = 0xff, .device = 0xff}};
  device.subsystem_device = 0x16c1;
  device.gpu->c2c = C2c{44712, 5};
  device.gpu->nvlinks = {{.target = "fffffff:ffff:ff", .count = 0}};

  EXPECT_EQ(read_again(system), system);
}

TEST(NcclXmlExport, KeepsThatANicHasNoPorts) {
  System system = small_system();
  system.cpus[0].devices.push_back({.bus_id = {.bus = 2}, .class_code = 0x020700});

  EXPECT_EQ(read_again(system), system);
}

TEST(NcclXmlExport, OfAmdGpusIsAFileOfRccl) {
  System system = small_system();
  system.cpus[0].devices[0].gpu->gcn = "gfx942";
  system.cpus[0].devices[0].gpu->nvlinks = {{"0000:18:00.0", 1, 0x120000, 0}};

  const auto text = nccl_xml_of(system);

  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("<system version=\"2\""));
  EXPECT_THAT(*text, HasSubstr("<xgmi target=\"0000:18:00.0\""));
  EXPECT_EQ(read_again(system), system);
}

TEST(NcclXmlExport, LeavesOutWhatIsNotKnown) {
  System system = small_system();
  system.cpus[0].devices[0].link = {};

  EXPECT_EQ(*nccl_xml_of(system), R"(<system version="1" name="small">
  <cpu numaid="0">
    <pci busid="0000:01:00.0" class="0x030200">
      <gpu dev="0"/>
    </pci>
    <nic>
      <net name="eth0" port="1"/>
    </nic>
  </cpu>
</system>
)");
}

TEST(NcclXmlExport, WordsSpeedsAsNcclUnderstandsThem) {
  struct Case {
    const char* given;
    const char* written;
  };
  for (const auto& [given, written] :
       {Case{"16.0 GT/s", "link_speed=\"16.0 GT/s PCIe\""},
        Case{"5.0 GT/s", "link_speed=\"5.0 GT/s PCIe\""},
        Case{"64 GT/s", "link_speed=\"64.0 GT/s PCIe\""},
        Case{"16GT/s", "link_speed=\"16.0 GT/s PCIe\""}, Case{"16 GT/s", "link_speed=\"16 GT/s\""},
        Case{"8.0 GT/s PCIe", "link_speed=\"8.0 GT/s PCIe\""}}) {
    System system = small_system();
    system.cpus[0].devices[0].link.speed = given;
    EXPECT_THAT(*nccl_xml_of(system), HasSubstr(written)) << given;
  }
  for (const auto* unknown : {"Unknown", "Unknown speed", "17 GT/s", "GT/s PCIe/s"}) {
    System system = small_system();
    system.cpus[0].devices[0].link.speed = unknown;
    EXPECT_THAT(*nccl_xml_of(system), Not(HasSubstr("link_speed"))) << unknown;
  }
}

TEST(NcclXmlExport, RefusesSeveralHosts) {
  const auto text = nccl_xml_of(*built_in_platform("gb200-nvl72"));

  ASSERT_FALSE(text);
  EXPECT_THAT(text.sentence(), HasSubstr("describes one host"));
}

TEST(NcclXmlExport, RefusesMoreElementsThanNcclReads) {
  System system{.cpus = {Cpu{}}};
  const auto fill = [&](int devices) {
    system.cpus[0].devices.assign(static_cast<std::size_t>(devices), PciDevice{});
    return nccl_xml_of(system);
  };

  EXPECT_TRUE(fill(253));  // and <system> and <cpu>
  ASSERT_FALSE(fill(254));
  EXPECT_EQ(fill(254).sentence(), "The file would have 256 elements: NCCL reads 255 at most.");
}

TEST(NcclXmlExport, RefusesMoreElementsInOneThanNcclReads) {
  System system{.cpus = std::vector<Cpu>(641)};

  EXPECT_EQ(nccl_xml_of(system).sentence(),
            "<system> has 641 elements in it: NCCL reads 640 at most.");
}

TEST(NcclXmlExport, RefusesTextThatNcclDoesNotRead) {
  for (const auto* name : {"a\"b", "a&b", "a<b", "a\nb"}) {
    System system = small_system();
    system.cpus[0].nets[0].name = name;
    EXPECT_THAT(nccl_xml_of(system).sentence(), HasSubstr("name of <net> has a character")) << name;
  }
  System system = small_system();
  system.cpus[0].nets[0].name = std::string(253, 'x');
  EXPECT_TRUE(nccl_xml_of(system));
  system.cpus[0].nets[0].name += 'x';
  EXPECT_THAT(nccl_xml_of(system).sentence(), HasSubstr("has 254 characters"));
}

TEST(NcclXmlExport, RefusesASystemWithoutProcessors) {
  EXPECT_THAT(nccl_xml_of({}).sentence(), HasSubstr("at least one processor"));
}

TEST(NcclXml, CutAnywhereIsRefused) {
  const std::string text = *nccl_xml_of(system_of({.numas = 1, .switches = 1}));
  const std::size_t end = text.find_last_of('>');

  for (std::size_t size = 0; size <= end; ++size) {
    const auto cut = read_nccl_xml(std::string_view(text).substr(0, size), "a.xml");
    ASSERT_FALSE(cut) << size;
    EXPECT_THAT(cut.sentence(), testing::StartsWith("a.xml:")) << size;
  }
}

}  // namespace
}  // namespace linerate::topo
