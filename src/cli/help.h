// The help texts and docs/cli.md, written from the tables of options, variables and tools.
#pragma once

#include "cli/tools.h"

#include <string>

namespace linerate {

// What -h prints for a tool: usage, two examples, every option by group, variables, exit codes.
std::string tool_help(const Invocation& call);

// What `linerate --help` prints: sub-commands and tools.
std::string suite_help();

// docs/cli.md.
std::string cli_markdown();

}  // namespace linerate
