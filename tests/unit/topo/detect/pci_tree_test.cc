// The PCI bus of a saved tree, and the tree that NCCL makes of it.
#include "topo/detect/pci_tree.h"

#include "support/topo/sysfs_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

constexpr auto kGpuPlace = "pci0000:00/0000:00:01.0/0000:01:00.0";

std::vector<FoundPci> pci_of(const SysfsTree& tree) {
  std::vector<std::string> unseen;
  return pci_of_tree(tree.root(), unseen);
}

const FoundPci& at(const std::vector<FoundPci>& found, std::string_view id) {
  return *std::ranges::find_if(
      found, [&](const FoundPci& one) { return text_of(one.device.bus_id) == id; });
}

TEST(PciOfTree, TellsDevicesAndTheBridgesAbove) {
  const SysfsTree tree;
  add_two_socket_server(tree);

  const auto found = pci_of(tree);

  EXPECT_EQ(found.size(), 4U * (2 + 4 + 4));
  const auto& gpu = at(found, "0000:33:00.0");
  EXPECT_EQ(gpu.numa, 1);
  EXPECT_EQ(gpu.device.vendor, 0x10deU);
  EXPECT_EQ(gpu.device.class_code, 0x030200U);
  EXPECT_TRUE(gpu.device.gpu);
  ASSERT_EQ(gpu.above.size(), 3U);
  EXPECT_EQ(text_of(gpu.above[0]), "0000:32:00.0");
  EXPECT_EQ(text_of(gpu.above[2]), "0000:30:01.0");
}

TEST(PciOfTree, ALinkIsTheNarrowerOfItsEnds) {
  const SysfsTree tree;
  tree.add(TreePci{.place = "pci0000:00/0000:00:01.0",
                   .speed = "16.0 GT/s PCIe",
                   .width = "8",
                   .max_speed = "32.0 GT/s PCIe",
                   .max_width = "8"});
  tree.add(TreePci{.place = kGpuPlace, .device_class = "0x030200", .vendor = "0x10de"});

  const auto found = pci_of(tree);

  const auto& gpu = at(found, "0000:01:00.0").device;
  EXPECT_EQ(gpu.link, (PciLink{"16.0 GT/s PCIe", 8}));
  EXPECT_EQ(gpu.max_link, (PciLink{"32.0 GT/s PCIe", 8}));
}

TEST(PciOfTree, WhatOneEndDoesNotTellTheOtherDoes) {
  const SysfsTree tree;
  tree.add(TreePci{.place = "pci0000:00/0000:00:01.0", .speed = "Unknown", .width = "63"});
  tree.add(TreePci{.place = kGpuPlace, .max_speed = "", .max_width = ""});

  const auto found = pci_of(tree);

  const auto& device = at(found, "0000:01:00.0").device;
  EXPECT_EQ(device.link, (PciLink{"32.0 GT/s PCIe", 16}));
  EXPECT_EQ(device.max_link, (PciLink{"32.0 GT/s PCIe", 16}));
  EXPECT_EQ(at(found, "0000:00:01.0").device.link, PciLink{});
}

TEST(PciOfTree, NamesTheSwitchesThatABroadcomSwitchIsLinkedTo) {
  const SysfsTree tree;
  tree.add(TreePci{.place = "pci0000:00/0000:00:01.0", .vendor = "0x1000"});
  const std::string links = "sys/kernel/pci_switch_link/virtual_switch_links/0000:00:01.0/";
  tree.write(links + "0000:41:00.0", "");
  tree.write(links + "uevent", "");

  const auto found = pci_of(tree);

  EXPECT_THAT(found[0].device.pci_peers, ElementsAre(BusId{.bus = 0x41}));
}

TEST(PciOfTree, SaysThatTheBusIsHidden) {
  const SysfsTree tree;
  std::vector<std::string> unseen;

  EXPECT_TRUE(pci_of_tree(tree.root(), unseen).empty());

  EXPECT_THAT(unseen, ElementsAre("No PCI devices: /sys/bus/pci/devices is not there or empty."));
}

TEST(Hang, KeepsUpstreamPortsAndOrdersByBusId) {
  const SysfsTree tree;
  add_two_socket_server(tree);
  System system;
  system.cpus = {{.numa = 0}, {.numa = 1}};

  attach_devices(pci_of(tree), system);

  ASSERT_EQ(system.cpus[0].devices.size(), 2U);
  const auto& first = system.cpus[0].devices[0];
  EXPECT_EQ(text_of(first.bus_id), "0000:11:00.0");
  ASSERT_EQ(first.children.size(), 2U);  // no ports were added: its two GPUs alone
  EXPECT_EQ(text_of(first.children[0].bus_id), "0000:13:00.0");
  EXPECT_EQ(text_of(first.children[1].bus_id), "0000:14:00.0");
  EXPECT_EQ(text_of(system.cpus[1].devices[1].bus_id), "0000:41:00.0");
}

TEST(Hang, DevicesBelowRootPortsStandAtTheProcessor) {
  const SysfsTree tree;
  tree.add(TreePci{.place = "pci0000:00/0000:00:01.0"});
  tree.add(TreePci{.place = kGpuPlace, .device_class = "0x030200", .vendor = "0x10de"});
  System system;
  system.cpus = {{.numa = 0}};

  attach_devices(pci_of(tree), system);

  ASSERT_EQ(system.cpus[0].devices.size(), 1U);
  EXPECT_EQ(text_of(system.cpus[0].devices[0].bus_id), "0000:01:00.0");
}

TEST(Hang, DevicesOfNoNodeComeBelowTheOnlyOneOrTheirOwn) {
  std::vector<FoundPci> found{{.device = {.bus_id = {.bus = 1}, .gpu = Gpu{}}}};
  System one, two;
  one.cpus = {{.numa = 3}};
  two.cpus = {{.numa = 0, .vendor = "GenuineIntel"}, {.numa = 1}};

  attach_devices(found, one);
  attach_devices(found, two);

  EXPECT_EQ(one.cpus[0].devices.size(), 1U);
  ASSERT_EQ(two.cpus.size(), 3U);
  EXPECT_EQ(two.cpus[2].numa, -1);
  EXPECT_EQ(two.cpus[2].vendor, "GenuineIntel");
  EXPECT_EQ(two.cpus[2].devices.size(), 1U);
}

// Nobody's bus is so; a file may say it all the same.
TEST(Hang, EndsOnDevicesThatStandAboveEachOther) {
  const BusId a{.bus = 1}, b{.bus = 2}, c{.bus = 3};
  std::vector<FoundPci> found{{.device = {.bus_id = a, .gpu = Gpu{}}, .above = {c, b}},
                              {.device = {.bus_id = b, .gpu = Gpu{}}, .above = {c, a}},
                              {.device = {.bus_id = c, .gpu = Gpu{}}, .above = {c, c}}};
  System system;

  attach_devices(found, system);

  int gpus = 0;
  for (const auto& cpu : system.cpus)
    for (const auto& device : cpu.devices) gpus += 1 + static_cast<int>(device.children.size());
  EXPECT_EQ(gpus, 3);
}

TEST(Hang, ADisplayChipIsNoGpu) {
  EXPECT_FALSE(is_gpu({.class_code = 0x030000, .vendor = 0x1a03}));  // ASPEED
  EXPECT_FALSE(is_gpu({.class_code = 0x030000, .vendor = 0x8086}));
  EXPECT_TRUE(is_gpu({.class_code = 0x038000, .vendor = 0x8086}));
  EXPECT_TRUE(is_gpu({.class_code = 0x120000, .vendor = 0x1002}));
  EXPECT_FALSE(is_gpu({.class_code = 0x068000, .vendor = 0x10de}));  // NVSwitch
}

}  // namespace
}  // namespace linerate::topo
