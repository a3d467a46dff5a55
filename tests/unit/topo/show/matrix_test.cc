// Distances as a matrix: a small one word by word, others by what holds for all.
#include "base/text.h"
#include "support/topo/shown_systems.h"
#include "topo/cluster/platforms.h"
#include "topo/show/views.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace linerate::topo {
namespace {

std::string matrix_of(const System& system, const MatrixOptions& options = {}) {
  const Graph graph = build_graph(system);
  return matrix_text(graph, Paths(graph), options);
}

// The words of the lines up to the first empty one.
std::vector<std::vector<std::string>> words_of(const std::string& matrix) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : split(matrix, '\n')) {
    if (line.empty()) break;
    std::istringstream words(line);
    rows.emplace_back(std::istream_iterator<std::string>(words),
                      std::istream_iterator<std::string>());
  }
  return rows;
}

NodeShape pair_of_gpus() {
  NodeShape shape{.numas = 2, .switches = 1, .gpus = 1, .nics = 1};
  shape.gpu.nvlinks = 2;
  shape.gpu.nvswitches = 0;
  shape.cpu.threads = 8;
  return shape;
}

TEST(Matrix, OfTwoGpusAndTwoNics) {
  EXPECT_EQ(matrix_of(system_of(pair_of_gpus())),
            "        GPU0  GPU1  mlx5_0  mlx5_1  CPU affinity  NUMA\n"
            "GPU0    X     NV2   PIX     PXN     0-7           0\n"
            "GPU1    NV2   X     PXN     PIX     8-15          1\n"
            "mlx5_0  PIX   SYS   X       SYS     0-7           0\n"
            "mlx5_1  SYS   PIX   SYS     X       8-15          1\n"
            "\n"
            "Paths as NCCL 2.28.9 sees them, the nearest first:\n"
            "  X    the same device\n"
            "  NV#  NVLinks, also over NVSwitches; NV18: so many of them\n"
            "  PIX  at most one PCI switch\n"
            "  PXN  NVLinks to another GPU, which is nearer to the NIC\n"
            "  SYS  through the link between processors\n");
}

// MI300X: processing accelerators by PCI class, each with an xGMI link to each.
TEST(Matrix, OfAmdsGpusNamesXgmi) {
  auto system = system_of(pair_of_gpus());
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    if (!device.gpu) return;
    device.class_code = 0x120000;
    device.gpu->gcn = "gfx942";
    for (auto& link : device.gpu->nvlinks) link.tclass = 0x120000;
  });

  const auto matrix = matrix_of(system);

  EXPECT_TRUE(build_graph(system).of(NodeKind::nvs).empty());
  EXPECT_NE(matrix.find("GPU0    X      XGMI2"), std::string::npos) << matrix;
  EXPECT_NE(matrix.find("  XGMI#  xGMI links"), std::string::npos) << matrix;
  EXPECT_EQ(matrix.find("NVLink"), std::string::npos) << matrix;
}

TEST(Matrix, HasBandwidthsWhereAsked) {
  EXPECT_EQ(matrix_of(system_of(pair_of_gpus()), {.gbps = true}),
            "        GPU0  GPU1  mlx5_0  mlx5_1  CPU affinity  NUMA\n"
            "GPU0    X     41.2  48      41.2    0-7           0\n"
            "GPU1    41.2  X     41.2    48      8-15          1\n"
            "mlx5_0  48    22    X       22      0-7           0\n"
            "mlx5_1  22    48    22      X       8-15          1\n"
            "\n"
            "GB/s from row to column, as NCCL 2.28.9 counts them. X: the same device.\n");
}

// 2.27.3 put P2C behind PXN. The second GPU reaches one NIC over the first, one over C2C.
TEST(Matrix, LegendHasTheOrderOfTheVersion) {
  NodeShape shape = pair_of_gpus();
  shape.gpu.c2c = C2c{44712, 5};
  System system = system_of(shape);
  system.cpus[1].devices = std::vector<PciDevice>(system.cpus[1].devices[0].children);
  const Graph graph = build_graph(std::move(system), {2, 27, 3});

  const auto text = matrix_text(graph, Paths(graph));

  ASSERT_NE(text.find("\n  P2C"), std::string::npos) << text;
  EXPECT_LT(text.find("\n  PXN"), text.find("\n  P2C")) << text;
}

TEST(Matrix, OfHostsThatAreAlikeStandsOnce) {
  const auto text = matrix_of(*built_in_platform("gb200-nvl72"));

  EXPECT_EQ(text.substr(0, text.find('\n')), "18 hosts alike: h0-h17");
  EXPECT_NE(text.find("\nBetween hosts: GPU to GPU NV18.\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("DIS"), std::string::npos) << text;
}

TEST(Matrix, OfAllHostsHasEachDevice) {
  const auto rows = words_of(matrix_of(*built_in_platform("gb200-nvl72"), {.all_hosts = true}));

  ASSERT_EQ(rows.size(), 1U + 144U);
  EXPECT_EQ(rows[1][0], "h0/GPU0");
  EXPECT_EQ(rows[144][0], "h17/mlx5_3");
}

TEST(Matrix, OfHostsWithoutNvLinkSaysThatThereIsTheNetwork) {
  NodeShape shape{.hosts = 2, .numas = 1, .switches = 0, .gpus = 1, .nics = 1};
  shape.gpu.nvlinks = 0;

  EXPECT_NE(matrix_of(system_of(shape)).find("Between hosts: the network alone.\n"),
            std::string::npos);
}

TEST(Matrix, NamesThePortsThatNcclLeavesOut) {
  const auto worn = build_graph(worn_machine());
  EXPECT_TRUE(matrix_text(worn, Paths(worn), {}).ends_with("NCCL leaves out mlx5_1, eth9.\n"));

  const auto little = build_graph(little_machine());
  EXPECT_EQ(times_in(matrix_text(little, Paths(little), {}), "leaves out"), 0U);
}

TEST(Matrix, OfNothingSaysSo) {
  EXPECT_EQ(matrix_of({.cpus = {{.numa = 0}}}), "No GPUs and no NICs.\n");
}

TEST(Matrix, SaysWhatIsNotKnownOfTheProcessor) {
  System system = little_machine();
  system.cpus[0].numa = -1;
  system.cpus[0].affinity.clear();

  EXPECT_EQ(words_of(matrix_of(system))[1],
            (std::vector<std::string>{"eth0", "X", "not", "known", "not", "known"}));
}

std::vector<int> devices_of(const Graph& graph) {
  std::vector<int> nodes(graph.of(NodeKind::gpu).begin(), graph.of(NodeKind::gpu).end());
  nodes.insert(nodes.end(), graph.of(NodeKind::net).begin(), graph.of(NodeKind::net).end());
  return nodes;
}

bool agrees(const std::string& cell, const Path& path) {
  if (path.hops.empty()) return cell == "X" || cell == name_of(path.type);
  if (path.type != PathType::nvl) return cell == name_of(path.type);
  return parse_integer("links", cell.substr(2)) && cell.starts_with("NV");
}

TEST(Matrix, HoldsThePathsOfRandomSystems) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Graph graph = build_graph(random_system(seed));
    const Paths paths(graph);
    const auto nodes = devices_of(graph);

    const auto rows = words_of(matrix_text(graph, paths));

    ASSERT_EQ(rows.size(), nodes.size() + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(rows[i + 1][0], rows[0][i]);
      EXPECT_EQ(rows[i + 1][i + 1], "X");
      for (std::size_t j = 0; j < nodes.size(); ++j)
        EXPECT_TRUE(agrees(rows[i + 1][j + 1], paths.between(nodes[i], nodes[j]))) << seed;
    }
  }
}

TEST(Matrix, IsSymmetricWherePathsAre) {
  int pairs = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Graph graph = build_graph(random_system(seed));
    const Paths paths(graph);
    const auto nodes = devices_of(graph);

    const auto rows = words_of(matrix_text(graph, paths));

    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (paths.between(nodes[i], nodes[j]).type != paths.between(nodes[j], nodes[i]).type)
          continue;
        EXPECT_EQ(rows[i + 1][j + 1], rows[j + 1][i + 1]) << seed;
        ++pairs;
      }
  }
  EXPECT_GT(pairs, 500);
}

TEST(Matrix, PassesNoControlCharactersOn) {
  const auto text = matrix_of(hostile_machine());

  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("<a>&\"'\\??[31m?"), std::string::npos) << text;
}

}  // namespace
}  // namespace linerate::topo
