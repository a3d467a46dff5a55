// See fabric.h.
#include "commands/fabric.h"

#include "backends/host/emulation/network_file.h"
#include "base/error.h"
#include "base/log.h"
#include "base/wire.h"
#include "cli/checks.h"
#include "launch/connect.h"
#include "launch/place.h"
#include "launch/siblings.h"
#include "topo/pci.h"

#include <fmt/format.h>

namespace linerate {
namespace {

const BackendRow& row_of(std::string_view name) {
  const auto row = find_backend(name);
  if (!row) throw Error(row.sentence(), ExitCode::usage);
  return **row;
}

std::unique_ptr<JobSession> join_mpi_job(const Environment& environment, const Start& start) {
  if (start.waiting_for != nullptr)
    start.waiting_for->set([] {
      const std::string whom = "all ranks of the MPI job to come to MPI_Init";
      const auto stopped = stopped_siblings();
      return stopped.empty() ? whom : fmt::format("{}; {} stopped", whom, stopped);
    });
  const auto host = this_host();
  const PluginInput input{.clock = start.clock,
                          .here = {.hostname = host.hostname, .identity = host.identity},
                          .place_within = place_within,
                          .deadline = start.deadline};
  auto session = open_session(row_of("mpi"), input, environment);
  if (start.waiting_for != nullptr) start.waiting_for->set({});
  return session;
}

// All processes choose alike, also where only some hosts have GPUs.
BackendChoice agree_on_backend(const ProcessRun& run, const Identity& identity, Bootstrap& process,
                               const Deadline& deadline) {
  Surroundings around{.launcher = identity.launcher, .nnodes = process.place().nnodes};
  if (run.config.backend != "auto") return choose_backend(run.config, around);
  WireWriter mine;
  mine.put(has_gpus(run.environment));
  for (const auto& bytes : process.all_gather(mine.bytes(), deadline))
    around.gpus |= WireReader(bytes).get<bool>();
  return choose_backend(run.config, around);
}

// nccl-tests sets the second field for sendrecv only.
GpuOptions gpu_options(const RunConfig& config) {
  GpuOptions options = config.gpu;
  const bool neighbours = config.collective != nullptr && config.collective->name == "sendrecv";
  if (options.nccl_tests_config && neighbours) options.max_p2p_peers = 2;
  return options;
}

// A GPU that nobody asked for and that cannot be used is told, and what runs without it.
OpenedBackend open_chosen(const BackendRow& row, const ProcessRun& run, const BackendInput& input) {
  constexpr std::string_view kWithout = "--backend host";
  if (run.config.backend != "auto" || row.name != "nccl") return open_backend(row, input);
  try {
    return open_backend(row, input);
  } catch (const Unavailable& missing) {
    const std::string reason = missing.what();
    const bool offered = reason.find(kWithout) != std::string::npos;
    throw Unavailable(fmt::format(
        "There is an NVIDIA GPU, which --backend auto takes, but it cannot be used. {}{}", reason,
        offered ? "" : fmt::format(" {} measures the host's memory instead.", kWithout)));
  }
}

void open_backend_of(Fabric& fabric, const BackendRow& row, const ProcessRun& run,
                     const Clock& clock) {
  fabric.backend = open_chosen(row, run,
                               {.clock = clock,
                                .environment = run.environment,
                                .fake = *parse_fake_options(run.config.fake),
                                .network = run.network,
                                .library = run.config.nccl_library,
                                .gpu = gpu_options(run.config),
                                .ranks_stay = true,  // they measure, and nothing else
                                .observes = run.config.observes(),
                                .session = fabric.mpi.get()});
  const bool on_gpus = fabric.backend->capabilities().device_memory;
  if (const auto refusal = gpu_option_refusal(run.config, on_gpus)) throw Unavailable(*refusal);
}

// Without its own backend a process ends. The others are told why: on other hosts modules, drivers
// and libraries may differ.
void agree_that_all_opened(const Identity& identity, const std::optional<Error>& failure,
                           Bootstrap& process, const Deadline& deadline) {
  WireWriter mine;
  if (failure) mine.put(failure->exit_code()).put_text(failure->what());
  const auto all = process.all_gather(mine.bytes(), deadline);
  if (failure) throw Error(*failure);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    WireReader theirs(all[rank]);
    const auto code = theirs.get<ExitCode>();
    throw Error(
        fmt::format("{}: {}", ranks_text(static_cast<int>(rank), identity.ranks_per_process),
                    theirs.get_text()),
        code);
  }
}

}  // namespace

bool has_gpus(const Environment& environment) {
  return count_nvidia_gpus(environment.get("LINERATE_SYSFS").value_or("/sys")) > 0;
}

// With GPUs in the job a table of host memory would look fine and mislead, so nothing else is
// tried.
BackendChoice choose_backend(const RunConfig& config, const Surroundings& around) {
  if (config.backend != "auto") return {config.backend, "asked for"};
  if (!config.emulate_file.empty()) return {"host", "--emulate was given"};
  if (around.gpus) return {"nccl", "there is an NVIDIA GPU"};
  if (around.launcher == Launcher::mpi) return {"mpi", "an MPI launcher started this process"};
  if (around.nnodes && *around.nnodes > 1)
    return {"gloo",
            fmt::format("the ranks run on {} hosts without an MPI launcher", *around.nnodes)};
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

Job join_job(const Identity& identity, const Environment& environment, const Start& start) {
  if (identity.launcher == Launcher::mpi)
    return {.mpi = join_mpi_job(environment, start), .own = nullptr};
  return {.mpi = nullptr, .own = connect_processes(identity, start.deadline, start.waiting_for)};
}

Fabric open_fabric(const ProcessRun& run, const Identity& identity, const Start& start) {
  Fabric fabric{join_job(identity, run.environment, start), {}};
  const auto choice = agree_on_backend(run, identity, fabric.process(), start.deadline);
  if (identity.rank == 0 && run.config.backend == "auto")
    say(fmt::format("note: backend {}, because {}", choice.name, choice.reason));
  const auto& row = row_of(choice.name);
  if (choice.name == "mpi" && !fabric.mpi)
    throw Unavailable(
        "--backend mpi needs an MPI launcher: start it with mpirun or srun --mpi=pmix.");
  std::optional<Error> failure;
  try {
    open_backend_of(fabric, row, run, start.clock);
  } catch (const Error& error) {
    failure = error;
  }
  agree_that_all_opened(identity, failure, fabric.process(), start.deadline);
  return fabric;
}

}  // namespace linerate
