// Graphs: which nodes and links a system becomes.
#include "topo/graph/graph.h"

#include "unit/topo/graph/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace linerate::topo {
namespace {

std::vector<std::string> names(const Graph& graph, NodeKind kind) {
  std::vector<std::string> found;
  for (const int n : graph.of(kind)) found.push_back(graph.node(n).name);
  return found;
}

System one_gpu(Gpu gpu, CpuArch arch = CpuArch::x86_64) {
  return {.cpus = {{.arch = arch, .devices = {{.bus_id = {.bus = 1}, .gpu = std::move(gpu)}}}}};
}

TEST(Graph, HasANodeForEveryDeviceWithGpusOrPortsBelow) {
  const auto graph = build_graph(system_of(hopper_node()));

  EXPECT_EQ(graph.of(NodeKind::gpu).size(), 8u);
  EXPECT_EQ(graph.of(NodeKind::net).size(), 8u);
  EXPECT_EQ(graph.of(NodeKind::nic).size(), 8u);
  EXPECT_EQ(graph.of(NodeKind::pci).size(), 8u);
  EXPECT_THAT(names(graph, NodeKind::cpu), testing::ElementsAre("CPU0", "CPU1"));
  EXPECT_EQ(graph.node(graph.of(NodeKind::gpu)[3]).index, 3);
}

TEST(Graph, LeavesOutWhatLeadsNowhere) {
  System system = one_gpu({.dev = 0});
  system.cpus[0].devices.push_back({.bus_id = {.bus = 2}, .class_code = 0x060400});
  system.cpus[0].devices.push_back({.bus_id = {.bus = 3}, .class_code = 0x010802});

  const auto graph = build_graph(system);

  EXPECT_EQ(graph.nodes().size(), 2u);
}

TEST(Graph, JoinsAllNvSwitchesAndTheirLinks) {
  const auto graph = build_graph(system_of(hopper_node()));

  ASSERT_EQ(graph.of(NodeKind::nvs).size(), 1u);
  const auto* link = link_between(graph, "GPU5", "NVS0");
  ASSERT_NE(link, nullptr);
  EXPECT_NEAR(link->gbps, 18 * 20.6, 1e-9);
  EXPECT_EQ(*link,
            (Link{.to = graph.of(NodeKind::nvs)[0], .kind = LinkKind::nvl, .gbps = link->gbps}));
}

TEST(Graph, KeepsEveryLinkInBothDirections) {
  for (const auto& shape : {hopper_node(), pci_node()}) {
    const auto graph = build_graph(system_of(shape));
    for (int n = 0; n < std::ssize(graph.nodes()); ++n)
      for (const auto& link : graph.node(n).links)
        EXPECT_TRUE(std::ranges::any_of(graph.node(link.to).links, [&](const Link& back) {
          return back.to == n && back.kind == link.kind;
        })) << graph.node(n).name;
  }
}

TEST(Graph, OrdersLinksByBandwidthAndTheWayUpLast) {
  System system = one_gpu({.dev = 0});
  for (const auto* speed : {"8.0 GT/s PCIe", "32.0 GT/s PCIe", "16.0 GT/s PCIe"}) {
    const auto bus = static_cast<std::uint8_t>(system.cpus[0].devices.size() + 1);
    system.cpus[0].devices.push_back(
        {.bus_id = {.bus = bus}, .link = {speed, 16}, .gpu = Gpu{.dev = bus}});
  }
  system.cpus.push_back({.numa = 1, .arch = CpuArch::arm64});

  const auto graph = build_graph(system);

  std::vector<double> gbps;
  for (const auto& link : graph.node(node_called(graph, "CPU0")).links) gbps.push_back(link.gbps);
  EXPECT_THAT(gbps, testing::ElementsAre(5000, 48, 24, 12, 12));
  const auto node = build_graph(system_of(pci_node()));
  for (const int pci : node.of(NodeKind::pci))
    EXPECT_EQ(node.node(node.node(pci).links.back().to).kind, NodeKind::cpu);
}

TEST(Graph, KnowsNvLinksBetweenGpusThatOnlyOneEndTells) {
  System system = one_gpu({.dev = 0, .sm = 80});
  system.cpus[0].devices.push_back(
      {.bus_id = {.bus = 2},
       .gpu = Gpu{.dev = 1, .sm = 80, .nvlinks = {{.target = "0000:01:00.0", .count = 4}}}});

  const auto graph = build_graph(system);

  EXPECT_DOUBLE_EQ(link_between(graph, "GPU0", "GPU1")->gbps, 80);
  EXPECT_DOUBLE_EQ(link_between(graph, "GPU1", "GPU0")->gbps, 80);
}

TEST(Graph, LinksAGpuToItsProcessorOverC2cOrPowersBridge) {
  const auto grace = build_graph(one_gpu({.dev = 0, .sm = 90, .c2c = C2c{44712, 5}}));
  const auto power = build_graph(
      one_gpu({.dev = 0, .sm = 70, .nvlinks = {{.target = "x", .count = 3, .tclass = 0x068001}}}));

  const auto has = [](const Graph& graph, LinkKind kind, double gbps) {
    return std::ranges::any_of(graph.node(graph.of(NodeKind::gpu)[0]).links, [&](const Link& l) {
      return l.kind == kind && std::abs(l.gbps - gbps) < 1e-9;
    });
  };
  EXPECT_TRUE(has(grace, LinkKind::c2c, 223.56));
  EXPECT_TRUE(has(power, LinkKind::nvl, 60));
  EXPECT_TRUE(power.of(NodeKind::nvs).empty());
}

TEST(Graph, CountsC2cAsNvLinkBefore226) {
  const auto graph = build_graph(one_gpu({.dev = 0, .sm = 90, .c2c = C2c{44712, 5}}), {2, 25, 1});

  const auto& links = graph.node(graph.of(NodeKind::gpu)[0]).links;
  EXPECT_EQ(std::ranges::count(links, LinkKind::c2c, &Link::kind), 0);
  EXPECT_EQ(std::ranges::count(links, LinkKind::nvl, &Link::kind), 1);
}

TEST(Graph, JoinsSocketsOfOneHostOnly) {
  NodeShape shape = hopper_node();
  shape.hosts = 2;
  const auto graph = build_graph(system_of(shape));

  EXPECT_NE(link_between(graph, "h0/CPU0", "h0/CPU1"), nullptr);
  EXPECT_EQ(link_between(graph, "h0/CPU0", "h1/CPU0"), nullptr);
  EXPECT_EQ(graph.of(NodeKind::nvs).size(), 1u);
}

TEST(Graph, PutsPortsWithoutAPlaceUnderTheirProcessor) {
  System system = one_gpu({.dev = 0});
  system.cpus[0].nets = {{.name = "eth0", .speed_mbps = 100000}, {.name = "eth1"}};

  const auto graph = build_graph(system);

  ASSERT_EQ(graph.of(NodeKind::nic).size(), 1u);
  EXPECT_DOUBLE_EQ(link_between(graph, "NIC CPU0", "CPU0")->gbps, 5000);
  EXPECT_DOUBLE_EQ(link_between(graph, "eth0", "NIC CPU0")->gbps, 12.5);
  EXPECT_DOUBLE_EQ(graph.node(node_called(graph, "eth1")).gbps, 1.25);
}

TEST(Graph, FlattensTwoLevelBroadcomSwitches) {
  NodeShape shape = hopper_node();
  shape.levels = 2;
  const auto as_told = system_of(shape);
  const auto broadcom = with(as_told, [](PciDevice& device) {
    if (device.gpu || !device.nets.empty()) return;
    const bool upper = device.children.size() > 1;
    device.subsystem_vendor = 0x1000;
    device.subsystem_device = upper ? 0x0072 : 0x1003;
  });

  EXPECT_EQ(build_graph(as_told).of(NodeKind::pci).size(), 24u);
  const auto graph = build_graph(broadcom);
  ASSERT_EQ(graph.of(NodeKind::pci).size(), 8u);
  EXPECT_EQ(build_graph(broadcom, {2, 19, 4}).of(NodeKind::pci).size(), 24u);
  const auto& top = graph.node(graph.of(NodeKind::pci)[0]);
  EXPECT_NE(link_between(graph, "GPU0", top.name), nullptr);
  EXPECT_NE(link_between(graph, top.name, "GPU0"), nullptr);
  EXPECT_EQ(graph.node(top.links.back().to).kind, NodeKind::cpu);
  for (const auto& link : top.links) EXPECT_NE(graph.node(link.to).name, top.name);
}

TEST(Graph, ReachesOtherSwitchesOverPciPeersFrom222) {
  System system = system_of(pci_node());
  auto& devices = system.cpus[0].devices;
  devices[0].pci_peers = {devices[1].bus_id};
  const auto from = "PCI " + text_of(devices[1].bus_id), to = "PCI " + text_of(devices[0].bus_id);

  const auto graph = build_graph(system);

  const auto* link = link_between(graph, from, to);
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->kind, LinkKind::loc);
  EXPECT_EQ(link_between(build_graph(system, {2, 21, 5}), from, to), nullptr);
}

TEST(Graph, KeepsASwitchThatLeadsToAnother) {
  System system = one_gpu({.dev = 0});
  system.cpus[0].devices.push_back(
      {.bus_id = {.bus = 2}, .class_code = 0x060400, .pci_peers = {{.bus = 3}}});

  EXPECT_EQ(build_graph(system).of(NodeKind::pci).size(), 1u);
}

TEST(Graph, NumbersGpusWithoutANumberInTheOrderOfTheBus) {
  System system = one_gpu({});
  system.cpus[0].devices.front().bus_id.bus = 9;
  system.cpus[0].devices.push_back({.bus_id = {.bus = 3}, .gpu = Gpu{}});
  system.cpus[0].devices.push_back({.bus_id = {.bus = 5}, .gpu = Gpu{.dev = 0}});

  const auto graph = build_graph(system);

  EXPECT_THAT(names(graph, NodeKind::gpu), testing::ElementsAre("GPU2", "GPU1", "GPU0"));
}

TEST(Graph, GivesNoTwoNodesOneName) {
  System system = one_gpu({.dev = 0});
  system.cpus[0].devices.push_back({.bus_id = {.bus = 2}, .gpu = Gpu{.dev = 0}});
  system.cpus[0].nets = {
      {.name = "mlx5_0", .port = 1}, {.name = "mlx5_0", .port = 2}, {.name = "mlx5_0", .port = 2}};

  const auto graph = build_graph(system);

  std::set<std::string> all;
  for (const auto& node : graph.nodes()) all.insert(node.name);
  EXPECT_EQ(all.size(), graph.nodes().size());
  EXPECT_TRUE(all.contains("mlx5_0:2"));
}

TEST(Graph, FindsNodesByNameInEitherCaseAndByBusId) {
  const auto graph = build_graph(system_of(hopper_node()));
  const auto& gpu = graph.node(node_called(graph, "gpu4"));

  EXPECT_EQ(gpu.name, "GPU4");
  EXPECT_EQ(graph.node(node_called(graph, text_of(gpu.bus_id))).name, "GPU4");
  const auto wrong = graph.find("GPU44");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.sentence(), testing::HasSubstr("Did you mean 'GPU4'"));
}

TEST(Graph, PointsIntoItsOwnCopyOfTheSystem) {
  auto graph = build_graph(system_of(hopper_node()));
  const auto copy = graph;
  graph = build_graph(one_gpu({.dev = 0}));

  EXPECT_EQ(copy.node(copy.of(NodeKind::gpu)[7]).gpu->dev, 7);
}

TEST(Graph, MergesFunctionsOfANicBefore224) {
  System system = one_gpu({.dev = 0});
  for (const std::uint8_t function : {std::uint8_t{0}, std::uint8_t{1}})
    system.cpus[0].devices.push_back(
        {.bus_id = {.bus = 2, .function = function}, .nets = {{.name = "eth"}}});

  EXPECT_EQ(build_graph(system).of(NodeKind::nic).size(), 2u);
  EXPECT_EQ(build_graph(system, {2, 23, 4}).of(NodeKind::nic).size(), 1u);
}

TEST(Graph, OfNothingIsEmpty) { EXPECT_TRUE(build_graph({}).nodes().empty()); }

}  // namespace
}  // namespace linerate::topo
