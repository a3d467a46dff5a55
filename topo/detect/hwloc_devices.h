// The PCI bus and its devices as hwloc shows them.
#pragma once

#include "topo/detect/pci_tree.h"

#include <span>
#include <string>
#include <vector>

struct hwloc_topology;  // hwloc_topology_t points to it

namespace linerate::topo {

// All devices and bridges, with GPUs and NIC ports. hwloc tells no port's rate, and of a link the
// product of speed and width alone: `unseen` gets a sentence for each. Memory nodes are those of
// `cpus`. REQUIRES: the topology was loaded with its I/O objects.
std::vector<FoundPci> devices_of_hwloc(hwloc_topology* topology, std::span<const Cpu> cpus,
                                       std::vector<std::string>& unseen);

// The link of that many GB/s as hwloc counts them, after encoding: of all that give it the widest.
// Empty: 0, or no known link.
PciLink link_of_payload(double payload_gbps);

}  // namespace linerate::topo
