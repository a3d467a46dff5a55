// The claim of srun, and the host names and ports that follow from Slurm's variables.
#include "base/text.h"
#include "launch/identity_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::uint64_t kFirstPort = 20000;
constexpr std::uint64_t kPorts = 10000;
// Step ids from here on are Slurm's own: interactive, batch script, external, pending.
constexpr std::uint64_t kFirstSpecialStep = 0xfffffff0;
constexpr std::array<std::string_view, 3> kSpecialSteps{"batch", "interactive", "extern"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::uint64_t> number_of(const Environment& environment, std::string_view name) {
  const auto text = environment.get(name).value_or("");
  const auto number = parse_integer(name, text);
  if (!is_number(text) || !number) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// A batch script or an salloc shell: one process that speaks for the whole allocation.
bool in_special_step(const Environment& environment) {
  const auto step = environment.get("SLURM_STEPID").value_or("");
  if (std::ranges::find(kSpecialSteps, step) != kSpecialSteps.end()) return true;
  const auto number = number_of(environment, "SLURM_STEPID");
  return number && *number >= kFirstSpecialStep;
}

Failure broken(std::string_view variable, std::string_view problem) {
  return Failure{
      fmt::format("srun's variables are incomplete: {} {}. Start this with srun inside "
                  "the job, or unset the SLURM_* variables.",
                  variable, problem)};
}

std::optional<std::uint64_t> job_id(const Environment& environment) {
  const auto job = number_of(environment, "SLURM_JOB_ID");
  return job ? job : number_of(environment, "SLURM_JOBID");
}

MaybeClaim step_claim(const Environment& environment, int ntasks) {
  const auto step = number_of(environment, "SLURM_STEPID");
  if (!step) return broken("SLURM_STEPID", "is missing or no number");
  if (!filled(environment, "SLURM_PROCID")) return broken("SLURM_PROCID", "is not set");
  const auto rank = number_in(environment, "SLURM_PROCID", 0, ntasks - 1);
  if (!rank) return rank.failure();
  const auto job = job_id(environment);
  if (!job) return broken("SLURM_JOB_ID", "is missing or no number");
  const auto host = first_host(environment.get("SLURM_STEP_NODELIST").value_or(""));
  if (!host) return broken("SLURM_STEP_NODELIST", "is missing or malformed");
  const bool one_host = filled(environment, "SLURM_STEP_NUM_NODES") == "1";
  return std::optional(Claim{.launcher = Launcher::slurm,
                             .program = "srun",
                             .variable = "SLURM_PROCID",
                             .rank = *rank,
                             .nranks = ntasks,
                             .master_host = one_host ? "127.0.0.1" : *host,
                             .master_port = slurm_port(*job, *step),
                             // Steps whose ports collide are strangers to each other.
                             .token = fmt::format("slurm-{}-{}", *job, *step)});
}

// The first of "01-04,7" is "01".
std::string_view first_of_range(std::string_view range) {
  return range.substr(0, range.find_first_of(",-"));
}

}  // namespace

MaybeClaim slurm_claim(const Environment& environment) {
  if (!filled(environment, "SLURM_STEP_NUM_TASKS")) {
    const auto rank = number_of(environment, "SLURM_PROCID");
    // A batch script is rank 0 of its own; another rank can only be a task of srun.
    if (rank.value_or(0) > 0) return broken("SLURM_STEP_NUM_TASKS", "is not set");
    return std::optional<Claim>();
  }
  const auto ntasks = number_in(environment, "SLURM_STEP_NUM_TASKS", 1, kMaxRanks);
  if (!ntasks) return ntasks.failure();
  if (*ntasks == 1 || in_special_step(environment)) return std::optional<Claim>();
  return step_claim(environment, *ntasks);
}

std::uint16_t slurm_port(std::uint64_t job, std::uint64_t step) {
  // Primes that spread the steps of a job and consecutive jobs over the range.
  return static_cast<std::uint16_t>(kFirstPort + (job % kPorts * 31 + step % kPorts * 7) % kPorts);
}

std::optional<std::string> first_host(std::string_view nodelist) {
  std::string host;
  for (std::size_t i = 0; i < nodelist.size() && nodelist[i] != ',';) {
    if (nodelist[i] == ']') return std::nullopt;
    if (nodelist[i] != '[') {
      host += nodelist[i++];
      continue;
    }
    const auto end = nodelist.find(']', i);
    if (end == std::string_view::npos) return std::nullopt;
    const auto first = first_of_range(nodelist.substr(i + 1, end - i - 1));
    if (!is_number(first)) return std::nullopt;
    host += first;
    i = end + 1;
  }
  if (host.empty()) return std::nullopt;
  return host;
}

}  // namespace linerate
