// linerate topo place: which devices the ranks of a job get, and the order of its mesh.
#pragma once

#include "cli/topo_words.h"
#include "commands/command.h"
#include "topo/system/system.h"

namespace linerate {

// Reads the machine that a configuration names, as NCCL takes it.
using LoadMachine = Result<topo::System> (*)(const TopoConfig&);

ExitCode topo_place(const CommandInput& input, LoadMachine load);

}  // namespace linerate
