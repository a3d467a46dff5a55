// Which ports count.
#include "topo/system/port_use.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

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
