// Who this process is in its job, read from the launcher's environment variables.
#pragma once

#include "base/environment.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

enum class Launcher : std::uint8_t {
  none,    // started by hand: one process
  nprocs,  // --nprocs N: we fork
  mpi,     // an MPI launcher: OMPI_*, PMIX_RANK, PMI_*
  slurm,   // srun, inside a job step, without an MPI launcher's variables
  env,     // RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT: torchrun, PyTorchJob
};
std::string_view name_of(Launcher launcher);  // threads, nprocs, mpirun, srun, env

struct Identity {
  Launcher launcher = Launcher::none;
  int rank = 0;    // of the process
  int nranks = 1;  // processes
  std::string master_host;  // slurm, env: where rank 0 listens
  std::uint16_t master_port = 0;
  std::string token;  // secret that the store asks for; empty: none
  // Sentences for stderr: launchers that contradict each other, and which one was believed.
  std::vector<std::string> notes;
};

// Order: nprocs, MPI launcher, Slurm job step, env. A launcher whose variables are incomplete or
// broken, or which started several copies that could not know of each other, is a Failure (exit 2).
Result<Identity> detect_identity(const Environment& environment, int nprocs);

}  // namespace linerate
