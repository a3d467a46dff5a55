// The PCI tree of a host as it is shown: what leads to GPUs and NICs, chains of switches folded.
#pragma once

#include "topo/graph/graph.h"

#include <vector>

namespace linerate::topo {

// A GPU, a NIC or a switch with several devices below it. Nodes by number.
struct Twig {
  const PciDevice* device = nullptr;  // null: ports whose place on the bus nobody tells
  // Switches between this device and the one above it that have nothing else below them, the
  // highest first.
  std::vector<const PciDevice*> above{};
  int gpu = -1;
  std::vector<int> ports{};
  std::vector<Twig> below{};  // of a switch

  bool is_switch() const { return gpu < 0 && ports.empty(); }
};

struct CpuTree {
  int cpu = 0;  // node
  std::vector<Twig> twigs{};
};

// The processors of a host in the system's order. Devices that the graph leaves out are left out;
// pointers lead into its system.
std::vector<CpuTree> bus_trees(const Graph& graph, int host);

}  // namespace linerate::topo
