// What all views show of a graph, worked out once: its hosts and which of them are identical, the
// NVLinks of each GPU, and the PCI tree with chains of switches folded.
//
// views.h declares the views, one .cc file each, and prediction.h the tables of predictions. The
// picture is drawn by reports/topology.py from JSON. Facts are put into words here and, for single
// devices, in device_text.h; text_layout.h puts words into lines and columns.
#pragma once

#include "topo/graph/graph.h"
#include "topo/system/links.h"

#include <string>
#include <vector>

namespace linerate::topo {

// Hosts by number that have the same processors and devices at the same places with the same names.
// Ranks and GUIDs, which no two hosts share, do not count.
using HostGroup = std::vector<int>;

// NVLinks, or xGMI links, of a GPU to one node: another GPU, the NVSwitches, a POWER processor.
struct NvLinks {
  int to = 0;  // node
  int count = 0;
  double gbps = 0;  // all together, in one direction
};

// A GPU, a NIC or a switch with several devices below it. Nodes by number.
struct PciSubtree {
  const PciDevice* device = nullptr;  // null: ports whose place on the bus nobody tells
  // Switches between this device and the one above it that have nothing else below them, the
  // highest first.
  std::vector<const PciDevice*> above{};
  int gpu = -1;
  std::vector<int> ports{};
  std::vector<PciSubtree> below{};  // of a switch

  bool is_switch() const { return gpu < 0 && ports.empty(); }
};

struct CpuTree {
  int cpu = 0;  // node
  std::vector<PciSubtree> subtrees{};
};

// The node of a GPU, port or processor of the graph's own system; -1: the graph leaves it out.
int node_of(const Graph& graph, const void* part);

// Of one graph, which must outlive it. Every view of a graph takes its facts from here.
class Facts {
 public:
  explicit Facts(const Graph& graph);

  const Graph& graph() const { return graph_; }
  int hosts() const { return hosts_; }
  // Every host in one group, in the order of each group's first: one host stands for its group.
  std::vector<HostGroup> identical_hosts() const;
  std::string name(int node) const;                        // on its own host: "GPU3" of "h2/GPU3"
  std::string names(const std::vector<int>& nodes) const;  // "GPU0-GPU3, GPU6"
  std::vector<int> nodes_on(NodeKind kind, int host) const;
  std::vector<int> devices(int host = -1) const;  // GPUs, then NIC ports; of all hosts: -1
  bool nccl_takes(const Net& port) const { return ports_.takes(port); }
  // "400 Gb/s InfiniBand", "speed not known"; of a port that NCCL leaves out, whose speed matters
  // to nobody, what is known.
  std::string speed_text(const Net& port) const;

  // What a GPU's NVLinks lead to, in the order of nodes. REQUIRES: `gpu` is a GPU's node.
  const std::vector<NvLinks>& nvlinks(int gpu) const;
  // NVLinks between two GPUs; through switches, as many as the one with fewer has. 0: none, or
  // those that there are lead through other GPUs.
  int nvlinks_between(int a, int b) const;

  // The processors of a host in the system's order. Devices that the graph leaves out are left out;
  // pointers lead into its system.
  std::vector<CpuTree> pci_trees(int host) const;

 private:
  int links_to_switches(int gpu) const;

  const Graph& graph_;
  PortUse ports_;
  int hosts_ = 1;
  std::vector<std::vector<NvLinks>> nvlinks_{};  // by a GPU's index
};

std::string hosts_text(const HostGroup& group);  // "18 hosts alike: h0-h17", "h3"

// NVSwitch chips that a GPU's links lead to; 0: none, or the host does not see them.
int nvswitches_of(const Gpu& gpu);

// How many links the model has; 0: not known.
int nvlink_capacity(const Gpu& gpu);

// "2 NUMA nodes, 8 GPUs, 8 NIC ports", with the hosts where there are several.
std::string summary_text(const Facts& facts);

// "18 NVLinks to 4 NVSwitches, 371 GB/s"; "4 NVLinks each to GPU1-GPU3, 80 GB/s each"; "17 of 18
// NVLinks" where some are down; empty: the GPU has none.
std::string nvlinks_text(const Facts& facts, int gpu);
bool lacks_nvlinks(const Gpu& gpu);  // fewer are active than the model has

std::string c2c_text(const Gpu& gpu);  // "C2C to its CPU, 224 GB/s"; empty: it has none

// Of the node that stands for all NVSwitches: "4 NVSwitches", and "18 NVLinks, 371 GB/s from each
// of GPU0-GPU7". REQUIRES: the graph has one.
std::string nvswitch_label(const Facts& facts);
std::string nvswitch_text(const Facts& facts);

// Of one host: "CPU0-CPU3 each to each, 16 GB/s", or every pair where they differ.
std::vector<std::string> processor_link_texts(const Facts& facts, int host);

}  // namespace linerate::topo
