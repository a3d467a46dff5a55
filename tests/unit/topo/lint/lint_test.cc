// Rules about GPUs and links, each on a healthy system with one thing broken.
#include "topo/lint/lint.h"

#include "unit/topo/lint/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Lint, FindsNothingInAHealthyNode) { EXPECT_THAT(lint(healthy()), IsEmpty()); }

TEST(Lint, FindsNoBrokenPartInBuiltInPlatforms) {
  for (const auto& platform : platforms())
    for (const auto& finding : lint(system_of(platform)))
      ADD_FAILURE() << platform.name << ": " << finding.rule << ": " << finding.evidence;
}

TEST(Lint, FindsNothingInTheDumpsOfBuiltInPlatforms) {
  for (const auto& platform : platforms())
    if (platform.hosts == 1) {
      EXPECT_THAT(lint(dumped(platform.name)), IsEmpty()) << platform.name;
    }
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

TEST(UnknownLinkSpeed, ThatNobodyTellsIsInformation) {
  auto system = healthy();
  gpu(system, 0).link = {};

  EXPECT_THAT(only(system, "unknown-link-speed", Severity::info).evidence,
              HasSubstr("is not told: NCCL takes it for Gen3"));
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

// As PEX switches of Gen5 show a link upwards that they do not have.
TEST(SlowUplink, OfAllSwitchesOfALevelIsInformation) {
  auto system = system_of({.levels = 2});
  for (auto& cpu : system.cpus)
    for (auto& top : cpu.devices) top.link = top.max_link = {"5.0 GT/s PCIe", 16};

  EXPECT_THAT(only(system, "slow-uplink", Severity::info).subject, HasSubstr(" and 7 more"));
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

  const auto found = only(system, "fewer-nvlinks");

  EXPECT_THAT(found.subject, HasSubstr("GPU 0 at "));
  EXPECT_THAT(found.subject, HasSubstr(" and 7 more"));
  EXPECT_THAT(found.evidence, HasSubstr("Each of the 8 GPUs has 17 of its 18 NVLinks active"));
}

// The device id tells what the file does not.
TEST(FewerNvlinks, AreMissedOfAllGpusWhereTheModelIsKnown) {
  auto system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->nvlinks.pop_back();  // one of four NVSwitches
  });

  EXPECT_THAT(only(system, "fewer-nvlinks").evidence,
              HasSubstr("has 14 of its 18 NVLinks active, 288.4 of 370.8 GB/s: an NVSwitch is "
                        "missing"));
}

TEST(NoNvlink, OfAllGpusIsMissedWhereSomebodyLooked) {
  auto system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->nvlinks.clear();
  });

  EXPECT_THAT(only(system, "no-nvlink").evidence,
              HasSubstr("None of the 8 GPUs has an active NVLink; their model has 18."));
}

// An MI300X board: each GPU with an xGMI link to every other.
System mi300x(int gpus = 8) {
  auto system = system_of({.switches = gpus / 2, .gpu = {.nvlinks = gpus - 1, .nvswitches = 0}});
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (!device.gpu) return;
    device.vendor = 0x1002;
    device.device = 0x74a1;
    device.class_code = 0x120000;
    device.gpu->sm = 0;
    device.gpu->gcn = "gfx942";
    for (auto& link : device.gpu->nvlinks) link.tclass = 0x120000;
  });
  system.has_nccl_ports = true;
  return system;
}

TEST(AmdBoards, AreHealthy) {
  EXPECT_THAT(lint(mi300x()), IsEmpty());
  EXPECT_THAT(lint(mi300x(4)), IsEmpty());  // a part of one, in a virtual machine
}

TEST(AmdBoards, GetNoRemedyOfNvidias) {
  auto system = mi300x();
  gpu(system, 2).gpu->nvlinks.pop_back();
  gpu(system, 5).gpu->nvlinks.clear();
  for (auto& net : nic(system, "mlx5_3").nets) net.gdr = false;

  const auto findings = lint(system);

  ASSERT_EQ(findings.size(), 3U);
  for (const auto& finding : findings) {
    const auto text = finding.evidence + finding.advice;
    EXPECT_EQ(text.find("NVLink"), std::string::npos) << text;
    EXPECT_EQ(text.find("nvidia"), std::string::npos) << text;
    EXPECT_EQ(text.find("NCCL "), std::string::npos) << text;
  }
  EXPECT_THAT(findings[1].evidence, HasSubstr("6 of its 7 xGMI links are active"));
}

// MI250: pairs of dies, and an uneven mesh between them.
TEST(AmdBoards, OfUnevenMeshesLackNoLinks) {
  auto system = mi300x();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (!device.gpu) return;
    device.device = 0x740c;
    device.gpu->gcn = "gfx90a";
    if (device.gpu->dev % 2 == 0) device.gpu->nvlinks.resize(3);
  });

  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(MissingGpu, IsOneOfEightOnABoard) {
  auto system = dumped();
  for (auto& cpu : system.cpus)
    for (auto& top : cpu.devices)
      for (auto& inner : top.children)
        std::erase_if(inner.children,
                      [](const PciDevice& device) { return device.gpu && device.gpu->dev == 5; });

  const auto found = only(system, "missing-gpu");

  EXPECT_THAT(found.evidence, HasSubstr("There are 7 GPUs, and boards of this kind have 4, 8"));
  EXPECT_THAT(found.evidence, HasSubstr("mlx5_5 at "));
}

TEST(MissingGpu, IsNoMatterOfCardsAndOfPartsOfABoard) {
  EXPECT_THAT(lint(system_of({.numas = 1, .switches = 2})), IsEmpty());
  EXPECT_THAT(lint(system_of({.numas = 1,
                              .switches = 3,
                              .gpu = {.device = 0x26b9, .sm = 89, .nvlinks = 0, .nvswitches = 0}})),
              IsEmpty());
}

TEST(SlowGpuLink, IsOneThatTrainedLowerThanItsLike) {
  auto system = dumped();
  gpu(system, 4).link.speed = "2.5 GT/s PCIe";

  const auto found = only(system, "slow-gpu-link");

  EXPECT_THAT(found.subject, HasSubstr("GPU 4 at "));
  EXPECT_EQ(found.evidence,
            "Its PCI link is 2.5 GT/s PCIe x16, 3 GB/s; 7 of its model have 48 GB/s.");

  gpu(system, 4).link.speed = "8.0 GT/s PCIe";
  EXPECT_THAT(only(system, "slow-gpu-link").evidence, HasSubstr("12 GB/s; 7 of its model"));

  gpu(system, 4).link.speed = "16.0 GT/s PCIe";  // half: the slot may be of the generation before
  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(SlowGpuLink, OfTheFirstGenerationIsOneAlsoWhereAllAre) {
  auto system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.link.speed = "2.5 GT/s PCIe";
  });

  EXPECT_EQ(warnings(system), std::vector<std::string>(8, "slow-gpu-link"));
}

TEST(NarrowNic, IsOneWhosePortCouldDoMoreThanTwiceOfItsLink) {
  auto system = dumped();
  nic(system, "mlx5_2").link = {"8.0 GT/s PCIe", 8};

  const auto found = only(system, "narrow-nic");

  EXPECT_THAT(found.subject, HasSubstr("mlx5_2 at "));
  EXPECT_EQ(found.evidence,
            "Its ports could do 50 GB/s, and its PCI link, 8.0 GT/s PCIe x8, passes 6 GB/s; 7 of "
            "its model have up to 48 GB/s.");
}

TEST(NarrowNic, AloneIsMeasuredByItsPort) {
  auto system = system_of({.numas = 1, .switches = 1, .gpus = 2});
  nic(system, "mlx5_0").link = {"8.0 GT/s PCIe", 8};
  walk_devices(system, [](Cpu&, PciDevice& device, int) { device.max_link = {}; });

  EXPECT_EQ(only(system, "narrow-nic").rule, "narrow-nic");

  nic(system, "mlx5_0").link = {"16.0 GT/s PCIe", 16};  // half of what the port could do
  EXPECT_THAT(lint(system), IsEmpty());
}

TEST(GpuDirect, IsMissedOfTheNicsAndOfTheGpus) {
  auto system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    for (auto& net : device.nets) net.gdr = false;
  });
  EXPECT_THAT(only(system, "gpudirect-off").advice, HasSubstr("nvidia_peermem"));

  system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->gdr = false;
  });
  EXPECT_THAT(only(system, "gpudirect-off").evidence, HasSubstr("8 of 8 GPUs"));
}

// Whether it is on, nobody asked.
TEST(GpuDirect, IsNoMatterOfSocketsAndWhereNobodyAsked) {
  auto system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    for (auto& net : device.nets) net.gdr = false, net.guid = 1, net.port = 0;
  });
  EXPECT_THAT(lint(system), IsEmpty());

  system = dumped();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->gdr = false, device.gpu->rank = -1;
    for (auto& net : device.nets) net.gdr = false;
  });
  EXPECT_THAT(lint(system), IsEmpty());
}

// RCCL's dumps say so where the job ran without fine-grained memory.
TEST(GpuDirect, OfAmdsGpusIsTheJobsSetting) {
  auto system = mi300x();
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->gdr = false;
  });

  EXPECT_THAT(only(system, "gpudirect-off", Severity::info).advice,
              HasSubstr("HSA_FORCE_FINE_GRAIN_PCIE"));
}

}  // namespace
}  // namespace linerate::topo
