// Launchers in the order of identity.h; torchrun wins over whatever started it.
#include "launch/identity.h"

#include "base/text.h"
#include "launch/identity_claims.h"
#include "launch/net/address.h"
#include "launch/net/frame.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

// What the launchers say, most trusted first, and the first broken one.
struct Evidence {
  std::vector<Claim> claims;
  std::optional<Failure> broken;  // of a launcher that no claim stands before
};

Evidence read_launchers(const Environment& environment) {
  using Source = MaybeClaim (*)(const Environment&);
  std::array<Source, 3> order{mpi_claim, slurm_claim, env_claim};
  if (started_by_torchrun(environment)) order = {env_claim, mpi_claim, slurm_claim};
  Evidence evidence;
  for (const auto source : order) {
    const auto claim = source(environment);
    if (claim && *claim) evidence.claims.push_back(**claim);
    if (!claim && evidence.claims.empty() && !evidence.broken) evidence.broken = claim.failure();
  }
  return evidence;
}

std::string rank_of_nranks(const Claim& claim) {
  if (claim.nranks == 0) return fmt::format("rank {}", claim.rank);
  return fmt::format("rank {} of {}", claim.rank, claim.nranks);
}

// mpirun's daemons are themselves tasks of srun: that srun and mpirun count differently is usual.
bool contradicts(const Claim& believed, const Claim& other) {
  if (believed.launcher == Launcher::mpi && other.launcher == Launcher::slurm) return false;
  const bool sizes_known = believed.nranks > 0 && other.nranks > 0;
  return believed.rank != other.rank || (sizes_known && believed.nranks != other.nranks);
}

std::string ignored_by(const Claim& believed, const Claim& other) {
  return fmt::format("{}={} ({}) is ignored: {} says {} ({})", other.variable, other.rank,
                     rank_of_nranks(other), believed.program, rank_of_nranks(believed),
                     believed.variable);
}

std::string ignored_by_nprocs(int nprocs, const Claim& other) {
  auto note = fmt::format("{}={} is ignored: --nprocs {} was asked for", other.variable, other.rank,
                          nprocs);
  if (other.nranks > 1)
    note += fmt::format("; each of the {} processes that {} started runs a job of its own",
                        other.nranks, other.program);
  return note;
}

Result<Identity> of_nprocs(const Evidence& evidence, int nprocs) {
  Identity identity{.launcher = Launcher::nprocs, .nranks = nprocs};
  for (const auto& claim : evidence.claims)
    identity.notes.push_back(ignored_by_nprocs(nprocs, claim));
  return identity;
}

Result<bool> override_store(std::string_view text, Identity& identity) {
  const auto address = socket_address_of(text, identity.master_port);
  if (!address)
    return Failure{fmt::format("LINERATE_STORE={} makes no sense: give HOST or HOST:PORT.", text)};
  identity.master_host = address->host;
  identity.master_port = address->port;
  return true;
}

Result<Identity> of_claims(const Environment& environment, const Evidence& evidence) {
  const auto& believed = evidence.claims.front();
  Identity identity{.launcher = believed.launcher,
                    .rank = believed.rank,
                    .nranks = believed.nranks,
                    .master_host = believed.master_host,
                    .master_port = believed.master_port,
                    .token = believed.token};
  for (std::size_t i = 1; i < evidence.claims.size(); ++i)
    if (contradicts(believed, evidence.claims[i]))
      identity.notes.push_back(ignored_by(believed, evidence.claims[i]));
  const bool uses_store =
      identity.launcher == Launcher::slurm || identity.launcher == Launcher::env;
  if (const auto store = filled(environment, "LINERATE_STORE"); store && uses_store) {
    const auto parsed = override_store(*store, identity);
    if (!parsed) return parsed.failure();
  }
  return identity;
}

Result<Identity> of_launchers(const Environment& environment, int nprocs) {
  const auto evidence = read_launchers(environment);
  if (nprocs > 0) return of_nprocs(evidence, nprocs);
  if (evidence.broken) return *evidence.broken;
  if (!evidence.claims.empty()) return of_claims(environment, evidence);
  if (const auto failure = launcher_not_understood(environment)) return *failure;
  return Identity{};
}

}  // namespace

std::string_view name_of(Launcher launcher) {
  constexpr std::array<std::string_view, 5> kNames{"threads", "nprocs", "mpirun", "srun", "env"};
  return kNames[static_cast<std::size_t>(launcher)];
}

Result<Identity> detect_identity(const Environment& environment, int nprocs) {
  auto identity = of_launchers(environment, nprocs);
  if (!identity) return identity;
  auto found = std::move(identity).value();
  found.token = filled(environment, "LINERATE_TOKEN").value_or(found.token);
  if (found.token.size() > kMaxTokenBytes)
    return Failure{fmt::format("LINERATE_TOKEN has {} bytes: at most {} are allowed.",
                               found.token.size(), kMaxTokenBytes)};
  return found;
}

std::string ranks_text(int process, int ranks_per_process) {
  if (ranks_per_process == 1) return fmt::format("rank {}", process);
  const int first = process * ranks_per_process;
  return fmt::format("ranks {}-{}", first, first + ranks_per_process - 1);
}

}  // namespace linerate
