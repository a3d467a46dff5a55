// Each rule on a healthy system with one thing broken.
#include "topo/lint/lint.h"

#include "topo/cluster/platforms.h"
#include "topo/system/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

System healthy() { return system_of(NodeShape{}); }

// The device of that number among those with a GPU, or with a port.
PciDevice& gpu(System& system, int dev) {
  PciDevice* found = nullptr;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (device.gpu && device.gpu->dev == dev) found = &device;
  });
  return *found;
}

PciDevice& nic(System& system, const std::string& name) {
  PciDevice* found = nullptr;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (!device.nets.empty() && device.nets.front().name == name) found = &device;
  });
  return *found;
}

// The only finding; of which rule it must be.
Finding only(const System& system, std::string_view rule) {
  const auto findings = lint(system);
  EXPECT_EQ(findings.size(), 1U);
  if (findings.empty()) return {};
  EXPECT_EQ(findings[0].rule, rule);
  EXPECT_FALSE(findings[0].advice.empty());
  return findings[0];
}

TEST(Lint, FindsNothingInAHealthyNode) { EXPECT_THAT(lint(healthy()), IsEmpty()); }

TEST(Lint, FindsNoBrokenPartInBuiltInPlatforms) {
  for (const auto& platform : platforms())
    for (const auto& finding : lint(system_of(platform)))
      ADD_FAILURE() << platform.name << ": " << finding.rule << ": " << finding.evidence;
}

TEST(Lint, EveryRuleHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto& rule : lint_rules()) names.insert(rule.name);

  EXPECT_EQ(names.size(), lint_rules().size());
}

TEST(DegradedLink, TellsWhatIsLost) {
  auto system = healthy();
  auto& device = nic(system, "mlx5_3");
  device.max_link = device.link;
  device.link.width = 4;

  const auto found = only(system, "degraded-link");

  EXPECT_THAT(found.subject, HasSubstr("mlx5_3 at "));
  EXPECT_EQ(found.evidence,
            "Its link is trained to 32.0 GT/s PCIe x4, and could be 32.0 GT/s PCIe x16: 12 of 48 "
            "GB/s, 36 GB/s are lost.");
  EXPECT_THAT(found.advice, HasSubstr("Reseat"));
}

TEST(DegradedLink, IsNoneWhereTheMaximumIsNotKnownOrReached) {
  auto system = healthy();
  walk_devices(system, [](Cpu&, PciDevice& device, int) { device.max_link = {}; });
  nic(system, "mlx5_3").link.width = 8;
  nic(system, "mlx5_4").max_link = nic(system, "mlx5_4").link;

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(DegradedLink, IsNoneWhereNobodyTellsHowItIsTrained) {
  auto system = healthy();
  auto& device = nic(system, "mlx5_3");
  device.max_link = device.link;
  device.link.width = 0;

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(DegradedLink, AnIdleGpuIsNotDegraded) {
  auto system = healthy();
  auto& device = gpu(system, 2);
  device.max_link = {"32.0 GT/s PCIe", 16};
  device.link = {"2.5 GT/s PCIe", 16};
  EXPECT_THAT(lint(system), IsEmpty());

  device.link = {"2.5 GT/s PCIe", 8};
  EXPECT_THAT(only(system, "degraded-link").advice, HasSubstr("while the GPU works"));

  device.link = {"16.0 GT/s PCIe", 16};
  EXPECT_THAT(only(system, "degraded-link").evidence, HasSubstr("24 of 48 GB/s"));
}

TEST(UnknownLinkSpeed, IsTakenForGen3) {
  auto system = healthy();
  gpu(system, 0).link.speed = "32.0 GT/s";
  gpu(system, 5).link.speed = "32.0 GT/s";

  const auto found = only(system, "unknown-link-speed");

  EXPECT_THAT(found.subject, HasSubstr("GPU 0 at "));
  EXPECT_THAT(found.subject, HasSubstr(" and 1 more"));
  EXPECT_EQ(found.evidence,
            "The speed of the PCI link is '32.0 GT/s': NCCL takes it for Gen3, 12 GB/s.");
  EXPECT_EQ(found.advice, "Write link_speed=\"32.0 GT/s PCIe\" in the topology file.");
}

TEST(UnknownLinkSpeed, OfAVirtioDeviceIsNoMatter) {
  auto system = healthy();
  system.cpus[0].devices.push_back(
      {.class_code = 0x020000, .vendor = 0x1af4, .nets = {{.name = "eth0"}}});

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(SlowUplink, IsLessThanHalfOfWhatADeviceBelowCouldUse) {
  auto system = healthy();
  auto& first = system.cpus[0].devices[1];
  auto& second = system.cpus[1].devices[2];
  first.link = first.max_link = second.link = second.max_link = {"5.0 GT/s PCIe", 16};

  const auto found = only(system, "slow-uplink");

  EXPECT_EQ(found.subject, "the PCI switch at " + text_of(first.bus_id) + " and 1 more");
  EXPECT_EQ(found.evidence, "Its link upwards is 5.0 GT/s PCIe x16, 6 GB/s; GPU 1 at " +
                                text_of(gpu(system, 1).bus_id) + ", below it, could use 48 GB/s.");

  first.link = first.max_link = second.link = second.max_link = {"16.0 GT/s PCIe", 16};
  EXPECT_THAT(lint(system), IsEmpty());  // half
}

TEST(SlowUplink, OfANicIsMeasuredByItsPort) {
  auto system = system_of({.nics = 2});
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    device.gpu.reset();
    for (auto& net : device.nets) net.speed_mbps = 100000;
    if (!device.children.empty()) device.link = device.max_link = {"8.0 GT/s PCIe", 16};
  });

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(SlowUplink, IsToldOnceOfSwitchesOneBelowTheOther) {
  auto system = system_of({.levels = 2});
  auto& outer = system.cpus[0].devices[0];
  auto& inner = outer.children[0];
  for (auto* bridge : {&outer, &inner}) bridge->link = bridge->max_link = {"5.0 GT/s PCIe", 16};
  for (auto& other : outer.children) other.link = other.max_link = inner.link;

  for (const auto& finding : lint(system))
    EXPECT_EQ(finding.subject.find(text_of(outer.bus_id)), std::string::npos);
  EXPECT_FALSE(lint(system).empty());
}

TEST(NoNvlink, NamesTheGpuAmongOthers) {
  auto system = healthy();
  gpu(system, 5).gpu->nvlinks.clear();

  const auto found = only(system, "no-nvlink");

  EXPECT_THAT(found.subject, HasSubstr("GPU 5 at "));
  EXPECT_THAT(found.evidence, HasSubstr("7 of the 8 GPUs of its model have"));
  EXPECT_THAT(found.advice, HasSubstr("nvidia-smi nvlink --status -i 5"));
}

TEST(NoNvlink, IsNoMatterWhereNoGpuHasOne) {
  auto system = healthy();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->nvlinks.clear();
  });

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(NoNvlink, IsNoMatterToAGpuOfAnotherModel) {
  auto system = healthy();
  gpu(system, 5).gpu->nvlinks.clear();
  gpu(system, 5).device = 0x2331;  // the same generation as a PCIe card

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(FewerNvlinks, TellsHowManyOfHowMany) {
  auto system = healthy();
  --gpu(system, 1).gpu->nvlinks[0].count;

  const auto found = only(system, "fewer-nvlinks");

  EXPECT_THAT(found.subject, HasSubstr("GPU 1 at "));
  EXPECT_THAT(found.evidence, HasSubstr("17 of its 18 NVLinks are active: 350.2 of 370.8 GB/s"));
}

TEST(FewerNvlinks, MeasuresAllByTheirCapacityBehindSwitches) {
  auto system = healthy();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (!device.gpu) return;
    --device.gpu->nvlinks[0].count;
    for (auto& link : device.gpu->nvlinks) link.capacity = 18;
  });

  EXPECT_EQ(lint(system).size(), 8U);
}

TEST(FarNic, NamesTheGpuWhoseNicIsAtAnotherSocket) {
  auto system = healthy();
  for (auto& cpu : system.cpus) cpu.package = cpu.numa;
  for (auto& top : system.cpus[1].devices)
    std::erase_if(top.children, [](const PciDevice& device) { return !device.nets.empty(); });
  // Half of the GPUs are left without: all four of the second socket.

  const auto findings = lint(system);

  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].rule, "far-nic");
  EXPECT_THAT(findings[0].subject, HasSubstr("GPU 4 at "));
  EXPECT_EQ(findings[0].evidence,
            "Its nearest NIC, mlx5_0, is at another socket, over a link of 22 GB/s; 4 other GPUs "
            "have one below the same PCI switch.");
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

  const auto found = only(system, "inactive-port");

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

  EXPECT_EQ(only(system, "unknown-port-speed").evidence,
            "The port tells no speed: NCCL counts 10 Gb/s, 1.25 GB/s.");
}

TEST(UnknownPortSpeed, OfSeveralPortsIsOneFinding) {
  auto system = healthy();
  nic(system, "mlx5_1").nets[0].speed_mbps = 0;
  nic(system, "mlx5_4").nets[0].speed_mbps = 0;

  EXPECT_THAT(only(system, "unknown-port-speed").subject, HasSubstr(" and 1 more"));
}

TEST(UnknownPortSpeed, OfAPortThatNcclLeavesOutIsNoMatter) {
  auto system = healthy();
  system.cpus[0].nets.push_back({.name = "eth0"});

  EXPECT_THAT(lint(system), IsEmpty());
}

}  // namespace
}  // namespace linerate::topo
