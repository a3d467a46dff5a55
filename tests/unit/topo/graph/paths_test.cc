// Paths: types and bandwidths as NCCL finds them, and why.
#include "topo/graph/paths.h"

#include "unit/topo/graph/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::topo {
namespace {

// A graph and its paths.
struct Map {
  explicit Map(const System& system, const NcclVersion& version = {})
      : graph(build_graph(system, version)), paths(graph) {}

  const Path& path(std::string_view from, std::string_view to) const {
    return paths.between(node_called(graph, from), node_called(graph, to));
  }
  PathType type(std::string_view from, std::string_view to) const { return path(from, to).type; }

  Graph graph;
  Paths paths;
};

// GPU 0 and 1 and a NIC each below one switch of socket 0, GPU 2 and 3 below another, and again.
NodeShape pairs() {
  NodeShape shape = pci_node();
  shape.switches = 2;
  shape.gpus = shape.nics = 2;
  return shape;
}

TEST(PathTypes, FollowTheTreeBetweenGpuAndNic) {
  NodeShape two_levels = pairs();
  two_levels.levels = 2;
  const Map flat(system_of(pairs())), deep(system_of(two_levels));

  EXPECT_EQ(flat.type("GPU0", "mlx5_0"), PathType::pix);
  EXPECT_EQ(deep.type("GPU0", "mlx5_0"), PathType::pxb);
  EXPECT_EQ(flat.type("GPU0", "mlx5_2"), PathType::phb);
  EXPECT_EQ(flat.type("GPU0", "mlx5_4"), PathType::sys);
  EXPECT_EQ(flat.type("GPU0", "GPU0"), PathType::loc);
}

TEST(PathBandwidth, IsThatOfTheNarrowestLink) {
  const Map map(system_of(pairs()));

  EXPECT_DOUBLE_EQ(map.path("GPU0", "mlx5_0").gbps, 48);  // the slot, below the port's 50
  EXPECT_DOUBLE_EQ(map.path("GPU0", "GPU4").gbps, 22);    // between the sockets
  const auto* narrowest = Paths::narrowest(map.path("GPU0", "GPU4"));
  ASSERT_NE(narrowest, nullptr);
  EXPECT_EQ(narrowest->kind, LinkKind::sys);
  EXPECT_EQ(Paths::narrowest(map.path("GPU0", "GPU0")), nullptr);
}

TEST(PathTypes, AreNvlBehindSwitchesAndNvbOverAPeer) {
  EXPECT_EQ(Map(system_of(hopper_node())).type("GPU0", "GPU7"), PathType::nvl);
  System line{.cpus = {{.arch = CpuArch::x86_64, .vendor = "GenuineIntel"}}};
  for (std::uint8_t g = 0; g < 4; ++g) {
    Gpu gpu{.dev = g, .sm = 70};
    if (g > 0) gpu.nvlinks = {{.target = text_of({.bus = g}), .count = 2, .tclass = 0x030200}};
    line.cpus[0].devices.push_back(
        {.bus_id = {.bus = static_cast<std::uint8_t>(g + 1)}, .gpu = gpu});
  }

  const Map map(line);

  EXPECT_EQ(map.type("GPU0", "GPU1"), PathType::nvl);
  EXPECT_EQ(map.type("GPU0", "GPU2"), PathType::nvb);
  EXPECT_EQ(map.path("GPU0", "GPU2").hops.size(), 2u);
  EXPECT_EQ(map.type("GPU0", "GPU3"), PathType::phb);
}

// An NVLink of 20 GB/s leads on through a third GPU, PCI Express of 48 GB/s through the processor.
TEST(PathTypes, AreWorthMoreThanBandwidthFrom2307On) {
  System line{.cpus = {{.arch = CpuArch::x86_64, .vendor = "GenuineIntel"}}};
  for (std::uint8_t g = 0; g < 3; ++g) {
    Gpu gpu{.dev = g, .sm = 70};
    if (g > 0) gpu.nvlinks = {{.target = text_of({.bus = g}), .count = 1, .tclass = 0x030200}};
    line.cpus[0].devices.push_back({.bus_id = {.bus = static_cast<std::uint8_t>(g + 1)},
                                    .link = {"32.0 GT/s PCIe", 16},
                                    .gpu = gpu});
  }

  EXPECT_EQ(Map(line, {2, 30, 7}).type("GPU0", "GPU2"), PathType::nvb);
  EXPECT_EQ(Map(line, {2, 30, 4}).type("GPU0", "GPU2"), PathType::phb);
}

TEST(Gpus, GoThroughTheProcessorBeyondThePciSwitches) {
  const auto two_levels = [] {
    NodeShape shape = pairs();
    shape.levels = 2;
    return shape;
  }();
  const Map map(system_of(two_levels));

  EXPECT_EQ(map.type("GPU0", "GPU1"), PathType::pxb);
  EXPECT_EQ(map.path("GPU0", "GPU2").type, PathType::phb);
}

TEST(Nics, WithoutGpudirectAreReachedThroughTheProcessor) {
  const auto no_gdr = with(system_of(pairs()), [](PciDevice& device) {
    for (auto& net : device.nets) net.gdr = false;
  });
  const Map map(no_gdr);

  EXPECT_EQ(map.type("GPU0", "mlx5_0"), PathType::phb);
  EXPECT_EQ(map.type("mlx5_0", "GPU0"), PathType::phb);
  EXPECT_EQ(map.path("GPU0", "mlx5_0").hops.size(), 5u);  // up to the processor and down again
}

TEST(Nics, AreTakenToHaveGpudirectWhereNobodyAsked) {
  const auto by_hand = with(system_of(pairs()), [](PciDevice& device) {
    for (auto& net : device.nets) net.gdr = false;
    if (device.gpu) device.gpu->gdr = false;
    if (device.gpu) device.gpu->rank = -1;
  });

  EXPECT_EQ(Map(by_hand).type("GPU0", "mlx5_0"), PathType::pix);
}

TEST(Pxn, ReachesANicThroughTheGpuBesideIt) {
  const Map map(system_of(hopper_node()));

  EXPECT_EQ(map.type("GPU0", "mlx5_7"), PathType::pxn);
  EXPECT_DOUBLE_EQ(map.path("GPU0", "mlx5_7").gbps, 48);
  EXPECT_EQ(map.type("mlx5_7", "GPU0"), PathType::sys);  // data is received without
  EXPECT_EQ(map.type("GPU0", "mlx5_0"), PathType::pix);
}

TEST(Pxn, StaysOnItsHost) {
  NodeShape shape = hopper_node();
  shape.hosts = 2;
  const Map map(system_of(shape));

  EXPECT_EQ(map.type("h0/GPU0", "h1/GPU0"), PathType::nvl);
  EXPECT_EQ(map.type("h0/GPU0", "h0/mlx5_7"), PathType::pxn);
  EXPECT_NE(map.type("h0/GPU0", "h1/mlx5_0"), PathType::pxn);
}

TEST(Pxn, NeedsNvLink) { EXPECT_EQ(Map(system_of(pairs())).type("GPU0", "mlx5_2"), PathType::phb); }

NodeShape grace() {
  NodeShape shape{};
  shape.switches = 0;
  shape.gpus = shape.nics = 1;
  shape.cpu = {.arch = CpuArch::arm64, .vendor = "", .family = 0, .model = 0};
  shape.gpu.c2c = C2c{44712, 5};
  return shape;
}

TEST(P2c, ReachesTheNicsOfTheProcessorInThePackage) {
  const Map map(system_of(grace()));

  EXPECT_EQ(map.type("GPU0", "CPU0"), PathType::c2c);
  EXPECT_EQ(map.type("GPU0", "mlx5_0"), PathType::p2c);
  EXPECT_EQ(map.type("mlx5_0", "GPU0"), PathType::p2c);
}

TEST(P2c, CameWith227) {
  EXPECT_EQ(Map(system_of(grace()), {2, 26, 6}).type("GPU0", "mlx5_0"), PathType::phb);
  EXPECT_EQ(Map(system_of(grace()), {2, 27, 3}).type("GPU0", "mlx5_0"), PathType::p2c);
}

TEST(LocalNets, AreDealtOutAmongTheGpusThatShareThem) {
  const Map map(system_of(pairs()));
  const auto gpus = map.graph.of(NodeKind::gpu);

  EXPECT_NE(local_net(map.graph, map.paths, gpus[0], 0),
            local_net(map.graph, map.paths, gpus[1], 0));
  EXPECT_EQ(local_net(map.graph, map.paths, gpus[0], 0),
            local_net(map.graph, map.paths, gpus[0], 1));
  for (const int net : map.graph.of(NodeKind::net)) {
    const int gpu = local_gpu(map.graph, map.paths, net);
    ASSERT_GE(gpu, 0);
    EXPECT_EQ(local_net(map.graph, map.paths, gpu, 0), net);
  }
}

// GPU 1 begins two NICs away from GPU 0, so that two GPUs at work use both halves of the switch.
TEST(LocalNets, OfNeighboursAreFarApart) {
  NodeShape shape = pci_node();
  shape.numas = shape.switches = 1;
  shape.gpus = shape.nics = 4;
  const Map map(system_of(shape));

  std::vector<int> nets;
  for (const int gpu : map.graph.of(NodeKind::gpu))
    nets.push_back(map.graph.node(local_net(map.graph, map.paths, gpu, 0)).index);
  EXPECT_EQ(nets, (std::vector<int>{0, 2, 1, 3}));
}

TEST(LocalNets, OfAGpuWithSeveralAreTakenInTurn) {
  NodeShape shape = hopper_node();
  shape.nics = 4;
  const Map map(system_of(shape));
  const int gpu = map.graph.of(NodeKind::gpu)[2];

  std::vector<int> turns;
  for (int channel = 0; channel < 4; ++channel)
    turns.push_back(local_net(map.graph, map.paths, gpu, channel));
  std::ranges::sort(turns);
  EXPECT_EQ(turns, nearest(map.graph, map.paths, gpu, NodeKind::net));
  EXPECT_EQ(local_net(map.graph, map.paths, gpu, 0), local_net(map.graph, map.paths, gpu, 4));
}

TEST(LocalNets, OfANodeWithoutPortsAreNone) {
  NodeShape shape = hopper_node();
  shape.nics = 0;
  const Map map(system_of(shape));

  EXPECT_EQ(local_net(map.graph, map.paths, map.graph.of(NodeKind::gpu)[0], 0), -1);
}

using testing::HasSubstr;
using testing::Not;

std::string explained(const System& system, std::string_view from, std::string_view to) {
  const auto graph = build_graph(system);
  return explain(graph, Paths(graph), node_called(graph, from), node_called(graph, to));
}

TEST(Explanation, TellsHopsTypeAndNarrowestLink) {
  EXPECT_EQ(explained(system_of(pci_node()), "GPU0", "mlx5_0"),
            "GPU0 to mlx5_0: PIX, 48.0 GB/s\n"
            "  GPU0 -> PCI 0000:01:00.0                 PCI     48.0 GB/s  narrowest\n"
            "  PCI 0000:01:00.0 -> NIC 0000:03:00.0     PCI     48.0 GB/s\n"
            "  NIC 0000:03:00.0 -> mlx5_0               NET     50.0 GB/s\n"
            "PIX: at most one PCI switch is between them: PCI 0000:01:00.0.\n"
            "Narrowest: GPU0 to PCI 0000:01:00.0, 48.0 GB/s.\n");
}

TEST(Explanation, NamesTheProcessorsOnTheWay) {
  EXPECT_THAT(explained(system_of(pci_node()), "GPU0", "mlx5_1"),
              HasSubstr("PHB: no PCI switch joins them: it goes through CPU0."));
  EXPECT_THAT(explained(system_of(pci_node()), "GPU0", "GPU7"),
              AllOf(HasSubstr("SYS: it crosses the link between processors, CPU0 and CPU1"),
                    HasSubstr("Narrowest: CPU0 to CPU1, 22.0 GB/s")));
}

TEST(Explanation, SaysWhyTrafficTurnsBackAtTheProcessor) {
  const auto system = with(system_of(pci_node()), [](PciDevice& device) {
    for (auto& net : device.nets) net.gdr = false;
  });

  EXPECT_THAT(explained(system, "GPU0", "mlx5_0"),
              HasSubstr("it goes up to CPU0 and back down, because NCCL does not let the NIC"));
}

TEST(Explanation, NamesTheGpuThatPassesOn) {
  const auto text = explained(system_of(hopper_node()), "GPU0", "mlx5_7");

  EXPECT_THAT(text, HasSubstr("PXN: GPU7 is nearer to the NIC"));
  EXPECT_THAT(explained(system_of(hopper_node()), "GPU0", "GPU7"), HasSubstr("over NVS0"));
}

TEST(Explanation, OfADeviceToItselfHasNoNarrowestLink) {
  const auto text = explained(system_of(hopper_node()), "GPU0", "GPU0");

  EXPECT_THAT(text, HasSubstr("GPU0 to GPU0: LOC\n"));
  EXPECT_THAT(text, Not(HasSubstr("Narrowest")));
}

}  // namespace
}  // namespace linerate::topo
