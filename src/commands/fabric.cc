// See fabric.h.
#include "commands/fabric.h"

#include "backends/host/emulation/network_file.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/checks.h"
#include "launch/connect.h"
#include "launch/place.h"

#include <fmt/format.h>

namespace linerate {
namespace {

const BackendRow& row_of(std::string_view name) {
  const auto row = find_backend(name);
  if (!row) throw Error(row.sentence(), ExitCode::usage);
  return **row;
}

std::unique_ptr<JobSession> join_mpi_job(const ProcessRun& run, const Clock& clock,
                                         const Deadline& deadline) {
  const auto host = this_host();
  const PluginInput input{.clock = clock,
                          .here = {.hostname = host.hostname, .identity = host.identity},
                          .place_within = place_within,
                          .deadline = deadline};
  return open_session(row_of("mpi"), input, run.environment);
}

}  // namespace

BackendChoice choose_backend(const RunConfig& config, const Identity& identity,
                             std::optional<int> nnodes) {
  if (config.backend != "auto") return {config.backend, "asked for"};
  if (!config.emulate_file.empty()) return {"host", "--emulate was given"};
  if (identity.launcher == Launcher::mpi) return {"mpi", "an MPI launcher started this process"};
  if (nnodes && *nnodes > 1)
    return {"gloo", fmt::format("the ranks run on {} hosts without an MPI launcher", *nnodes)};
  return {"host", "no MPI launcher started this process"};
}

std::optional<std::string> backend_option_refusal(const RunConfig& config) {
  const auto fake = parse_fake_options(config.fake);
  if (!fake) return fake.sentence();
  return std::nullopt;
}

Result<std::shared_ptr<const host::Network>> network_of(const RunConfig& config) {
  if (config.emulate_file.empty()) return std::shared_ptr<const host::Network>();
  return host::read_network(config.emulate_file);
}

Fabric open_fabric(const ProcessRun& run, const Identity& identity, const Clock& clock,
                   const Deadline& deadline) {
  Fabric fabric;
  if (identity.launcher == Launcher::mpi)
    fabric.mpi = join_mpi_job(run, clock, deadline);
  else
    fabric.own = connect_processes(identity, deadline);
  const auto choice = choose_backend(run.config, identity, fabric.process().place().nnodes);
  if (identity.rank == 0 && run.config.backend == "auto")
    say(fmt::format("note: backend {}, because {}", choice.name, choice.reason));
  const auto& row = row_of(choice.name);
  if (choice.name == "mpi" && !fabric.mpi)
    throw Unavailable(
        "--backend mpi needs an MPI launcher: start it with mpirun or srun --mpi=pmix.");
  fabric.backend = open_backend(row, {.clock = clock,
                                      .environment = run.environment,
                                      .fake = *parse_fake_options(run.config.fake),
                                      .network = run.network,
                                      .library = run.config.nccl_library,
                                      .ranks_stay = true,  // they measure, and nothing else
                                      .observes = run.config.observes(),
                                      .session = fabric.mpi.get()});
  const bool on_gpus = fabric.backend->capabilities().device_memory;
  if (const auto refusal = gpu_option_refusal(run.config, on_gpus)) throw Unavailable(*refusal);
  return fabric;
}

}  // namespace linerate
