// One process of a run: backend, bootstrap, watch, ranks, outputs, exit code.
#pragma once

#include "backends/host/emulation/network.h"
#include "base/environment.h"
#include "base/exit_code.h"
#include "bench/config.h"
#include "commands/outputs.h"
#include "launch/identity.h"

#include <functional>
#include <memory>

namespace linerate {

// The same in every process of the run.
struct ProcessRun {
  const RunConfig& config;
  const Environment& environment;
  std::function<bool()> interrupted;
  std::function<void(bool)> answer_interrupts{};           // see CommandInput
  Outputs* outputs = nullptr;                              // used by the process of rank 0 only
  std::shared_ptr<const host::Network> network = nullptr;  // of --emulate; null: none
};

// Runs this process' ranks to the end. Failures of ranks and libraries become exit codes here,
// after what was measured has reached every file; Unavailable before the run starts is thrown.
ExitCode run_process(const ProcessRun& run, const Identity& identity);

}  // namespace linerate
