// What a process talks through: the backend that is measured, and the bootstrap beside it.
#pragma once

#include "backends/table.h"
#include "base/clock.h"
#include "base/result.h"
#include "comm/backend.h"
#include "comm/bootstrap.h"
#include "commands/process_run.h"
#include "launch/start_guard.h"

#include <memory>
#include <optional>
#include <string>

namespace linerate {

// The backend that `--backend auto` means here, and why.
struct BackendChoice {
  std::string name;
  std::string reason;
};
// What the choice rests on beside the command line.
struct Surroundings {
  Launcher launcher{};
  std::optional<int> nnodes{};  // once it is known
  bool gpus = false;            // a host of the job has an NVIDIA GPU, with or without a driver
};
BackendChoice choose_backend(const RunConfig& config, const Surroundings& around);

// Whether the PCI bus of this host shows an NVIDIA GPU. LINERATE_SYSFS names another folder than
// /sys.
bool has_gpus(const Environment& environment);

// What is wrong with the options that the backend itself reads (--fake); nothing: all is well.
std::optional<std::string> backend_option_refusal(const RunConfig& config);

// The network of --emulate; null without the option.
Result<std::shared_ptr<const host::Network>> network_of(const RunConfig& config);

// The processes that were started together.
struct Job {
  std::unique_ptr<JobSession> mpi;  // null without an MPI launcher
  std::unique_ptr<Bootstrap> own;   // null with one

  Bootstrap& process() const { return mpi ? mpi->bootstrap() : *own; }
};
// What the start of a job waits by.
struct Start {
  const Clock& clock;
  Deadline deadline;
  WaitingFor* waiting_for = nullptr;  // is told for whom; null: nobody asks
};
Job join_job(const Identity& identity, const Environment& environment, const Start& start);

// Destroyed from the bottom up: the MPI session outlives all communicators.
struct Fabric : Job {
  OpenedBackend backend;
};

// Opens both. REQUIRES: !backend_option_refusal(run.config). Throws Unavailable where the backend,
// its module or its launcher is not here, or where an option needs a GPU and the backend has none.
Fabric open_fabric(const ProcessRun& run, const Identity& identity, const Start& start);

}  // namespace linerate
