// A cluster: groups of equal nodes, and the network between them.
#pragma once

#include "topo/system/system.h"

#include <memory>
#include <string>
#include <vector>

namespace linerate::topo {

// Nodes of one topology. All groups of a file with the same topology share its system, and a
// group of thousands holds it once. A node is what one system describes: a host, or a rack of
// hosts that one NVLink domain joins.
struct NodeGroup {
  std::string topology{};  // "dgx-h100", "a.xml", "detected"
  std::shared_ptr<const System> system{};
  int count = 1;
};

// One level of switches between nodes.
struct SwitchLevel {
  double oversubscription = 1;  // bandwidth to the nodes below over that to the level above
  double latency_us = 0;        // of one message's way through

  bool operator==(const SwitchLevel&) const = default;
};

// As in emulated networks (docs/emulation.md): a host's k-th NIC is on rail k mod rails, and each
// rail of a rack has a leaf switch of its own. Racks meet at the spine.
struct Fabric {
  int rails = 1;
  int nodes_per_rack = 0;  // 0: all nodes are in one rack
  SwitchLevel rack{};      // a leaf switch
  SwitchLevel spine{};

  bool operator==(const Fabric&) const = default;
};

struct Cluster {
  static constexpr int kMaxNodes = 4096, kMaxRails = 16;

  std::string name{};
  std::vector<NodeGroup> groups{};
  Fabric fabric{};

  int nnodes() const;
  int first_alike() const;  // how many nodes have the first one's topology, before any other
  // Of the node, counted through all groups. REQUIRES: 0 <= node < nnodes().
  const System& system_of_node(int node) const;
  // 0 where there is one rack.
  int rack_of_node(int node) const;
};

}  // namespace linerate::topo
