// hwloc's XML, of made up machines and of a folder that both hwloc and detect() read.
#include "base/file.h"
#include "support/topo/hwloc_synthetic.h"
#include "support/topo/sysfs_tree.h"
#include "topo/detect/detect.h"
#include "topo/detect/hwloc_system.h"
#include "topo/system/system.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace linerate::topo {
namespace {

using testing::HasSubstr;

std::string xml_of(hwloc_topology* topology) {
  char* text = nullptr;
  int size = 0;
  hwloc_topology_export_xmlbuffer(topology, &text, &size, 0);
  std::string xml(text);
  hwloc_free_xmlbuffer(topology, text);
  return xml;
}

TEST(HwlocDevices, ALinkIsTheWidestThatGivesItsPayload) {
  EXPECT_EQ(link_of_payload(15.753846), (PciLink{"8.0 GT/s PCIe", 16}));
  EXPECT_EQ(link_of_payload(31.507692), (PciLink{"16.0 GT/s PCIe", 16}));
  EXPECT_EQ(link_of_payload(63.015385), (PciLink{"32.0 GT/s PCIe", 16}));
  EXPECT_EQ(link_of_payload(8.0), (PciLink{"5.0 GT/s PCIe", 16}));
  EXPECT_EQ(link_of_payload(7.876923), (PciLink{"8.0 GT/s PCIe", 8}));
  EXPECT_EQ(link_of_payload(0.25), (PciLink{"2.5 GT/s PCIe", 1}));
  EXPECT_EQ(link_of_payload(0), PciLink{});
  EXPECT_EQ(link_of_payload(7.0), PciLink{});
}

// hwloc reads such a folder by its name in HWLOC_FSROOT, and bridges' buses from their `config`.
class HwlocXml : public testing::Test {
 protected:
  ~HwlocXml() override {
    unsetenv("HWLOC_FSROOT");
    unsetenv("HWLOC_COMPONENTS");
  }

  // A bridge tells in its configuration space which buses lie below it.
  void add_buses(const std::string& place, int first, int last) const {
    constexpr std::size_t kClass = 0x0a, kHeader = 0x0e, kSecondary = 0x19, kSubordinate = 0x1a;
    std::string config(256, '\0');
    config[kClass] = 0x04;
    config[kClass + 1] = 0x06;
    config[kHeader] = 1;
    config[kSecondary] = static_cast<char>(first);
    config[kSubordinate] = static_cast<char>(last);
    tree_.write("sys/devices/" + place + "/config", config);
  }

  // What hwloc asks of a folder and detect() does not.
  void complete_for_hwloc() const {
    const std::string cpus = "sys/devices/system/cpu/";
    tree_.write(cpus + "online", "0-15\n");
    tree_.write("sys/devices/system/node/online", "0-1\n");
    for (int thread = 0; thread < 16; ++thread) {
      const auto folder = cpus + fmt::format("cpu{}/topology/", thread);
      tree_.write(folder + "core_id", fmt::format("{}\n", thread % 8));
      tree_.write(folder + "thread_siblings", fmt::format("{:04x}\n", 1 << thread));
      tree_.write(folder + "core_siblings", thread < 8 ? "00ff\n" : "ff00\n");
    }
    for (int n = 1; n <= 4; ++n) {
      const auto port = fmt::format("pci0000:{0}0/0000:{0}0:01.0", n);
      const auto inner = port + fmt::format("/0000:{}1:00.0", n);
      tree_.write("sys/devices/" + port + "/local_cpus", n <= 2 ? "00ff\n" : "ff00\n");
      add_buses(port, 16 * n + 1, 16 * n + 6);
      add_buses(inner, 16 * n + 2, 16 * n + 6);
      for (int d = 0; d < 4; ++d)
        add_buses(inner + fmt::format("/0000:{}2:0{}.0", n, d), 16 * n + 3 + d, 16 * n + 3 + d);
    }
  }

  std::string written(const std::string& text) {
    tree_.write("machine.xml", text);
    return (tree_.root() / "machine.xml").string();
  }

  // The folder as hwloc sees it, in its XML.
  std::string saved_folder() {
    setenv("HWLOC_FSROOT", tree_.root().c_str(), 1);
    setenv("HWLOC_COMPONENTS", "-x86,-pci,-opencl,-gl", 1);  // they would ask this machine
    hwloc_topology_t raw = nullptr;
    hwloc_topology_init(&raw);
    const SyntheticTopology topology(raw);
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(raw) != 0) throw std::runtime_error("hwloc does not read the folder");
    return written(xml_of(raw));
  }

  SysfsTree tree_;
};

TEST_F(HwlocXml, OfAMadeUpMachineIsRead) {
  const auto file = written(xml_of(synthetic("pack:2 numa:1 core:4 pu:1").get()));

  const auto system = load_hwloc_xml(file);

  ASSERT_TRUE(system) << system.sentence();
  EXPECT_EQ(system->name, "machine");
  EXPECT_EQ(system->source, "hwloc's file " + file);
  EXPECT_EQ(system->cpus.size(), 2U);
  EXPECT_THAT(system->unseen, testing::Contains("No PCI devices: hwloc shows none."));
}

// hwloc does not tell what ports reach and how far links could go, nor all of a folder's
// processors.
void keep_what_hwloc_tells(System& system) {
  for (auto& cpu : system.cpus) {
    cpu.vendor.clear();
    cpu.name.clear();
    cpu.family = cpu.model = 0;
    cpu.l3_bytes = 0;
  }
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    device.max_link = {};
    for (auto& net : device.nets) {
      net.speed_mbps = 0;
      net.link_layer.clear();
    }
  });
}

TEST_F(HwlocXml, OfAFolderSaysWhatTheFolderSays) {
  add_two_socket_server(tree_);
  complete_for_hwloc();
  const std::string place = "pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:02.0/0000:15:00.0";
  tree_.add_interface("ib0", place, "400000");

  auto filed = load_hwloc_xml(saved_folder());
  auto detected = detect({.root = tree_.root()});

  ASSERT_TRUE(filed) << filed.sentence();
  auto told = *filed;
  keep_what_hwloc_tells(told);
  keep_what_hwloc_tells(detected);
  EXPECT_EQ(told.cpus, detected.cpus);
}

// As hwloc with NVIDIA's library writes it.
TEST_F(HwlocXml, TellsNumberAndModelOfGpus) {
  add_two_socket_server(tree_);
  complete_for_hwloc();
  auto text = *read_regular_file(saved_folder(), 1 << 20);
  const auto end = text.find("/>", text.find("pci_busid=\"0000:14:00.0\""));
  text.replace(end, 2,
               "><object type=\"OSDev\" gp_index=\"900\" name=\"nvml5\" osdev_type=\"1\">"
               "<info name=\"GPUModel\" value=\"NVIDIA H100\"/></object></object>");

  const auto filed = load_hwloc_xml(written(text));

  ASSERT_TRUE(filed) << filed.sentence();
  const auto& gpu = filed->cpus[0].devices[0].children[1].gpu;
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->dev, 5);
  EXPECT_EQ(gpu->model, "NVIDIA H100");
}

TEST_F(HwlocXml, ADeviceNearToAllSocketsIsAtNone) {
  add_two_socket_server(tree_);
  complete_for_hwloc();
  tree_.write("sys/devices/pci0000:40/0000:40:01.0/local_cpus", "ffff\n");

  const auto filed = load_hwloc_xml(saved_folder());

  ASSERT_TRUE(filed) << filed.sentence();
  ASSERT_EQ(filed->cpus.size(), 3U);
  EXPECT_EQ(filed->cpus[2].numa, -1);
  EXPECT_EQ(filed->cpus[2].devices.size(), 1U);
}

TEST_F(HwlocXml, ThatIsNoneIsRefused) {
  const auto wrong = [&](const std::string& text) { return load_hwloc_xml(written(text)); };
  const auto whole = xml_of(synthetic("pack:2 numa:1 core:4 pu:1").get());

  EXPECT_THAT(wrong("<system version=\"1\"/>").sentence(), HasSubstr("it is no XML of hwloc"));
  EXPECT_THAT(wrong(whole.substr(0, whole.size() / 2)).sentence(), HasSubstr("it was cut"));
  EXPECT_THAT(wrong("<topology version=\"2.0\"><object type=\"Core\"/></topology>").sentence(),
              HasSubstr("not that of a whole machine"));
  EXPECT_THAT(wrong("<topology version=\"3.0\"></topology>").sentence(),
              HasSubstr("it is of hwloc's XML version 3"));
  EXPECT_THAT(load_hwloc_xml("/nowhere/machine.xml").sentence(), HasSubstr("/nowhere/machine.xml"));
  EXPECT_THAT(load_hwloc_xml(tree_.root().string()).sentence(), HasSubstr("directory"));
}

TEST_F(HwlocXml, WithNumbersThatNoSetHoldsIsRefused) {
  const auto whole = xml_of(synthetic("pack:2 numa:1 core:4 pu:1").get());
  auto large = whole, none = whole;
  const auto node = whole.find("type=\"NUMANode\" os_index=\"0\"");
  large.insert(whole.find("os_index=\"0\"", node) + 10, "429496729");
  none.replace(whole.find("os_index=\"0\"", node), 12, "");

  for (const auto& text : {large, none})
    EXPECT_THAT(read_hwloc_xml(text, "a.xml").sentence(), HasSubstr("os_index of <object> is '"));
}

// hwloc 2.9 dies of a processor without a complete set behind one that has it.
TEST_F(HwlocXml, ThatHwlocBreaksDownAtIsRefused) {
  constexpr std::string_view kText =
      R"(<topology version="2.0"><object type="Machine" {0} cpuset="0x3" complete_cpuset="0x3">)"
      R"(<object type="NUMANode" {0} cpuset="0x3" complete_cpuset="0x3"/>)"
      R"(<object type="PU" {0} cpuset="0x1" complete_cpuset="0x1"/>)"
      R"(<object type="PU" os_index="1" cpuset="0x2"/></object></topology>)";
  const auto text = fmt::format(kText, R"(os_index="0" nodeset="0x1" complete_nodeset="0x1")");

  const auto refused = read_hwloc_xml(text, "a.xml");

  EXPECT_THAT(refused.sentence(), HasSubstr("a.xml: hwloc "));
}

TEST(Trials, TellWhatWasAnswered) {
  EXPECT_EQ(try_apart([] { return true; }), Trial::yes);
  EXPECT_EQ(try_apart([] { return false; }), Trial::no);
}

TEST(Trials, TellItWhereSigchldIsIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);

  EXPECT_EQ(try_apart([] { return false; }), Trial::no);
  EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN);
}

TEST(Trials, OutliveWhatTheyTry) {
  EXPECT_EQ(try_apart([]() -> bool { std::abort(); }), Trial::broke);
  EXPECT_EQ(try_apart([] { return std::raise(SIGSEGV) == 0; }), Trial::broke);
  EXPECT_EQ(try_apart([]() -> bool { std::_Exit(0); }), Trial::broke);
}

TEST(Trials, EndWhereTheyTakeTooLong) {
  const auto spin = [] {
    for (volatile bool on = true; on;) {
    }
    return true;
  };

  EXPECT_EQ(try_apart(spin, {.seconds = 1}), Trial::broke);
}

TEST(Trials, EndWhereTheyTakeTooMuchMemory) {
  constexpr std::size_t kMuch = std::size_t{64} << 20, kLess = kMuch / 4;
  constexpr unsigned kSeconds = 60;  // a busy machine under a sanitizer takes seconds for 64 MiB
  const auto take = [] {
    const std::vector<char> taken(kMuch, 'x');
    return taken.back() == 'x';
  };

  EXPECT_EQ(try_apart(take, {.seconds = kSeconds}), Trial::yes);
  EXPECT_EQ(try_apart(take, {.seconds = kSeconds, .more_bytes = kLess}), Trial::broke);
}

TEST(Trials, ChangeNothingHere) {
  int value = 1;

  EXPECT_EQ(try_apart([&] { return ++value == 2; }), Trial::yes);
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace linerate::topo
