// What NCCL would take of a detected machine.
#include "topo/detect/nccl_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

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
