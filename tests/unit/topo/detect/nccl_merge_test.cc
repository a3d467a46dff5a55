// Topology files, completed by the machine that they are about.
#include "topo/detect/nccl_merge.h"

#include "topo/graph/graph.h"
#include "topo/read/nccl_xml.h"
#include "topo/system/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace linerate::topo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kGpuClass = 0x030200, kNicClass = 0x020700, kBridge = 0x060400;

PciDevice gpu(std::uint8_t bus) {
  return {.bus_id = {.bus = bus},
          .class_code = kGpuClass,
          .link = {"32.0 GT/s PCIe", 16},
          .gpu = Gpu{.dev = bus,
                     .sm = 90,
                     .nvlinks = {{.target = "fffffff:ff:ff.0", .count = 18, .tclass = 0x068000}}}};
}

PciDevice nic(std::uint8_t bus, const std::string& name) {
  return {.bus_id = {.bus = bus},
          .class_code = kNicClass,
          .link = {"32.0 GT/s PCIe", 16},
          .nets = {{.name = name, .speed_mbps = 400'000, .gdr = true}}};
}

// Each device at a root of its own, as virtual machines show them.
System flat_machine() {
  System seen{.source = "this machine",
              .cpus = {{.numa = 0, .arch = CpuArch::x86_64, .vendor = "GenuineIntel", .family = 6}},
              .driver = "580"};
  seen.cpus[0].devices = {gpu(1), gpu(2), nic(3, "mlx5_0")};
  return seen;
}

// The file of a provider: where devices are, and nothing else.
System file_of_places() {
  return read_nccl_xml(R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel">
    <pci busid="ffff:ff:01.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
    <pci busid="0000:01:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"/>
    <pci busid="0000:02:00.0" class="0x030200"/>
    <pci busid="0000:03:00.0" class="0x020700"/></pci></cpu></system>)",
                       "places.xml")
      .value();
}

const PciDevice& device_at(const System& system, std::uint8_t bus) {
  const PciDevice* found = nullptr;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (device.bus_id == BusId{.bus = bus}) found = &device;
  });
  EXPECT_NE(found, nullptr) << int{bus};
  return *found;
}

std::vector<std::string> ports_of(const System& system) {
  std::vector<std::string> names;
  for (const auto& cpu : system.cpus)
    for (const auto& net : cpu.nets) names.push_back(net.name);
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    for (const auto& net : device.nets) names.push_back(net.name);
  });
  return names;
}

TEST(FilesOfPlaces, TakeLinksAndSpeedsOfTheMachine) {
  const auto node = completed_as_nccl(file_of_places(), flat_machine());

  EXPECT_EQ(device_at(node, 1).gpu->nvlinks, gpu(1).gpu->nvlinks);
  EXPECT_EQ(device_at(node, 1).gpu->sm, 90);
  EXPECT_EQ(device_at(node, 1).link, (PciLink{"16.0 GT/s PCIe", 16}));  // the file's
  EXPECT_EQ(device_at(node, 2).link, (PciLink{"32.0 GT/s PCIe", 16}));  // the machine's
  EXPECT_THAT(ports_of(node), ElementsAre("mlx5_0"));
  EXPECT_EQ(device_at(node, 3).nets.front().speed_mbps, 400'000);
  EXPECT_EQ(node.cpus[0].family, 6);
}

TEST(FilesOfPlaces, KeepTheirPlaces) {
  const auto node = completed_as_nccl(file_of_places(), flat_machine());

  ASSERT_EQ(node.cpus[0].devices.size(), 1U);
  EXPECT_EQ(node.cpus[0].devices[0].children.size(), 3U);
}

TEST(FilesOfNodes, AreRightWhereTheMachineSaysOtherwise) {
  auto file = file_of_places();
  file.cpus[0].devices[0].children[0].gpu->nvlinks = {{.target = "0000:02:00.0", .count = 4}};
  file.cpus[0].devices[0].children[2].nets = {{.name = "mlx5_0", .speed_mbps = 100'000}};

  const auto node = completed_as_nccl(file, flat_machine());

  EXPECT_EQ(device_at(node, 1).gpu->nvlinks.front().count, 4);
  EXPECT_EQ(device_at(node, 3).nets.front().speed_mbps, 100'000);
  EXPECT_TRUE(device_at(node, 3).nets.front().gdr);
}

TEST(FilesOfNodes, KeepTheirPortsOnlyWhereNoneIsSeen) {
  auto file = file_of_places();
  file.cpus[0].nets = {{.name = "elsewhere", .speed_mbps = 100'000}};
  auto portless = flat_machine();
  portless.cpus[0].devices.pop_back();

  EXPECT_THAT(ports_of(completed_as_nccl(file, flat_machine())), ElementsAre("mlx5_0"));
  EXPECT_THAT(ports_of(completed_as_nccl(file, portless)), ElementsAre("elsewhere", "net0"));
}

TEST(FilesOfNodes, GetTheDevicesThatTheyDoNotShow) {
  auto seen = flat_machine();
  seen.cpus.push_back({.numa = 1, .devices = {{.bus_id = {.bus = 8}, .class_code = kBridge}}});
  seen.cpus[1].devices[0].children = {gpu(9), {.bus_id = {.bus = 10}, .class_code = kBridge}};
  seen.cpus[0].devices.push_back(
      {.bus_id = {.domain = 0xffff, .bus = 0xff, .device = 1}, .children = {gpu(4)}});

  const auto node = completed_as_nccl(file_of_places(), seen);

  ASSERT_EQ(node.cpus.size(), 2U);
  EXPECT_EQ(node.cpus[1].numa, 1);
  ASSERT_EQ(node.cpus[1].devices.size(), 1U);
  ASSERT_EQ(node.cpus[1].devices[0].children.size(), 1U);
  EXPECT_EQ(node.cpus[1].devices[0].children[0].bus_id.bus, 9);
  EXPECT_EQ(node.cpus[0].devices[0].children[3].bus_id.bus, 4);  // below the file's own bridge
  EXPECT_EQ(build_graph(node, kNewestModelled).of(NodeKind::gpu).size(), 4U);
}

TEST(FilesOfNodes, AreAboutOneHost) {
  auto file = file_of_places();
  file.cpus[0].host_hash = 7;

  EXPECT_EQ(completed_as_nccl(file, flat_machine()).cpus[0].host_hash, 0U);
}

TEST(UnknownLinks, AreNVLinksThatNobodyWasAskedAbout) {
  auto driverless = flat_machine();
  driverless.driver.clear();
  for (auto& device : driverless.cpus[0].devices)
    if (device.gpu) device.gpu->nvlinks.clear();
  const auto node = completed_as_nccl(file_of_places(), driverless);
  auto asked = node;
  asked.driver = "580";

  EXPECT_THAT(unknown_links(node, false).value_or(""), HasSubstr("GPU 0000:01:00.0 has NVLinks"));
  EXPECT_THAT(unknown_links(node, false).value_or(""), HasSubstr("places.xml"));
  EXPECT_FALSE(unknown_links(asked, true));
}

TEST(UnknownLinks, AreSpeedsOfPortsWhereTheyCount) {
  auto seen = flat_machine();
  seen.cpus[0].devices[2].nets[0].speed_mbps = 0;
  const auto node = completed_as_nccl(file_of_places(), seen);

  EXPECT_THAT(unknown_links(node, true).value_or(""), HasSubstr("speed of mlx5_0"));
  EXPECT_FALSE(unknown_links(node, false));
}

System with_ports(const std::vector<Net>& nets) {
  System system;
  system.cpus = {{.devices = {{.nets = nets}}}};
  return system;
}

std::vector<std::string> names_after(const std::vector<Net>& nets) {
  const auto seen = nccl_view(with_ports(nets));
  std::vector<std::string> names;
  for (const auto& net : seen.cpus[0].devices[0].nets) names.push_back(net.name);
  return names;
}

TEST(NcclView, LeavesInterfacesOutWhereThereIsInfiniband) {
  EXPECT_THAT(names_after({{.name = "mlx5_0", .link_layer = "InfiniBand", .state = "ACTIVE"},
                           {.name = "eth0", .speed_mbps = 1000, .state = "ACTIVE"},
                           {.name = "mlx5_1", .link_layer = "Ethernet", .state = "ACTIVE"}}),
              ElementsAre("mlx5_0", "mlx5_1"));
}

TEST(NcclView, LeavesOutWhatIsDown) {
  EXPECT_THAT(names_after({{.name = "mlx5_0", .link_layer = "InfiniBand", .state = "DOWN"},
                           {.name = "eth0", .state = "ACTIVE"},
                           {.name = "eth1", .state = "DOWN"},
                           {.name = "eth2"}}),
              ElementsAre("eth0", "eth2"));
}

TEST(NcclView, TakesIpOverInfinibandBeforeOtherInterfaces) {
  EXPECT_THAT(names_after({{.name = "eth0"}, {.name = "ib0"}}), ElementsAre("ib0"));
}

TEST(NcclView, CountsNicsAndSwitchesByTheirMaximum) {
  System system;
  system.cpus = {{.devices = {{.link = {"8.0 GT/s PCIe", 4}, .max_link = {"16.0 GT/s PCIe", 16}},
                              {.link = {"8.0 GT/s PCIe", 4}}}}};

  const auto seen = nccl_view(system);

  EXPECT_EQ(seen.cpus[0].devices[0].link, (PciLink{"16.0 GT/s PCIe", 16}));
  EXPECT_EQ(seen.cpus[0].devices[1].link, (PciLink{"8.0 GT/s PCIe", 4}));
}

TEST(NcclView, CountsGpusAsTheyAreTrainedUnlessIdle) {
  const PciLink most{"32.0 GT/s PCIe", 16};
  System system;
  system.cpus = {{.devices = {{.link = {"16.0 GT/s PCIe", 8}, .max_link = most, .gpu = Gpu{}},
                              {.link = {"2.5 GT/s PCIe", 16}, .max_link = most, .gpu = Gpu{}}}}};

  const auto seen = nccl_view(system);

  EXPECT_EQ(seen.cpus[0].devices[0].link, (PciLink{"16.0 GT/s PCIe", 8}));
  EXPECT_EQ(seen.cpus[0].devices[1].link, most);
}

TEST(NcclView, PortsOfVirtioHangAtTheFirstProcessor) {
  System system;
  system.cpus = {{.numa = 0},
                 {.numa = 1, .devices = {{.vendor = 0x1af4, .nets = {{.name = "eth0"}}}}}};

  const auto seen = nccl_view(system);

  ASSERT_EQ(seen.cpus[0].nets.size(), 1U);
  EXPECT_TRUE(seen.cpus[1].devices[0].nets.empty());
}

}  // namespace
}  // namespace linerate::topo
