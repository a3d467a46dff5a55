// Rules about NICs, ports and the bus, each on a healthy system with one thing broken.
#include "topo/lint/lint.h"
#include "unit/topo/lint/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(FarNic, NamesTheGpuWhoseNicIsAtAnotherSocket) {
  auto system = healthy();
  for (auto& cpu : system.cpus) cpu.package = cpu.numa;
  for (auto& top : system.cpus[1].devices)
    std::erase_if(top.children, [](const PciDevice& device) { return !device.nets.empty(); });
  // Half of the GPUs are left without: all four of the second socket.

  const auto findings = lint(system);

  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].rule, "far-nic");
  EXPECT_EQ(findings[0].severity, Severity::info);  // their NVLinks lead to the others
  EXPECT_THAT(findings[0].subject, HasSubstr("GPU 4 at "));
  EXPECT_EQ(findings[0].evidence,
            "Its nearest NIC, mlx5_0, is at another socket, over a link of 22 GB/s; 4 other GPUs "
            "have one below the same PCI switch.");
}

TEST(FarNic, OfEverySecondGpuIsHowTheMachineIsBuilt) {
  auto system = dumped();
  for (const auto* name : {"mlx5_1", "mlx5_3", "mlx5_5", "mlx5_7"}) nic(system, name).nets.clear();

  EXPECT_THAT(warnings(system), IsEmpty());

  walk_devices(system, [](Cpu&, PciDevice& device, int) {  // cards without NVLink
    if (device.gpu) device.gpu->nvlinks.clear(), device.device = 0x2331;
  });
  EXPECT_EQ(lint(system).size(), 4U);
  EXPECT_THAT(warnings(system), IsEmpty());
}

TEST(FarNic, AnotherSwitchOfTheProcessorIsFarther) {
  auto system = healthy();
  std::erase_if(system.cpus[0].devices[2].children,
                [](const PciDevice& device) { return !device.nets.empty(); });

  EXPECT_THAT(only(system, "far-nic").evidence,
              HasSubstr("is at the same processor; 7 other GPUs"));
}

TEST(FarNic, APortThatIsDownIsNoneOfANearNic) {
  auto system = healthy();
  nic(system, "mlx5_2").nets[0].state = "DOWN (Polling)";

  const auto findings = lint(system);

  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "far-nic");
  EXPECT_EQ(findings[1].rule, "inactive-port");
}

TEST(FarNic, IsNoMatterWhereThereIsOneNicForAll) {
  auto system = healthy();
  walk_devices(system, [](Cpu&, PciDevice& device, int) { device.nets.clear(); });
  system.cpus[0].devices[0].children.push_back(
      {.bus_id = {.bus = 0xf0}, .link = {"32.0 GT/s PCIe", 16}, .nets = {{"mlx5_0", 0, 400000}}});

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(FarNic, IsNoMatterWhereFewGpusAreNearer) {
  auto system = healthy();
  for (const auto* name : {"mlx5_1", "mlx5_2", "mlx5_3", "mlx5_5", "mlx5_6", "mlx5_7"})
    nic(system, name).nets.clear();

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(FarNic, LooksAtTheGpusOwnHost) {
  auto system = system_of({.hosts = 2});
  walk_devices(system, [](Cpu& cpu, PciDevice& device, int) {
    if (cpu.host_hash == 2) device.nets.clear();
  });

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(FarNic, ANicOfAnotherPluginIsNoNearOne) {
  auto system = healthy();
  nic(system, "mlx5_2").nets[0] = {.name = "eth0", .speed_mbps = 1000};

  EXPECT_EQ(only(system, "far-nic").rule, "far-nic");
}

TEST(FarNic, IsNoMatterWhereAllAreAsFar) {
  auto system = healthy();
  for (auto& top : system.cpus[1].devices)
    std::erase_if(top.children, [](const PciDevice& device) { return !device.nets.empty(); });
  for (auto& top : system.cpus[0].devices)
    std::erase_if(top.children, [](const PciDevice& device) { return device.gpu.has_value(); });

  EXPECT_THAT(lint(system), IsEmpty());
}

// As Azure's and Google's machines show their devices.
TEST(HiddenBus, IsThatOfADomainForEachDevice) {
  auto system = system_of({.switches = 0, .gpus = 4, .nics = 4});
  std::uint32_t domain = 1;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) { device.bus_id = {.domain = domain++}; });

  const auto found = only(system, "hidden-bus");

  EXPECT_THAT(found.evidence, HasSubstr("8 GPUs stand below no switch, each in a PCI domain"));
  EXPECT_THAT(found.advice, HasSubstr("NCCL_TOPO_FILE"));
}

TEST(HiddenBus, IsNotThatOfATopologyFileWithSwitches) {
  auto system = healthy();
  std::uint32_t domain = 1;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) { device.bus_id = {.domain = domain++}; });

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(HiddenBus, IsThatOfCardsOnTheFirstBus) {
  auto system = system_of({.switches = 0, .gpus = 1, .nics = 1});
  std::uint8_t slot = 3;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) { device.bus_id = {.device = slot++}; });

  EXPECT_THAT(only(system, "hidden-bus").evidence, HasSubstr("all on the first PCI bus"));
}

TEST(HiddenBus, IsNotThatOfARealMachineWithoutSwitches) {
  EXPECT_THAT(lint(system_of({.switches = 0, .gpus = 2, .nics = 1})), IsEmpty());
}

TEST(UnknownMemoryNode, IsOneThatNoOtherDeviceHas) {
  auto system = healthy();
  system.cpus.push_back({.numa = -1, .devices = std::move(system.cpus[1].devices)});
  system.cpus[1].devices.clear();

  const auto found = only(system, "unknown-memory-node");

  EXPECT_THAT(found.evidence, HasSubstr("8 GPUs and NICs name no memory node, of 2"));
}

TEST(InactivePort, TellsWhatToLookAt) {
  const auto advice = [](const std::string& state) {
    auto system = healthy();
    walk_devices(system, [&](Cpu&, PciDevice& device, int) {
      for (auto& net : device.nets) net.state = state;
    });
    nic(system, "mlx5_0").nets[0].state = "ACTIVE";
    const auto findings = lint(system);
    return findings.empty() ? std::string() : findings.back().advice;
  };

  EXPECT_THAT(advice("DOWN (Polling)"), HasSubstr("cable"));
  EXPECT_THAT(advice("DOWN (Disabled)"), HasSubstr("switched off"));
  EXPECT_THAT(advice("INIT"), HasSubstr("subnet manager"));
  EXPECT_EQ(advice("ACTIVE"), "");
}

TEST(InactivePort, CountsThoseThatAreUp) {
  auto system = healthy();
  system.cpus[0].nets.push_back(
      {.name = "mlx5_9", .speed_mbps = 400000, .link_layer = "InfiniBand", .state = "DOWN"});

  const auto found = only(system, "inactive-port", Severity::info);

  EXPECT_EQ(found.subject, "mlx5_9");
  EXPECT_EQ(found.evidence,
            "The port is DOWN; 8 of 9 InfiniBand and RoCE ports are ACTIVE. NCCL leaves it out.");
}

TEST(InactivePort, IsNoInterfaceThatIsDown) {
  auto system = healthy();
  system.cpus[0].nets.push_back({.name = "eth0", .speed_mbps = 1000, .state = "DOWN"});

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(SlowerPort, IsNoneBesideOrWhereAPortIsDown) {
  auto system = healthy();
  for (const auto* state : {"ACTIVE", "DOWN"}) {
    const bool slow_is_up = std::string_view(state) == "ACTIVE";
    walk_devices(system, [&](Cpu&, PciDevice& device, int) {
      for (auto& net : device.nets) net.state = slow_is_up ? "DOWN" : "ACTIVE";
    });
    auto& slow = nic(system, "mlx5_6").nets[0];
    slow.speed_mbps = 200000;
    slow.state = state;

    for (const auto& finding : lint(system)) EXPECT_NE(finding.rule, "slower-port") << state;
  }
}

TEST(SlowerPort, IsMeasuredByItsModel) {
  auto system = healthy();
  nic(system, "mlx5_6").nets[0].speed_mbps = 200000;

  const auto found = only(system, "slower-port");

  EXPECT_THAT(found.subject, HasSubstr("mlx5_6 at "));
  EXPECT_EQ(found.evidence,
            "The port runs at 200 Gb/s; mlx5_0, of the same model, at 400 Gb/s: 25 of 50 GB/s.");

  nic(system, "mlx5_6").device = 0x101b;  // of another model
  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(UnknownPortSpeed, CountsTenGigabits) {
  auto system = healthy();
  nic(system, "mlx5_1").nets[0].speed_mbps = 0;

  EXPECT_EQ(only(system, "unknown-port-speed", Severity::info).evidence,
            "The port tells no speed: NCCL counts 10 Gb/s, 1.25 GB/s.");
}

TEST(UnknownPortSpeed, OfSeveralPortsIsOneFinding) {
  auto system = healthy();
  nic(system, "mlx5_1").nets[0].speed_mbps = 0;
  nic(system, "mlx5_4").nets[0].speed_mbps = 0;

  EXPECT_THAT(only(system, "unknown-port-speed", Severity::info).subject, HasSubstr(" and 1 more"));
}

TEST(UnknownPortSpeed, OfAPortThatNcclLeavesOutIsNoMatter) {
  auto system = healthy();
  system.cpus[0].nets.push_back({.name = "eth0"});

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(SlowerPort, ApartFromTheGpusHasASpeedOfItsOwn) {
  auto system = healthy();
  for (const auto* name : {"mlx5_8", "mlx5_9"}) {
    auto storage = nic(system, "mlx5_0");
    storage.bus_id = {.domain = 1, .bus = static_cast<std::uint8_t>(name[5])};
    storage.nets[0].name = name;
    storage.nets[0].speed_mbps = 200000;
    storage.nets[0].state = std::string_view(name) == "mlx5_9" ? "DOWN (Polling)" : "ACTIVE";
    system.cpus[0].devices.push_back(storage);
  }

  EXPECT_THAT(only(system, "inactive-port", Severity::info).subject, HasSubstr("mlx5_9"));
}

TEST(InactivePort, ThatIsSwitchedOffIsInformation) {
  auto system = healthy();
  nic(system, "mlx5_3").nets[0].state = "DOWN (Disabled)";

  for (const auto& finding : lint(system))
    if (finding.rule == "inactive-port") {
      EXPECT_EQ(finding.severity, Severity::info);
    }
}

TEST(UnknownPortSpeed, IsAlsoOneThatNoPortHas) {
  auto system = healthy();
  nic(system, "mlx5_1").nets[0].speed_mbps = 200e6;

  EXPECT_THAT(only(system, "unknown-port-speed", Severity::info).evidence,
              HasSubstr("tells 200000 Gb/s, which none has"));
}

System with_one_slow_nic() {
  auto system = healthy();
  walk_devices(system, [](Cpu&, PciDevice& device, int) { device.nets.clear(); });
  system.cpus[0].nets.push_back({.name = "eth0", .speed_mbps = 1000});
  return system;
}

TEST(SlowNetwork, IsInformationOfAMachineOnItsOwn) {
  EXPECT_EQ(only(with_one_slow_nic(), "slow-network", Severity::info).evidence,
            "8 GPUs have no faster port to other nodes than this one of 1 Gb/s, 0.125 GB/s.");
}

TEST(SlowNetwork, OfNodesOfAClusterIsAWarning) {
  const auto system = with_one_slow_nic();

  const std::vector<LintedNode> nodes{{.name = "nodes 0-3", .system = &system, .count = 4}};
  const auto report = lint_nodes(nodes);

  ASSERT_EQ(report.lines.size(), 1U);
  EXPECT_TRUE(report.has_warning());
}

TEST(HiddenBus, OfAProvidersFileIsNone) {
  auto system = system_of({.switches = 0, .gpus = 4, .nics = 4});
  std::uint32_t domain = 1;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    device.bus_id = {.domain = domain++};
    if (device.gpu) device.gpu->rank = -1;
  });
  system.has_nccl_ports = true;

  EXPECT_THAT(lint(system), IsEmpty());
}

}  // namespace
}  // namespace linerate::topo
