// Processors of made up machines and of this one; NVLinks from hwloc's matrix.
#include "topo/detect/hwloc_system.h"

#include "support/topo/hwloc_synthetic.h"
#include "topo/detect/sysfs.h"
#include "topo/system/system.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::topo {
namespace {

TEST(HwlocCpus, OfAMadeUpMachineAreItsMemoryNodes) {
  const auto topology = synthetic("pack:2 numa:2 l3:2(size=16777216) core:4 pu:2");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_hwloc(topology.get(), unseen);

  ASSERT_EQ(cpus.size(), 4U);
  EXPECT_EQ(cpus[3].numa, 3);
  EXPECT_EQ(cpus[3].package, 1);
  EXPECT_EQ(cpus[3].cores, 8);
  EXPECT_EQ(cpus[3].threads, 16);
  EXPECT_EQ(cpus[3].l3_bytes, 2U * 16777216);
  EXPECT_EQ(cpus[3].affinity, "ffff0000,00000000");
  ASSERT_EQ(cpus[3].core_threads.size(), 8U);
  EXPECT_EQ(cpus[3].core_threads[7], (std::vector<int>{62, 63}));
}

TEST(HwlocCpus, MemoryBesideThatOfTheSocketIsNoProcessor) {
  const auto topology = synthetic("pack:2 [numa(memory=1GB)] [numa(memory=2GB)] core:4 pu:1");
  std::vector<std::string> unseen;

  const auto cpus = cpus_of_hwloc(topology.get(), unseen);

  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].affinity, "0000000f");
  EXPECT_EQ(cpus[1].affinity, "000000f0");
}

TEST(HwlocCpus, OfThisMachineAreWhatItsFilesSay) {
  std::vector<std::string> unseen;
  const auto filed = cpus_of_tree("/", unseen);
  if (!unseen.empty()) GTEST_SKIP() << unseen.front();

  const auto asked = cpus_of_this_machine(unseen);

  ASSERT_EQ(asked.size(), filed.size());
  for (std::size_t n = 0; n < asked.size(); ++n) {
    EXPECT_EQ(asked[n].numa, filed[n].numa);
    EXPECT_EQ(asked[n].affinity, filed[n].affinity);
    EXPECT_EQ(asked[n].vendor, filed[n].vendor);
    EXPECT_EQ(asked[n].family, filed[n].family);
    EXPECT_EQ(asked[n].model, filed[n].model);
  }
}

using testing::HasSubstr;

constexpr std::string_view kMachine =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" allowed_cpuset="0x1" )"
    R"(nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <info name="hwlocVersion" value="{}"/>
    <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" )"
    R"(complete_nodeset="0x1" gp_index="2" local_memory="1048576"/>
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" )"
    R"(complete_nodeset="0x1" gp_index="3"/>
    <object type="Bridge" gp_index="10" bridge_type="0-1" depth="0" bridge_pci="0000:[00-ff]">
{}    </object>
  </object>
{}</topology>
)";

// Devices of the bus in their order: GPUs by their PCI id, a switch by 0.
struct Machine {
  std::vector<unsigned> devices;
  std::string matrix{};  // row by row; empty: none
  std::string version = "2.9.0";
};

std::string device_text(unsigned id, std::size_t n) {
  constexpr unsigned kSwitchId = 0x1af1;
  const auto head =
      fmt::format(R"(<object type="PCIDev" gp_index="{}" {}pci_busid="0000:0{}:00.0" pci_type="{} )"
                  R"([10de:{:04x}] [0000:0000] a1" pci_link_speed="31.507692")",
                  100 + n, id == 0 ? "subtype=\"NVSwitch\" " : "", n + 1, id == 0 ? "0680" : "0302",
                  id == 0 ? kSwitchId : id);
  if (id == 0) return head + "/>\n";
  return fmt::format(
      "{}><object type=\"OSDev\" gp_index=\"{}\" name=\"nvml{}\" subtype=\"NVML\" "
      "osdev_type=\"1\"/></object>\n",
      head, 200 + n, n);
}

std::string matrix_element(const Machine& machine, const std::string& more_objects) {
  std::string indexes;
  for (std::size_t n = 0; n < machine.devices.size(); ++n)
    indexes += machine.devices[n] == 0 ? fmt::format("PCIDev:{} ", 100 + n)
                                       : fmt::format("OSDev:{} ", 200 + n);
  indexes += more_objects;
  return fmt::format(
      "  <distances2hetero nbobjs=\"{}\" kind=\"25\" name=\"NVLinkBandwidth\">\n"
      "    <indexes length=\"{}\">{}</indexes>\n"
      "    <u64values length=\"{}\">{}</u64values>\n  </distances2hetero>\n",
      machine.devices.size() + (more_objects.empty() ? 0 : 1), indexes.size(), indexes,
      machine.matrix.size(), machine.matrix);
}

System read(const Machine& machine, const std::string& more_objects = {}) {
  std::string devices;
  for (std::size_t n = 0; n < machine.devices.size(); ++n)
    devices += device_text(machine.devices[n], n);
  const auto matrix = machine.matrix.empty() ? "" : matrix_element(machine, more_objects);
  return read_hwloc_xml(fmt::format(kMachine, machine.version, devices, matrix), "a.xml").value();
}

std::vector<std::vector<NvLink>> links_of(System system) {
  std::vector<std::vector<NvLink>> links;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (device.gpu) links.push_back(device.gpu->nvlinks);
  });
  return links;
}

NvLink to(const std::string& target, int count, std::uint32_t tclass) {
  return {.target = target, .count = count, .tclass = tclass};
}

constexpr unsigned kP100 = 0x15f9, kV100 = 0x1db1, kA100 = 0x20b2, kB200 = 0x2901;

TEST(HwlocNvlinks, JoinTheGpusThatTheMatrixJoins) {
  const auto links = links_of(read({.devices = {kV100, kV100, kV100},
                                    .matrix = "1000000 50000 25000 50000 1000000 0 "
                                              "25000 0 1000000 "}));

  ASSERT_EQ(links.size(), 3U);
  EXPECT_THAT(links[0], testing::ElementsAre(to("0000:02:00.0", 2, 0x030200),
                                             to("0000:03:00.0", 1, 0x030200)));
  EXPECT_THAT(links[1], testing::ElementsAre(to("0000:01:00.0", 2, 0x030200)));
}

// hwloc counted both directions of Ampere's links, until 2.12.
TEST(HwlocNvlinks, AreCountedByTheSpeedOfTheirGeneration) {
  const auto count = [](unsigned gpu, const std::string& mbps, const std::string& version) {
    const auto links = links_of(read(
        {.devices = {gpu, gpu}, .matrix = fmt::format("0 {0} {0} 0 ", mbps), .version = version}));
    return links[0].empty() ? 0 : links[0][0].count;
  };

  EXPECT_EQ(count(kP100, "40000", "2.9.0"), 2);
  EXPECT_EQ(count(kA100, "200000", "2.9.0"), 4);
  EXPECT_EQ(count(kA100, "200000", "2.12.1"), 8);
  EXPECT_EQ(count(kB200, "900000", "2.13.0"), 18);
}

TEST(HwlocNvlinks, GoToSwitchesWhereThereAreSome) {
  const auto links = links_of(read({.devices = {kA100, kA100, 0},
                                    .matrix = "1000000 600000 600000 600000 1000000 600000 "
                                              "600000 600000 1000000 "}));

  ASSERT_EQ(links.size(), 2U);
  EXPECT_THAT(links[0], testing::ElementsAre(to("0000:03:00.0", 12, 0x068000)));
}

TEST(HwlocNvlinks, MayGoToAProcessor) {
  const auto links =
      links_of(read({.devices = {kP100}, .matrix = "1000000 40000 40000 1000000 "}, "NUMANode:2 "));

  ASSERT_EQ(links.size(), 1U);
  ASSERT_EQ(links[0].size(), 1U);
  EXPECT_EQ(links[0][0].tclass, 0x068001U);
  EXPECT_EQ(links[0][0].count, 2);
}

TEST(HwlocNvlinks, ThatAreNoneAreTold) {
  const auto none = read({.devices = {kA100, kA100}});
  const auto odd = read({.devices = {kV100, kV100}, .matrix = "0 33000 33000 0 "});
  const auto many = read({.devices = {kV100, kV100}, .matrix = "0 900000000 900000000 0 "});

  EXPECT_THAT(none.unseen, testing::Contains(HasSubstr("No NVLinks: hwloc tells them only")));
  EXPECT_THAT(odd.unseen, testing::Contains(HasSubstr("No NVLinks of 0000:01:00.0")));
  EXPECT_THAT(many.unseen, testing::Contains(HasSubstr("No NVLinks of 0000:02:00.0")));
  EXPECT_TRUE(links_of(odd)[0].empty() && links_of(many)[0].empty());
}

}  // namespace
}  // namespace linerate::topo
