// One process of a run: backend, bootstrap, watch, ranks, outputs, exit code.
#pragma once

#include "base/environment.h"
#include "base/exit_code.h"
#include "bench/config.h"
#include "commands/outputs.h"
#include "launch/identity.h"

#include <functional>

namespace linerate {

// The same in every process of the run.
struct ProcessRun {
  const RunConfig& config;
  const Environment& environment;
  std::function<bool()> interrupted;
  Outputs* outputs = nullptr;  // used by the process of rank 0 only
};

// Runs this process' ranks to the end. Failures of ranks and libraries become exit codes here,
// after what was measured has reached every file; Unavailable before the run starts is thrown.
ExitCode run_process(const ProcessRun& run, const Identity& identity);

}  // namespace linerate
