// Reads the machine that a command line names.
#pragma once

#include "base/result.h"
#include "cli/machine_words.h"
#include "topo/system/system.h"

namespace linerate {

// A sentence where it cannot be read. REQUIRES: the source is not a cluster, which has several.
Result<topo::System> load_machine(const MachineChoice& choice);

// What was detected is what there is; NCCL takes of it what it needs.
topo::System as_nccl_takes(const MachineChoice& choice, const topo::System& system);

}  // namespace linerate
