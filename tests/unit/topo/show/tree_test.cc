// Systems as trees: small ones word by word, others by what holds for all.
#include "base/text.h"
#include "support/topo/random_shape.h"
#include "support/topo/shown_systems.h"
#include "topo/cluster/platforms.h"
#include "topo/show/facts.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"
#include "unit/topo/graph/random_system.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

// How often a line begins with a label, whatever is drawn before it.
std::size_t labels_in(const std::string& tree, const std::string& label) {
  std::size_t count = 0;
  for (const auto& line : split(tree, '\n')) {
    const auto dash = line.rfind("─ ");
    if (dash == std::string::npos) continue;
    const auto rest = line.substr(dash + std::string_view("─ ").size());
    if (rest == label || rest.starts_with(label + " ")) ++count;
  }
  return count;
}

void expect_each_device_once(const Graph& graph) {
  const auto tree = tree_text(graph);
  for (const auto kind : {NodeKind::gpu, NodeKind::net, NodeKind::cpu})
    for (const int n : graph.of(kind))
      EXPECT_EQ(labels_in(tree, graph.node(n).name), 1U) << graph.node(n).name << "\n" << tree;
}

TEST(Tree, OfAMachineWithoutGpus) {
  EXPECT_EQ(tree_text(build_graph(little_machine())),
            "laptop  this machine · 1 NUMA node, 0 GPUs, 1 NIC port\n"
            "├─ CPU0  Xeon · cores 0-1\n"
            "│  └─ eth0  speed not known · ACTIVE · PCIe link not known, NCCL counts 12 GB/s · "
            "0000:00:03.0\n"
            "└─ Not seen\n"
            "   └─ No GPU: the PCI bus shows none.\n");
}

TEST(Tree, TellsWhatIsDegradedAndDown) {
  EXPECT_EQ(tree_text(build_graph(worn_machine())),
            "worn  a test · 1 NUMA node, 1 GPU, 3 NIC ports\n"
            "├─ CPU0        Intel, family 6 model 143 · cores 0-7,48-55\n"
            "│  ├─ PCI switch  PCIe 5.0 x16, 48 GB/s · 0000:01:00.0\n"
            "│  │  ├─ GPU0  sm_90 · 17 of 18 NVLinks to 1 NVSwitch, 350 GB/s · PCIe 4.0 x8 of 5.0 "
            "x16, 12 of 48 GB/s · 0000:03:00.0 · behind switch 0000:02:00.0\n"
            "│  │  └─ NIC   PCIe 5.0 x16, 48 GB/s · 0000:04:00.0\n"
            "│  │     ├─ mlx5_0  400 Gb/s InfiniBand\n"
            "│  │     └─ mlx5_1  DOWN (Polling) · NCCL leaves it out\n"
            "│  └─ eth9        2.5 Gb/s · NCCL leaves it out · place on the bus not known\n"
            "└─ 1 NVSwitch  17 NVLinks, 350 GB/s from GPU0\n");
}

TEST(Tree, PaintsWhatIsDegradedRed) {
  const auto tree = tree_text(build_graph(worn_machine()), {.color = true});

  for (const std::string bad : {"17 of 18 NVLinks to 1 NVSwitch, 350 GB/s", "DOWN (Polling)",
                                "PCIe 4.0 x8 of 5.0 x16, 12 of 48 GB/s"})
    EXPECT_NE(tree.find("\x1b[1;31m" + bad), std::string::npos) << bad;
  EXPECT_EQ(times_in(tree, "\x1b[1;31m"), 3U);
}

TEST(Tree, SaysWhereAFoldedSwitchIsNarrower) {
  System system = worn_machine();
  system.cpus[0].devices[0].children[0].link = {"8.0 GT/s PCIe", 4};

  const auto tree = tree_text(build_graph(std::move(system)));

  EXPECT_NE(tree.find("behind switch 0000:02:00.0, PCIe 3.0 x4, 3 GB/s"), std::string::npos);
}

TEST(Tree, FoldsHostsThatAreAlike) {
  const auto tree = tree_text(build_graph(*built_in_platform("gb200-nvl72")));

  EXPECT_EQ(labels_in(tree, "18 hosts alike: h0-h17"), 1U) << tree;
  EXPECT_EQ(labels_in(tree, "GPU3"), 1U);
  EXPECT_LT(split(tree, '\n').size(), 20U);
}

TEST(Tree, TellsHostsThatDifferApart) {
  System system = *built_in_platform("gb200-nvl72");
  system.cpus[11].devices.pop_back();

  const auto tree = tree_text(build_graph(std::move(system)));

  EXPECT_EQ(labels_in(tree, "17 hosts alike: h0-h4, h6-h17"), 1U) << tree;
  EXPECT_EQ(labels_in(tree, "h5"), 1U);
}

TEST(Tree, HasEachDeviceOfAPlatformOnce) {
  for (const auto& platform : platforms())
    if (platform.hosts == 1) expect_each_device_once(build_graph(system_of(platform)));
}

TEST(Tree, HasEachDeviceOfRandomSystemsOnce) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    expect_each_device_once(build_graph(random_system(seed)));
    expect_each_device_once(build_graph(system_of(random_shape(seed))));
  }
}

TEST(Tree, KeepsTheWidthThatATerminalHas) {
  for (const auto& platform : platforms())
    for (const auto& line : split(tree_text(build_graph(system_of(platform)), {.width = 80}), '\n'))
      EXPECT_LE(columns_of(line), 80U) << platform.name << ": " << line;
}

TEST(Tree, PassesNoControlCharactersOn) {
  const auto tree = tree_text(build_graph(hostile_machine()));

  EXPECT_EQ(tree.find('\x1b'), std::string::npos);
  for (const auto& line : split(tree, '\n')) EXPECT_EQ(plain_text(line), line);
  EXPECT_NE(tree.find("<a>&\"'\\??[31m?"), std::string::npos) << tree;
}

}  // namespace
}  // namespace linerate::topo
