// Memory nodes, sockets, caches and network ports of a saved tree.
#include "support/topo/sysfs_tree.h"

#include "topo/detect/sysfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(CpusOfTree, AreItsMemoryNodesByNumber) {
  const SysfsTree tree;
  tree.add_cpuinfo("GenuineIntel", 6, 143);
  tree.add_node(10, 8, 8);
  tree.add_node(2, 0, 8);
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_tree(tree.root(), unseen);

  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].numa, 2);
  EXPECT_EQ(cpus[1].numa, 10);
  EXPECT_EQ(cpus[1].affinity, "0000ff00");
  EXPECT_EQ(cpus[1].package, 10);
  EXPECT_EQ(cpus[1].model, 143);
  EXPECT_EQ(cpus[1].l3_bytes, 32U << 20);
  EXPECT_TRUE(unseen.empty());
}

TEST(CpusOfTree, CountCoresByTheirSiblings) {
  const SysfsTree tree;
  tree.add_node(0, 0, 4);
  for (int thread = 0; thread < 4; ++thread)
    tree.write(
        "sys/devices/system/cpu/cpu" + std::to_string(thread) + "/topology/thread_siblings_list",
        thread % 2 == 0 ? "0,2\n" : "1,3\n");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_tree(tree.root(), unseen);

  ASSERT_EQ(cpus.size(), 1U);
  EXPECT_EQ(cpus[0].cores, 2);
  EXPECT_EQ(cpus[0].threads, 4);
  EXPECT_EQ(cpus[0].core_threads, (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
}

TEST(CpusOfTree, LeaveOutMemoryWithoutProcessors) {
  const SysfsTree tree;
  tree.add_node(0, 0, 4);
  tree.write("sys/devices/system/node/node1/cpumap", "00000000\n");
  std::vector<std::string> unseen;

  EXPECT_EQ(cpus_of_tree(tree.root(), unseen).size(), 1U);
}

TEST(CpusOfTree, WithoutNodesAreTheWholeMachine) {
  const SysfsTree tree;
  tree.write("sys/devices/system/cpu/online", "0-3\n");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_tree(tree.root(), unseen);

  ASSERT_EQ(cpus.size(), 1U);
  EXPECT_EQ(cpus[0].affinity, "0000000f");
  ASSERT_EQ(unseen.size(), 2U);
  EXPECT_TRUE(unseen[0].starts_with("No memory nodes")) << unseen[0];
  EXPECT_TRUE(unseen[1].starts_with("No model of the processors")) << unseen[1];
}

TEST(CpusOfTree, OfNothingAreNone) {
  const SysfsTree tree;
  std::vector<std::string> unseen;

  EXPECT_TRUE(cpus_of_tree(tree.root(), unseen).empty());
}

constexpr auto kPlace = "pci0000:00/0000:00:01.0/0000:01:00.0";

std::vector<FoundNet> nets_of(const SysfsTree& tree) {
  std::vector<std::string> unseen;
  return nets_of_tree(tree.root(), unseen);
}

TEST(NetsOfTree, AreThePortsOfInfinibandDevices) {
  const SysfsTree tree;
  tree.add(TreePort{.name = "mlx5_0", .place = kPlace});
  tree.add_interface("ib0", kPlace, "400000");

  const auto nets = nets_of(tree);

  ASSERT_EQ(nets.size(), 1U);
  const Net expected{.name = "mlx5_0",
                     .speed_mbps = 400000,
                     .port = 1,
                     .guid = 0x0c42a10300000001,
                     .link_layer = "InfiniBand",
                     .state = "ACTIVE",
                     .netdev = "ib0"};
  EXPECT_EQ(nets[0].net, expected);
  EXPECT_EQ(nets[0].place, BusId{.bus = 1});
}

TEST(NetsOfTree, OfOneDeviceWithTwoPortsHaveTheirOwnInterfaces) {
  const SysfsTree tree;
  tree.add(TreePort{.name = "mlx4_0", .place = kPlace});
  tree.add(TreePort{.name = "mlx4_0", .place = kPlace, .port = 2, .rate = "10 Gb/sec (1X FDR10)"});
  tree.add_interface("eth4", kPlace, "40000");
  tree.add_interface("eth5", kPlace, "10000");
  tree.write("sys/devices/" + std::string(kPlace) + "/net/eth4/dev_port", "0\n");
  tree.write("sys/devices/" + std::string(kPlace) + "/net/eth5/dev_port", "1\n");

  const auto nets = nets_of(tree);

  ASSERT_EQ(nets.size(), 2U);
  EXPECT_EQ(nets[0].net.netdev, "eth4");
  EXPECT_EQ(nets[1].net.netdev, "eth5");
  EXPECT_EQ(nets[1].net.speed_mbps, 10000);
}

TEST(NetsOfTree, TellWhyAPortIsNotUp) {
  const SysfsTree tree;
  tree.add(TreePort{.name = "mlx5_0", .place = kPlace, .state = "1: DOWN", .lanes = "2: Polling"});

  EXPECT_EQ(nets_of(tree)[0].net.state, "DOWN (Polling)");
}

TEST(NetsOfTree, AreInterfacesWithADeviceOfTheirOwn) {
  const SysfsTree tree;
  tree.add_interface("eno1", kPlace, "25000");
  tree.add_interface("lo", "", "");
  tree.add_interface("docker0", "", "10000");

  const auto nets = nets_of(tree);

  ASSERT_EQ(nets.size(), 1U);
  EXPECT_EQ(nets[0].net.name, "eno1");
  EXPECT_EQ(nets[0].net.speed_mbps, 25000);
  EXPECT_EQ(nets[0].net.state, "ACTIVE");
}

TEST(NetsOfTree, OfAVirtioDeviceSitAtItsPciFunctionWithoutASpeed) {
  const SysfsTree tree;
  tree.add_interface("eth0", "pci0000:00/0000:00:03.0/virtio2", "-1");

  const auto nets = nets_of(tree);

  ASSERT_EQ(nets.size(), 1U);
  EXPECT_EQ(nets[0].net.speed_mbps, 0);
  EXPECT_EQ(nets[0].place, BusId{.device = 3});
}

TEST(NetsOfTree, BehindAnotherBusHaveNoPlace) {
  const SysfsTree tree;
  tree.add_interface("usb0", "pci0000:00/0000:00:14.0/usb1/1-2", "1000", "down");

  const auto nets = nets_of(tree);

  ASSERT_EQ(nets.size(), 1U);
  EXPECT_FALSE(nets[0].place);
  EXPECT_EQ(nets[0].net.state, "DOWN");
}

TEST(NetsOfTree, LeaveOutWhatStandsForAVirtualFunction) {
  const SysfsTree tree;
  tree.add_interface("eth8", kPlace, "25000");
  tree.write("sys/devices/" + std::string(kPlace) + "/net/eth8/phys_port_name", "pf0vf3\n");

  EXPECT_TRUE(nets_of(tree).empty());
}

TEST(NetsOfTree, SayWhatIsHidden) {
  const SysfsTree tree;
  std::vector<std::string> unseen;

  EXPECT_TRUE(nets_of_tree(tree.root(), unseen).empty());

  EXPECT_THAT(unseen,
              testing::ElementsAre(
                  "No InfiniBand or RoCE devices: /sys/class/infiniband is not there or empty.",
                  "No network interfaces: /sys/class/net is not there or empty."));
}

TEST(PortText, ReadRatesOfEveryGeneration) {
  EXPECT_EQ(rate_mbps("400 Gb/sec (4X NDR)"), 400000);
  EXPECT_EQ(rate_mbps("2.5 Gb/sec (1X SDR)"), 2500);
  EXPECT_EQ(rate_mbps("fast"), 0);
  EXPECT_EQ(rate_mbps("-5 Gb/sec"), 0);
}

TEST(PortText, ReadGuids) {
  EXPECT_EQ(guid_of("0c42:a103:00ab:12cd"), 0x0c42a10300ab12cdU);
  EXPECT_EQ(guid_of("0c42:zz"), 0U);
}

}  // namespace
}  // namespace linerate::topo
