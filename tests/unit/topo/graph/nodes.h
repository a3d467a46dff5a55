// Systems for tests of graphs and searches: shapes of nodes, and ways to change one device.
#pragma once

#include "topo/cluster/platforms.h"
#include "topo/graph/graph.h"
#include "topo/system/system.h"

#include <gtest/gtest.h>

namespace linerate::topo {

// Two sockets, a PCI switch with a GPU and a NIC for each of eight GPUs; Hopper behind NVSwitches.
inline NodeShape hopper_node() { return {}; }

// The same without NVLink.
inline NodeShape pci_node() {
  NodeShape shape{};
  shape.gpu.nvlinks = 0;
  shape.gpu.nvswitches = 0;
  return shape;
}

// Calls change(device) for every PCI device.
template <typename Change>
System with(System system, const Change& change) {
  walk_devices(system, [&](Cpu&, PciDevice& device, int) { change(device); });
  return system;
}

// The number of a node that must be there.
inline int node_called(const Graph& graph, std::string_view name) {
  const auto found = graph.find(name);
  EXPECT_TRUE(found) << name;
  return found ? *found : 0;
}

inline const Link* link_between(const Graph& graph, std::string_view from, std::string_view to) {
  const int target = node_called(graph, to);
  for (const auto& link : graph.node(node_called(graph, from)).links)
    if (link.to == target) return &link;
  return nullptr;
}

}  // namespace linerate::topo
