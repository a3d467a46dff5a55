// linerate doctor WHAT: one function for each WHAT, in a file of its own. The words of the call are
// those behind WHAT.
#pragma once

#include "commands/command.h"

namespace linerate {

ExitCode doctor_env(const CommandInput& input);
ExitCode doctor_hang(const CommandInput& input);
ExitCode doctor_log(const CommandInput& input);
ExitCode doctor_results(const CommandInput& input);
ExitCode doctor_node(const CommandInput& input);  // without WHAT
ExitCode doctor_snapshot(const CommandInput& input);

}  // namespace linerate
