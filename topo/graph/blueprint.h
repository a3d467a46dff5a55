// A graph while it is built: nodes in the order of their creation, and their place in the PCI tree.
#pragma once

#include "topo/graph/graph.h"
#include "topo/graph/rules.h"

#include <vector>

namespace linerate::topo {

struct Blueprint {
  GraphRules rules{};
  NcclVersion version{};
  std::vector<Node> nodes{};
  std::vector<int> up{};  // of each node: what it hangs from in the PCI tree; -1: nothing

  Node& at(int n) { return nodes[static_cast<std::size_t>(n)]; }
  const Node& at(int n) const { return nodes[static_cast<std::size_t>(n)]; }
  int up_of(int n) const { return up[static_cast<std::size_t>(n)]; }

  // Appends a node and returns its number.
  int add(Node node, int above);
  // The node of `kind` that stands for a bus id on a host; -1: none.
  int at_bus(NodeKind kind, int host, const BusId& id) const;
  // The processor that a node hangs from.
  int cpu_of(int n) const;

  // Adds `gbps` in one direction. Links of a kind to one node are one link; those of a node are
  // kept by falling bandwidth, equal ones by age.
  void connect(int from, int to, LinkKind kind, double gbps);
  void join(int a, int b, LinkKind kind, double gbps);  // both directions
};

// The links that devices tell beside the PCI tree: NVLinks, C2C, peers of switches; then those
// between processors.
void add_other_links(Blueprint& plan);

// Two-level Broadcom switches become one, as they are faster than their tree says.
void flatten_switches(Blueprint& plan);

// In the PCI tree, the link towards the processor becomes each node's last one: NCCL follows links
// in this order, so that ways of equal rank are found in it.
void sort_links(Blueprint& plan);

}  // namespace linerate::topo
