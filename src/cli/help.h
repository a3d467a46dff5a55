// The help texts and docs/cli.md, written from the tables of options, variables and tools.
#pragma once

#include "cli/tools.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace linerate {

// `left`, and behind it the words of `text` from `column` on, in as many lines as they need.
std::string in_column(std::string_view left, std::size_t column, std::string_view text);

// What -h prints for a tool: usage, two examples, every option by group, variables, exit codes.
std::string tool_help(const Invocation& call);

// What `linerate --help` prints: sub-commands and tools.
std::string suite_help();

// What `linerate help docs` prints: usage and purpose of one command; of perf, the tools as well.
std::string command_help(const CommandRow& row);

// What a call of Command::help asks for: the command that it names, or the suite.
std::string help_text(const Invocation& call);

// docs/cli.md.
std::string cli_markdown();

}  // namespace linerate
