// The views of linerate topo on one system.
#pragma once

#include "base/environment.h"
#include "base/exit_code.h"
#include "cli/topo_words.h"
#include "topo/system/system.h"

namespace linerate {

// Prints the view, or writes its file. REQUIRES: a view of a system.
ExitCode show_system(const TopoConfig& config, const topo::System& system,
                     const Environment& environment);

}  // namespace linerate
