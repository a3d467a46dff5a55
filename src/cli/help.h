// The help texts and docs/cli.md, written from the tables of options, variables and tools.
#pragma once

#include "base/error.h"
#include "cli/tools.h"

#include <array>
#include <string>
#include <string_view>

namespace linerate {

// An exit code in words.
struct ExitCodeRow {
  ExitCode code;
  std::string_view meaning;
  std::string_view in_nccl_tests;  // the code of nccl-tests 2.19.6 for the same
};

inline constexpr auto kExitCodes = std::to_array<ExitCodeRow>({
    {ExitCode::ok, "all is well, or help was asked for", "0"},
    {ExitCode::failed, "wrong data, or a failed run", "7 (wrong data), 1, 2 (CUDA) or 3 (NCCL)"},
    {ExitCode::usage, "the command line, a variable or an input file",
     "255 or 6; 0 for an unknown option and for most wrong values"},
    {ExitCode::finding,
     "bandwidth or efficiency below the limit asked for, or what a lint or a check found; a low "
     "verdict alone is 0",
     "7"},
    {ExitCode::lost, "a timeout, or a lost rank", "4 (timeout)"},
    {ExitCode::unavailable, "hardware, a driver, a module or a library is missing", "5"},
    {ExitCode::interrupted, "interrupted by Ctrl-C or SIGTERM", "130 from the shell"},
});

// "which node is slow" -> "Which node is slow."
std::string sentence(std::string_view phrase);

// The last part of each help.
std::string exit_codes_text();

// What -h prints for a tool: usage, two examples, every option by group, variables, exit codes.
std::string tool_help(const Invocation& call);

// What `linerate --help` prints: sub-commands and tools.
std::string linerate_help();

// What `linerate help docs` prints: usage and purpose of one command, the commands or tools behind
// it, its options, exit codes.
std::string command_help(const CommandRow& row);

// What -h prints for a trainer.
std::string program_help(std::string_view program, Audience options);

// What a call of Command::help asks for: the command that it names, or linerate itself.
std::string help_text(const Invocation& call);

// docs/cli.md.
std::string cli_markdown();

}  // namespace linerate
