// linerate doctor WHAT: one function for each WHAT, in a file of its own. The words of the call are
// those behind WHAT.
#pragma once

#include "commands/command.h"
#include "diagnose/env/env.h"

#include <vector>

namespace linerate {

ExitCode doctor_env(const CommandInput& input);
ExitCode doctor_hang(const CommandInput& input);
ExitCode doctor_log(const CommandInput& input);
ExitCode doctor_prove(const CommandInput& input);
ExitCode doctor_results(const CommandInput& input);
ExitCode doctor_node(const CommandInput& input);  // without WHAT
ExitCode doctor_snapshot(const CommandInput& input);

// What this process' environment sets, and behind it nccl.conf, as this version of NCCL reads it.
std::vector<env::Setting> settings_here(const Environment& environment, const env::Release& nccl);

}  // namespace linerate
