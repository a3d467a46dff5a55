// Whole machines: this one, and others in a folder.
#include "topo/detect/detect.h"

#include "support/topo/sysfs_tree.h"
#include "topo/system/system.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace linerate::topo {
namespace {

using testing::Contains;
using testing::HasSubstr;

// What docs/topology.md has people type on another machine.
std::string documented_save_command() {
  std::ifstream docs(LINERATE_SOURCE_DIR "/docs/topology.md");
  const std::string text{std::istreambuf_iterator<char>(docs), std::istreambuf_iterator<char>()};
  const auto first = text.find("mkdir machine");
  if (first == std::string::npos) ADD_FAILURE() << "docs/topology.md has no such command";
  return first == std::string::npos ? "" : text.substr(first, text.find("```", first) - first);
}

int count_gpus(const System& system) {
  int gpus = 0;
  walk_devices(system,
               [&](const Cpu&, const PciDevice& device, int) { gpus += device.gpu ? 1 : 0; });
  return gpus;
}

TEST(Detect, SeesThisMachine) {
  const auto system = detect();

  EXPECT_EQ(system.source, "this machine");
  EXPECT_FALSE(system.name.empty());
  ASSERT_FALSE(system.cpus.empty());
  EXPECT_GE(system.cpus[0].threads, 1);
}

TEST(Detect, ATwoSocketServer) {
  const SysfsTree tree;
  add_two_socket_server(tree);
  tree.write("proc/sys/kernel/hostname", "gpu-node-7\n");

  const auto system = detect({.root = tree.root()});

  EXPECT_EQ(system.name, "gpu-node-7");
  EXPECT_EQ(system.source, "files below " + tree.root().string());
  ASSERT_EQ(system.cpus.size(), 2U);
  for (const auto& cpu : system.cpus) {
    ASSERT_EQ(cpu.devices.size(), 2U);
    for (const auto& inner : cpu.devices) {
      ASSERT_EQ(inner.children.size(), 4U);
      EXPECT_TRUE(inner.children[0].gpu && inner.children[1].gpu);
      EXPECT_EQ(inner.children[3].nets.size(), 1U);
    }
  }
  EXPECT_EQ(system.cpus[1].devices[1].children[3].nets[0].name, "mlx5_7");
  EXPECT_EQ(system.cpus[0].devices[0].children[0].gpu->sm, 90);  // by its PCI device id
  EXPECT_THAT(system.unseen, Contains(HasSubstr("No numbers and NVLinks of GPUs")));
}

TEST(Detect, ReadsTheModelThatTheDriverWrites) {
  const SysfsTree tree;
  add_two_socket_server(tree);
  tree.write("proc/driver/nvidia/gpus/0000:13:00.0/information",
             "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 18\n");

  const auto system = detect({.root = tree.root()});

  EXPECT_EQ(system.cpus[0].devices[0].children[0].gpu->model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(system.cpus[0].devices[0].children[1].gpu->model, "");
}

TEST(Detect, ATrainedDownLinkIsToldBesideWhatItCouldBe) {
  const SysfsTree tree;
  add_two_socket_server(tree);
  tree.write("sys/bus/pci/devices/0000:15:00.0/current_link_width", "4\n");

  const auto system = detect({.root = tree.root()});

  const auto& nic = system.cpus[0].devices[0].children[2];
  EXPECT_EQ(nic.link, (PciLink{"32.0 GT/s PCIe", 4}));
  EXPECT_EQ(nic.max_link, (PciLink{"32.0 GT/s PCIe", 16}));
}

// Azure's machines: a domain for each device, no bridges, no memory node.
TEST(Detect, AVirtualMachinesDevicesStandAtAProcessorOfNoNumber) {
  const SysfsTree tree;
  tree.add_cpuinfo("AuthenticAMD", 23, 49);
  tree.add_node(0, 0, 4);
  tree.add_node(1, 4, 4);
  for (int n = 1; n <= 4; ++n)
    tree.add(TreePci{fmt::format("VMBUS:00/pci{0:04}:00/{0:04}:00:00.0", n), "0x030200", "0x10de",
                     "0x20b0", "-1", "", "", "", ""});

  const auto system = detect({.root = tree.root()});

  ASSERT_EQ(system.cpus.size(), 3U);
  EXPECT_EQ(system.cpus[2].numa, -1);
  EXPECT_EQ(system.cpus[2].vendor, "AuthenticAMD");
  EXPECT_EQ(system.cpus[2].devices.size(), 4U);
  EXPECT_EQ(system.cpus[2].devices[3].bus_id.domain, 4U);
  EXPECT_EQ(system.cpus[2].devices[0].link, PciLink{});
}

TEST(Detect, LeavesOutVirtualFunctions) {
  const SysfsTree tree;
  add_two_socket_server(tree);
  // To a function that was not saved.
  std::filesystem::create_symlink("../0000:13:00.1",
                                  tree.root() / "sys/bus/pci/devices/0000:13:00.0/physfn");

  const auto system = detect({.root = tree.root()});

  EXPECT_EQ(count_gpus(system), 7);
  EXPECT_THAT(system.unseen, Contains("Virtual PCI functions are left out: 1."));
}

TEST(Detect, PortsOfNoKnownPlaceStayWithTheFirstProcessor) {
  const SysfsTree tree;
  tree.add_node(0, 0, 4);
  tree.add_interface("eth0", "LNXSYSTM:00/VMBUS:00/000d3a12", "50000");

  const auto system = detect({.root = tree.root()});

  ASSERT_EQ(system.cpus[0].nets.size(), 1U);
  EXPECT_EQ(system.cpus[0].nets[0].speed_mbps, 50000);
}

TEST(Detect, OfThisMachinesSavedFilesSeesWhatItSeesHere) {
  const SysfsTree tree;
  tree.write("here/save.sh", documented_save_command());
  const auto here = tree.root() / "here";
  if (std::system(fmt::format("cd {} && bash save.sh", here.string()).c_str()) == -1)
    GTEST_SKIP() << "no shell can be started";

  auto saved = detect({.root = here / "machine"});
  auto seen = detect({.nvml = ""});

  ASSERT_EQ(saved.cpus.size(), seen.cpus.size());
  EXPECT_EQ(saved.name, seen.name);
  for (std::size_t n = 0; n < saved.cpus.size(); ++n) {
    EXPECT_EQ(saved.cpus[n].affinity, seen.cpus[n].affinity);
    EXPECT_EQ(saved.cpus[n].model, seen.cpus[n].model);
    EXPECT_EQ(saved.cpus[n].l3_bytes, seen.cpus[n].l3_bytes);
    EXPECT_EQ(saved.cpus[n].devices, seen.cpus[n].devices);
    EXPECT_EQ(saved.cpus[n].nets, seen.cpus[n].nets);
  }
}

TEST(Detect, OfAnEmptyFolderSaysAllThatIsMissing) {
  const SysfsTree tree;
  tree.write("etc/hostname", "gone\n");

  const auto system = detect({.root = tree.root()});

  EXPECT_EQ(system.cpus.size(), 1U);
  EXPECT_EQ(system.unseen.size(), 5U);
  EXPECT_THAT(system.unseen, Contains(HasSubstr("/sys/devices/system/cpu is not there")));
  EXPECT_THAT(system.unseen, Contains(HasSubstr("/sys/bus/pci/devices is not there")));
}

TEST(Detect, OfNoFolderDoesNotThrow) {
  EXPECT_EQ(detect({.root = "/no/such/folder"}).cpus.size(), 1U);
}

}  // namespace
}  // namespace linerate::topo
