// linerate topo --measure: what this machine gives, and TCP between the nodes of a job.
#pragma once

#include "cli/topo_words.h"
#include "commands/command.h"

namespace linerate {

// Measures for seconds, prints, and keeps what later runs use. In a job of several processes the
// first one of each node measures, and rank 0 prints.
ExitCode measure_machine(const CommandInput& input, const TopoConfig& config);

}  // namespace linerate
