// Reads the machine, or the cluster, that a command line names.
#pragma once

#include "base/result.h"
#include "cli/machine_words.h"
#include "topo/cluster/cluster.h"
#include "topo/system/system.h"

namespace linerate {

// A sentence where it cannot be read. REQUIRES: the source is not a cluster, which has several.
Result<topo::System> load_machine(const MachineChoice& choice);

// The cluster of a file, whose nodes that are like this one are as NCCL takes it. A sentence where
// it cannot be read. REQUIRES: the source is a cluster.
Result<topo::Cluster> load_cluster(const MachineChoice& choice);

// What was detected is what there is; NCCL takes of it what it needs.
topo::System as_nccl_takes(const MachineChoice& choice, const topo::System& system);

}  // namespace linerate
