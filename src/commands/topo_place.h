// linerate topo place: which devices the ranks of a job get, and the order of its mesh.
#pragma once

#include "commands/command.h"

namespace linerate {

ExitCode topo_place(const CommandInput& input);

}  // namespace linerate
