// The exit codes in words, for the help text and the docs.
#pragma once

#include "base/exit_code.h"

#include <array>
#include <string_view>

namespace linerate {

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
    {ExitCode::finding, "a finding, or bandwidth below the limit asked for", "7"},
    {ExitCode::lost, "a timeout, or a lost rank", "4 (timeout)"},
    {ExitCode::unavailable, "hardware, driver, module or library is not here", "5"},
    {ExitCode::interrupted, "interrupted by Ctrl-C or SIGTERM", "130 from the shell"},
});

}  // namespace linerate
