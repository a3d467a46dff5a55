// The benchmark tools: from the command line to the exit code.
#include "base/log.h"
#include "bench/groups.h"
#include "bench/plan.h"
#include "bench/traffic_source.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "commands/command.h"
#include "commands/dry_run.h"
#include "commands/fabric.h"
#include "commands/process_run.h"
#include "commands/ranks.h"
#include "commands/version.h"
#include "launch/identity.h"
#include "launch/local_fork.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

namespace linerate {
namespace {

// --list: the cases, one a line; what would run is decided by nothing but the command line.
void print_cases(const RunConfig& config, int nranks) {
  const auto in_group = smallest_group(config, nranks);
  const auto traffic = traffic_of(config, in_group);
  for (const auto& what : plan_cases(config, in_group)) {
    const auto sizing = sizing_of(what, in_group, traffic.get());
    const auto bytes = row_bytes(*what.collective, sizing, what.type);
    fmt::print("{} bytes={} count={} type={} redop={} root={}\n", what.collective->name, bytes,
               sizing.count, name_of(what.type), redop_text(what),
               what.collective->rooted ? what.root : -1);
  }
}

// --list and --dry-run: what would run, from rank 0.
ExitCode show(const ParsedRun& parsed, const Identity& identity, int nranks, bool gpus) {
  if (identity.rank != 0) return ExitCode::ok;
  if (nranks == 0)
    return refuse(
        "Only MPI knows how many ranks this job has: start --list and --dry-run without "
        "its launcher, with --nprocs or -t.");
  if (parsed.config.list)
    print_cases(parsed.config, nranks);
  else
    fmt::print("{}", dry_run_text(parsed, identity, nranks, gpus));
  return ExitCode::ok;
}

// A traffic matrix that cannot be used is refused before anything starts.
void check_traffic(const RunConfig& config, int nranks) {
  if (config.collective != nullptr) (void)traffic_of(config, largest_group(config, nranks));
}

ExitCode run_parsed(const CommandInput& input, const ParsedRun& parsed) {
  const auto& config = parsed.config;
  if (const auto refusal = backend_option_refusal(config)) return refuse(*refusal);
  const auto network = network_of(config);
  if (!network) return refuse(network.sentence());
  auto detected = detect_identity(input.environment, config.nprocs);
  if (!detected) return refuse(detected.sentence());
  Identity identity = std::move(detected).value();
  const int ranks_per_process = config.nthreads * config.ngpus;
  identity.ranks_per_process = ranks_per_process;
  if (identity.rank == 0)
    for (const auto& notes : {identity.notes, parsed.notes})
      for (const auto& note : notes) say(note);
  const int processes = config.nprocs > 0 ? config.nprocs : identity.nranks;
  const auto nranks = std::int64_t{processes} * ranks_per_process;  // 0: only MPI knows
  if (nranks > 0)
    if (const auto refusal = refusal_for_ranks(config, nranks, network->get()))
      return refuse(*refusal);
  if (nranks > 0) check_traffic(config, static_cast<int>(nranks));
  ProcessRun run{.config = config,
                 .environment = input.environment,
                 .interrupted = input.interrupted,
                 .answer_interrupts = input.answer_interrupts,
                 .network = *network};
  if (config.dry_run || (config.list && config.collective != nullptr))
    return show(parsed, identity, static_cast<int>(nranks), has_gpus(input.environment));
  Result<std::unique_ptr<Outputs>> outputs = std::unique_ptr<Outputs>();
  if (identity.rank == 0) outputs = Outputs::open(config, input.environment, input.interrupted);
  if (!outputs) return refuse(outputs.sentence());
  run.outputs = outputs->get();
  if (identity.launcher != Launcher::nprocs) return run_process(run, identity);
  return fork_processes(config.nprocs,
                        [&](const Identity& child) { return run_process(run, child); },
                        {.ranks_per_process = ranks_per_process, .timeout_s = config.timeout_s});
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

ExitCode perf_command(const CommandInput& input) {
  const auto parsed = parse_run(input.call, input.environment);
  if (!parsed) return refuse(parsed.sentence());
  if (answers(parsed->intent, input.call)) return ExitCode::ok;
  return run_parsed(input, *parsed);
}

}  // namespace linerate
