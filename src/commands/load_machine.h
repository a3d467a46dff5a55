// The machine, or the cluster, that a command line names; what it could not tell, and what does not
// fit it.
#pragma once

#include "base/result.h"
#include "cli/topo_config.h"
#include "topo/cluster/cluster.h"
#include "topo/system/system.h"

#include <string>
#include <vector>

namespace linerate {

// A sentence where it cannot be read. REQUIRES: the source is not a cluster, which has several.
Result<topo::System> load_machine(const MachineChoice& choice);

// The cluster of a file, whose nodes that are like this one are as NCCL takes it. A sentence where
// it cannot be read. REQUIRES: the source is a cluster.
Result<topo::Cluster> load_cluster(const MachineChoice& choice);

// What was detected is what there is; NCCL takes of it what it needs.
topo::System as_nccl_takes(const MachineChoice& choice, const topo::System& system);

// What the sources of the first `nnodes` nodes could not tell; and, between nodes, which NICs have
// the speed that NCCL guesses. A sentence each, once.
std::vector<std::string> caveats_about(const topo::Cluster& cluster, int nnodes);

// Prints them on stderr, a line each.
void print_caveats(const std::vector<std::string>& caveats);

// "--cluster: its nodes are of several kinds (a, b)", each once: the sentence goes on behind it.
std::string several_kinds(const topo::Cluster& cluster);

// That it has fewer than `nnodes`.
std::string more_than_it_has(const topo::Cluster& cluster, int nnodes);

}  // namespace linerate
