// Each launcher is known by its own variables; incomplete ones are told with what is missing.
#include "launch/identity_claims.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

constexpr int kDefaultMasterPort = 29500;  // torch's
constexpr int kHighestPort = 65535;

struct LauncherRow {
  std::string_view variable;
  std::string_view nranks_variable;  // of the job or of its host; empty: the launcher sets none
  std::string_view program;
};
// By the variable that holds the rank, in the order in which they are believed.
constexpr std::array<LauncherRow, 5> kMpiRows{{
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "mpirun"},
    {"PMIX_RANK", "", "PMIx"},
    {"PMI_RANK", "PMI_SIZE", "PMI"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "mpirun_rsh"},
    {"MPI_RANKID", "MPI_NRANKS", "mpirun"},
}};

// Set in the children of a launcher only, which has started one process where nranks_variable is
// "1". A user's settings for a launcher (HYDRA_HOST_FILE, OMPI_MCA_*) are no trace.
constexpr std::array<LauncherRow, 13> kTraces{{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "mpirun"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", "mpirun"},
    {"PMIX_NAMESPACE", "", "a PMIx launcher"},
    {"PMI_SIZE", "PMI_SIZE", "a PMI launcher"},
    {"PMI_FD", "PMI_SIZE", "a PMI launcher"},
    {"HYDI_CONTROL_FD", "", "MPICH's mpiexec"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "an MPI launcher"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "mpirun_rsh"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", "flux run"},
    {"PALS_RANKID", "", "PALS' mpiexec"},
    {"ALPS_APP_PE", "", "aprun"},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "jsrun"},
    {"LSF_PM_TASKID", "", "LSF's blaunch"},
}};

bool in_slurm_step(const Environment& environment) {
  return filled(environment, "SLURM_STEP_NUM_TASKS") && filled(environment, "SLURM_STEPID");
}

// The size that the row names; srun's, where srun gave the rank; 0 when PMIx alone knows.
Result<int> mpi_size(const Environment& environment, const LauncherRow& row) {
  if (filled(environment, row.nranks_variable))
    return number_in(environment, row.nranks_variable, 1, kMaxRanks);
  const bool pmi = row.variable.starts_with("PMI");
  if (pmi && in_slurm_step(environment))
    return number_in(environment, "SLURM_STEP_NUM_TASKS", 1, kMaxRanks);
  if (row.nranks_variable.empty()) return 0;
  return Failure{fmt::format("{}={} is set, but {} is not: {}'s variables are incomplete.",
                             row.variable, *environment.get(row.variable), row.nranks_variable,
                             row.program)};
}

MaybeClaim claim_of(const Environment& environment, const LauncherRow& row) {
  const auto nranks = mpi_size(environment, row);
  if (!nranks) return nranks.failure();
  const auto rank =
      number_in(environment, row.variable, 0, (*nranks > 0 ? *nranks : kMaxRanks) - 1);
  if (!rank) return rank.failure();
  return std::optional(Claim{.launcher = Launcher::mpi,
                             .program = std::string(row.program),
                             .variable = std::string(row.variable),
                             .rank = *rank,
                             .nranks = *nranks});
}

// torchrun's agent keeps its own store at MASTER_PORT.
std::uint16_t beside_torch(int port) {
  return static_cast<std::uint16_t>(port < kHighestPort ? port + 1 : port - 1);
}

Result<std::uint16_t> master_port(const Environment& environment) {
  int port = kDefaultMasterPort;
  if (filled(environment, "MASTER_PORT")) {
    const auto given = number_in(environment, "MASTER_PORT", 1, kHighestPort);
    if (!given) return given.failure();
    port = *given;
  }
  if (filled(environment, "TORCHELASTIC_USE_AGENT_STORE") == "True") return beside_torch(port);
  return static_cast<std::uint16_t>(port);
}

constexpr std::string_view kEnvTogether =
    "set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT together, or none of them.";

Failure incomplete(const Environment& environment, std::string_view there,
                   std::string_view missing) {
  return Failure{fmt::format("{}={} is set, but {} is not: {}", there, *environment.get(there),
                             missing, kEnvTogether)};
}

}  // namespace

std::optional<std::string> filled(const Environment& environment, std::string_view name) {
  auto value = environment.get(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

Result<int> number_in(const Environment& environment, std::string_view name, int low, int high) {
  const auto text = environment.get(name).value_or("");
  const auto number = parse_integer(name, text);
  if (number && *number >= low && *number <= high) return static_cast<int>(*number);
  return Failure{fmt::format("{}={} makes no sense: a number from {} to {} belongs there.", name,
                             text, low, high)};
}

MaybeClaim mpi_claim(const Environment& environment) {
  for (const auto& row : kMpiRows)
    if (filled(environment, row.variable)) return claim_of(environment, row);
  return std::optional<Claim>();
}

MaybeClaim env_claim(const Environment& environment) {
  const bool rank_given = filled(environment, "RANK").has_value();
  if (!filled(environment, "WORLD_SIZE")) {
    if (rank_given) return incomplete(environment, "RANK", "WORLD_SIZE");
    return std::optional<Claim>();
  }
  const auto nranks = number_in(environment, "WORLD_SIZE", 1, kMaxRanks);
  if (!nranks) return nranks.failure();
  if (!rank_given) {
    if (*nranks == 1) return std::optional<Claim>();
    return incomplete(environment, "WORLD_SIZE", "RANK");
  }
  const auto rank = number_in(environment, "RANK", 0, *nranks - 1);
  if (!rank) return rank.failure();
  const auto host = filled(environment, "MASTER_ADDR");
  if (!host && *nranks > 1) return incomplete(environment, "RANK", "MASTER_ADDR");
  const auto port = master_port(environment);
  if (!port) return port.failure();
  return std::optional(Claim{.launcher = Launcher::env,
                             .program = started_by_torchrun(environment) ? "torchrun" : "env://",
                             .variable = "RANK",
                             .rank = *rank,
                             .nranks = *nranks,
                             .master_host = host.value_or(""),
                             .master_port = *port});
}

bool started_by_torchrun(const Environment& environment) {
  return filled(environment, "TORCHELASTIC_RUN_ID").has_value();
}

std::optional<Failure> launcher_not_understood(const Environment& environment) {
  for (const auto& row : kTraces) {
    const auto value = filled(environment, row.variable);
    if (!value || filled(environment, row.nranks_variable) == "1") continue;
    return Failure{fmt::format(
        "{} seems to have started this process ({}={}), but does not say which rank it is: start "
        "it with mpirun, srun or torchrun, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, "
        "or "
        "unset {} and use --nprocs.",
        row.program, row.variable, *value, row.variable)};
  }
  return std::nullopt;
}

}  // namespace linerate
