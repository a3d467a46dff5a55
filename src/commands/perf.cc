// The tools that run ranks, and suites of them: from the command line to the exit code.
#include "base/error.h"
#include "base/log.h"
#include "bench/plan.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/tokens.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/perf_job.h"
#include "commands/preview.h"
#include "commands/repeat.h"

#include <fmt/format.h>

#include <cstdint>

namespace linerate {
namespace {

// Of processes that refuse the same, one says so: rank 0, or the first of a host.
ExitCode refuse_once(bool says, const std::string& sentence) {
  if (says) say(sentence);
  return ExitCode::usage;
}

// Of the processes of a host, the one that says what that host lacks; each where the launcher does
// not tell.
bool is_first_on_host(const Environment& environment) {
  for (const auto* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "LOCAL_RANK"})
    if (const auto local_rank = environment.get(name)) return *local_rank == "0";
  return true;
}

// The matrix says how large -b has to be; a file of delays, how many ranks there are.
void check_traffic(const PerfJob& job, int nranks) {
  for (const auto& run : job.configs()) {
    if (run.collective != nullptr) (void)traffic_of(run, largest_group(run, nranks));
    if (!run.skew.asked()) continue;
    const auto most_s = skew_of(run.skew, run.seed, nranks).most_us() / 1e6;
    if (run.timeout_s > 0 && most_s >= run.timeout_s)
      throw Error(fmt::format("--skew makes a rank {} s late, and -T/--timeout {} ends the run "
                              "before: give shorter delays or a longer time.",
                              most_s, run.timeout_s),
                  ExitCode::usage);
  }
}

// Everything that can be refused before the processes meet; then the runs.
ExitCode run_parsed(const CommandInput& input, const ParsedRun& parsed) {
  PerfJob job(input, parsed);
  const auto& config = job.config();
  const auto network = network_of(config);
  if (!network) return refuse(network.sentence());
  const auto identity = identify(config, input.environment);
  if (!identity) return refuse(identity.sentence());
  const bool is_first = identity->rank == 0;
  if (is_first)
    for (const auto& notes : {identity->notes, parsed.notes})
      for (const auto& note : notes) say(note);
  if (const auto refusal = algorithm_refusal(config)) return refuse_once(is_first, *refusal);
  if (const auto refusal = repeat_refusal(config, identity->launcher))
    return refuse_once(is_first, *refusal);
  const bool gpus = auto_takes_gpus(config, input.environment);
  const int processes = config.nprocs > 0 ? config.nprocs : identity->nranks;
  const auto nranks = std::int64_t{processes} * config.ranks_per_process();  // 0: only MPI knows
  if (nranks > 0)
    if (const auto refusal = job.fit_to(nranks, network->get(), is_first))
      return refuse_once(is_first, *refusal);
  // Before the memory, which is asked whether that fits.
  if (nranks > 0) check_traffic(job, static_cast<int>(nranks));
  const bool only_shows = config.dry_run || config.list;
  if (const auto refusal = refusal_here(config, *identity, gpus, !only_shows))
    return refuse_once(is_first || is_first_on_host(input.environment), *refusal);
  if (only_shows) {
    auto shown = parsed;
    shown.runs = job.configs();
    return preview(shown, *identity, static_cast<int>(nranks), gpus);
  }
  if (config.repeat > 1) return repeat_tool(input, config, job.configs());
  if (is_first)
    if (const auto refusal = job.open_outputs()) return refuse(*refusal);
  return in_each_process(*identity, config,
                         [&](const Identity& own) { return job.run(own, *network); });
}

}  // namespace

ExitCode refuse(const std::string& sentence) {
  say(sentence);
  return ExitCode::usage;
}

bool answers(Intent intent, const Invocation& call) {
  if (intent == Intent::run) return false;
  fmt::print("{}", intent == Intent::help ? tool_help(call) : version_text() + "\n");
  return true;
}

bool answers_help(std::span<const std::string> words, Audience program) {
  if (!asks_for_help(words, program)) return false;
  fmt::print("{}", command_help(*find_command(program)));
  return true;
}

ExitCode perf_command(const CommandInput& input) {
  const auto parsed = parse_run(input.call, input.environment);
  if (!parsed) return refuse(parsed.sentence());
  if (answers(parsed->intent, input.call)) return ExitCode::ok;
  return run_parsed(input, *parsed);
}

}  // namespace linerate
