// A node's devices and the links between them, with the bandwidths that NCCL counts.
//
// build_graph() repeats what NCCL's src/graph/topo.cc does, for the version that is asked for: a
// Blueprint is filled node by node (graph.cc), flattened, and joined by NVLinks, C2C and links
// between processors (blueprint.cc). Paths (paths.h) then repeats src/graph/paths.cc, and explain()
// puts a path into words. locality.cc finds which NIC NCCL gives a GPU. rules.h orders the
// types of paths and says what changed between versions.
#pragma once

#include "topo/system/system.h"
#include "topo/version.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

enum class NodeKind : std::uint8_t { gpu, pci, nvs, cpu, nic, net };
enum class LinkKind : std::uint8_t { loc, nvl, c2c, pci, sys, net };

std::string_view name_of(NodeKind kind);  // "GPU"
std::string_view name_of(LinkKind kind);  // "NVL"

// One direction of a link; the other one stands at its far end.
struct Link {
  int to = 0;  // node
  LinkKind kind = LinkKind::loc;
  double gbps = 0;

  bool operator==(const Link&) const = default;
};

// What stands at one place of the graph. `gpu`, `net` and `cpu` point into the system that the
// graph was built from, and are null for other kinds.
struct Node {
  NodeKind kind = NodeKind::pci;
  int index = 0;  // among its kind
  // "GPU3", "mlx5_2", "NVS0", "CPU1", "PCI 0000:18:00.0"; "h2/GPU3" where there are several hosts.
  std::string name{};
  BusId bus_id{};
  int numa = -1;
  int host = 0;  // among the hosts of the system
  const PciDevice* device = nullptr;
  const Gpu* gpu = nullptr;
  const Net* net = nullptr;
  const Cpu* cpu = nullptr;
  double gbps = 0;  // net: of the port
  std::vector<Link> links{};
};

// Immutable. Keeps a copy of its system, in which every GPU and NIC port has a number.
class Graph {
 public:
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }
  // Numbers of the nodes of one kind, in the order of their index.
  std::span<const int> of(NodeKind kind) const;
  // The node that a person calls `name`: as nodes are named, in either case, or by bus id.
  Result<int> find(std::string_view name) const;
  const System& system() const { return *system_; }
  const NcclVersion& version() const { return version_; }

 private:
  friend class GraphBuilder;
  std::shared_ptr<const System> system_;  // shared: copies of a graph point into one system
  NcclVersion version_;
  std::vector<Node> nodes_;
  std::vector<std::vector<int>> of_kind_;
};

// As NCCL builds it (src/graph/topo.cc): switches of NVLink are one node, all links of a kind
// between two devices one link, sockets are joined at their vendor's speed. Devices below which
// there is no GPU or NIC port are left out. GPUs without a number get the free ones in the order of
// the bus, NIC ports in the order of the system, on each host.
Graph build_graph(System system, const NcclVersion& version = {});

// The hosts of a system, by hash, in the order of its processors.
std::vector<std::uint64_t> hosts_of(const System& system);

// Gives every GPU without a number the lowest one that is free on its host, in the order of the
// bus, and every NIC port in the order of the system.
void fill_numbers(System& system);

}  // namespace linerate::topo
