// This machine as linerate plan needs it: the suite's tools are run for what is not known yet.
#pragma once

#include "commands/command.h"
#include "plan/measured_machine.h"

#include <string>

namespace linerate {

struct Measuring {
  const CommandInput& input;
  const std::string& emulate_file;  // of needs over a network
};
// Adds to `known` what the needs name and it lacks. Calls are timed by the collectives' tools, as
// groups of all ranks at once (NCCL_TESTS_SPLIT_MASK); kernels by math_perf, on as many cores at
// once as the ranks occupy. Throws Unavailable where math_perf is not beside this program, Error
// where a tool fails.
void measure(const Measuring& how, const plan::Needs& needs, plan::Measurements& known);

}  // namespace linerate
