// Who this process is in its job, read from the launcher's environment variables.
#pragma once

#include "base/environment.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What started the processes.
enum class Launcher : std::uint8_t {
  none,    // started by hand: one process
  nprocs,  // --nprocs N: we fork
  mpi,     // an MPI launcher: OMPI_*, PMIX_RANK, PMI_*
  slurm,   // srun, inside a job step, without an MPI launcher's variables
  env,     // RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT: torchrun, PyTorchJob
};
std::string_view name_of(Launcher launcher);  // threads, nprocs, mpirun, srun, env

// What a process knows of itself before it has met the others.
struct Identity {
  Launcher launcher = Launcher::none;
  int rank = 0;               // of the process
  int nranks = 1;             // processes; 0: only MPI knows (PMIX_RANK alone)
  std::string master_host{};  // slurm, env, children of nprocs: where rank 0 listens
  std::uint16_t master_port = 0;
  std::string token{};  // secret that the store asks for; empty: none
  // Sentences for stderr: launchers that contradict each other, and which one was believed.
  std::vector<std::string> notes{};
  int listener_fd = -1;       // rank 0 of nprocs: the socket that already listens at the master's
  int ranks_per_process = 1;  // for messages; main sets it once it knows -t and -g
};

// Order: nprocs (0: not asked for), MPI launcher, Slurm job step, env. But a process that torchrun
// started is torchrun's, whatever started torchrun. A launcher whose variables are incomplete or
// broken, or which started several copies that could not know of each other, is a Failure (exit 2).
//
// The store listens at MASTER_ADDR:MASTER_PORT (env; one port higher when torchrun's own store is
// there), or on the first host of the job step at slurm_port() (slurm; 127.0.0.1 when the step has
// one host). LINERATE_STORE=HOST[:PORT] overrides both. LINERATE_TOKEN is the secret; without it a
// job step's is its name, slurm-JOB-STEP, which keeps off the ranks of other steps.
Result<Identity> detect_identity(const Environment& environment, int nprocs);

// In [20000, 30000): above the privileged ports, below those that Linux hands out itself. Steps of
// one job, and jobs that follow each other, get different ports.
std::uint16_t slurm_port(std::uint64_t job, std::uint64_t step);

// "gpu-[01-04,7],head" -> "gpu-01". Nothing when the brackets make no sense.
std::optional<std::string> first_host(std::string_view nodelist);

// "rank 3", or "ranks 6-7" where a process holds several ranks.
std::string ranks_text(int process, int ranks_per_process);

}  // namespace linerate
