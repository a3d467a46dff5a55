// What hwloc shows of a machine, of this one, of another one's XML, or made up: processors, the PCI
// bus and its devices, and NVLinks.
#pragma once

#include "topo/detect/pci_tree.h"
#include "topo/detect/sysfs.h"
#include "topo/system/system.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

struct hwloc_topology;  // hwloc_topology_t points to it
struct hwloc_obj;       // hwloc_obj_t points to it

namespace linerate::topo {

// What the object's info attribute of that name says; empty: nothing, or there is no object.
std::string_view info_of(hwloc_obj* object, const char* name);

// One for each memory node that has hardware threads of its own, by number. What is missing goes
// to `unseen`. REQUIRES: the topology is loaded.
std::vector<Cpu> cpus_of_hwloc(hwloc_topology* topology, std::vector<std::string>& unseen);

// Processors of this machine, all of it, whatever this process may use. Empty where hwloc fails.
std::vector<Cpu> cpus_of_this_machine(std::vector<std::string>& unseen);

// Those that this process' control group leaves it; none where hwloc fails.
ThreadSet usable_threads();

// All devices and bridges, with GPUs and NIC ports. hwloc tells no port's rate, and of a link the
// product of speed and width alone: `unseen` gets a sentence for each. Memory nodes are those of
// `cpus`. REQUIRES: the topology was loaded with its I/O objects.
std::vector<FoundPci> devices_of_hwloc(hwloc_topology* topology, std::span<const Cpu> cpus,
                                       std::vector<std::string>& unseen);

// The link of that many GB/s as hwloc counts them, after encoding: of all that give it the widest.
// Empty: 0, or no known link.
PciLink link_of_payload(double payload_gbps);

// Gives the GPUs among `devices` the links that hwloc's matrix NVLinkBandwidth has of them; hwloc
// makes it where it was built with NVIDIA's library and a driver was there. Bandwidths that are no
// number of links, and a matrix that is not there, are told in `unseen`.
void add_nvlinks(hwloc_topology* topology, std::vector<FoundPci>& devices,
                 std::vector<std::string>& unseen);

}  // namespace linerate::topo
