// The parts of linerate tune host.
#pragma once

#include "cli/tune_config.h"
#include "commands/command.h"

#include <filesystem>

namespace linerate {

// Measures with the kept table and with the built-in one, config.proofs times each, and prints what
// the table gains. Throws Error where a launch fails. REQUIRES: the job of the race has ended.
ExitCode prove_host_table(const CommandInput& input, const TuneConfig& config,
                          const std::filesystem::path& table);

}  // namespace linerate
