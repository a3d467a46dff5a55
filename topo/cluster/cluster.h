// A cluster: groups of nodes and the network between them, and the YAML file that describes one.
//
// NCCL knows nothing of switches. ClusterPredictor takes its choice from topo/model, follows its
// channels over the nodes (fabric_traffic.h) and slows the call down by the switch
// that needs longest for its bytes. platforms.h makes systems of a few numbers, the built-in ones
// among them.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
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
  int identical_to_first() const;  // how many nodes have the first one's topology, before any other
  // 0 where there is one rack. REQUIRES: 0 <= node < nnodes().
  int rack_of_node(int node) const;
};

// Reads a cluster from YAML.

inline constexpr std::size_t kMaxClusterBytes = std::size_t{64} << 10;

// Where nodes that are not built in come from; each is asked once for each topology.
struct TopologySources {
  std::function<Result<System>(const std::string& path)> load;  // an XML file of NCCL
  std::function<Result<System>()> detect;                       // this machine
};

// name: west
// nodes:
//   - {topology: dgx-h100, count: 64}   # a built-in platform, or `detected`
//   - {file: odd.xml}                   # NCCL's topology XML; relative to the cluster's file
//   - {file: ndv5-topo.xml, topology: azure-ndv5}  # what a provider's file leaves out, completed
//   - {file: gb200.xml, count: 36, nvlink_domain: 18}  # 36 hosts, 18 in each NVLink domain: 2
//   nodes
// rails: 8
// rack: {nodes: 32, oversubscription: 2, latency: 1 us}
// spine: {oversubscription: 1.5, latency: 1 us}
//
// Strict: unknown and repeated keys, missing units and values out of their range are refused by
// what goes on behind the file's name: ", line 3: ...". `nodes` alone is needed.
Result<Cluster> parse_cluster(std::string_view text, const TopologySources& sources);

// The same of a file, in one sentence that names it; `detect` as in TopologySources.
Result<Cluster> read_cluster(const std::string& path,
                             const std::function<Result<System>()>& detect);

}  // namespace linerate::topo
