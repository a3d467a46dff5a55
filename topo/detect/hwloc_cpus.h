// Processors as hwloc shows them: of this machine, of another one's XML, or made up.
#pragma once

#include "topo/detect/sysfs_text.h"
#include "topo/system/system.h"

#include <string>
#include <vector>

struct hwloc_topology;  // hwloc_topology_t points to it

namespace linerate::topo {

// One for each memory node that has hardware threads of its own, by number. What is missing goes
// to `unseen`. REQUIRES: the topology is loaded.
std::vector<Cpu> cpus_of_hwloc(hwloc_topology* topology, std::vector<std::string>& unseen);

// Processors of this machine, all of it, whatever this process may use. Empty where hwloc fails.
std::vector<Cpu> cpus_of_this_machine(std::vector<std::string>& unseen);

// Those that this process' control group leaves it; none where hwloc fails.
ThreadSet usable_threads();

}  // namespace linerate::topo
