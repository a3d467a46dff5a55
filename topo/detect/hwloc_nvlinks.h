// NVLinks as hwloc tells them: bandwidths between GPUs, switches and processors.
#pragma once

#include "topo/detect/pci_tree.h"

#include <string>
#include <vector>

struct hwloc_topology;  // hwloc_topology_t points to it

namespace linerate::topo {

// Gives the GPUs among `devices` the links that hwloc's matrix NVLinkBandwidth has of them; hwloc
// makes it where it was built with NVIDIA's library and a driver was there. Bandwidths that are no
// number of links, and a matrix that is not there, are told in `unseen`.
void add_nvlinks(hwloc_topology* topology, std::vector<FoundPci>& devices,
                 std::vector<std::string>& unseen);

}  // namespace linerate::topo
