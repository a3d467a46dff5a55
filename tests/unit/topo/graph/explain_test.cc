// Explanations of paths.
#include "topo/graph/explain.h"

#include "unit/topo/graph/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

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
