// The benchmark tools: from the command line to the exit code.
#include "base/log.h"
#include "bench/plan.h"
#include "bench/traffic_source.h"
#include "cli/checks.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "commands/command.h"
#include "commands/fabric.h"
#include "commands/process_run.h"
#include "commands/version.h"
#include "launch/identity.h"
#include "launch/local_fork.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace linerate {
namespace {

// Ranks of the smallest group: what roots and hypercube must fit.
int smallest_group(const RunConfig& config, int nranks) {
  std::map<int, int> sizes;
  for (int rank = 0; rank < nranks; ++rank) ++sizes[config.split.color(rank)];
  const auto least = std::min_element(sizes.begin(), sizes.end(),
                                      [](auto& a, auto& b) { return a.second < b.second; });
  return least->second;
}

// --list: the cases, one a line; what would run is decided by nothing but the command line.
void print_cases(const RunConfig& config, int nranks) {
  const auto in_group = smallest_group(config, nranks);
  const auto traffic = traffic_of(config, in_group);
  for (const auto& what : plan_cases(config, in_group)) {
    const auto count = count_of(*what.collective, what.bytes, what.type, in_group);
    const Sizing sizing{.count = count, .nranks = in_group, .traffic = traffic.get()};
    const auto bytes = row_bytes(*what.collective, sizing, what.type);
    fmt::print("{} bytes={} count={} type={} redop={} root={}\n", what.collective->name, bytes,
               count, name_of(what.type), redop_text(what),
               what.collective->rooted ? what.root : -1);
  }
}

ExitCode run_parsed(const CommandInput& input, const RunConfig& config) {
  if (const auto refusal = backend_option_refusal(config)) return refuse(*refusal);
  const auto identity = detect_identity(input.environment, config.nprocs);
  if (!identity) return refuse(identity.sentence());
  if (identity->rank == 0)
    for (const auto& note : identity->notes) say(note);
  const int processes = config.nprocs > 0 ? config.nprocs : identity->nranks;
  const int nranks = processes * config.nthreads * config.ngpus;
  if (const auto refusal = check_against_ranks(config, smallest_group(config, nranks)))
    return refuse(*refusal);
  if (config.list && config.collective != nullptr) return print_cases(config, nranks), ExitCode::ok;
  ProcessRun run{
      .config = config, .environment = input.environment, .interrupted = input.interrupted};
  if (config.dry_run) return print_dry_run(run, *identity, nranks), ExitCode::ok;
  Result<std::unique_ptr<Outputs>> outputs = std::unique_ptr<Outputs>();
  if (identity->rank == 0) outputs = Outputs::open(config);
  if (!outputs) return refuse(outputs.sentence());
  run.outputs = outputs->get();
  if (identity->launcher != Launcher::nprocs) return run_process(run, *identity);
  return fork_processes(config.nprocs,
                        [&](const Identity& child) { return run_process(run, child); });
}

}  // namespace

ExitCode refuse(const std::string& sentence) {
  say(sentence);
  return ExitCode::usage;
}

ExitCode perf_command(const CommandInput& input) {
  const auto parsed = parse_run(input.call, input.environment);
  if (!parsed) return refuse(parsed.sentence());
  switch (parsed->intent) {
    case Intent::help:
      fmt::print("{}", tool_help(input.call));
      return ExitCode::ok;
    case Intent::version:
      fmt::print("{}\n", version_text());
      return ExitCode::ok;
    case Intent::run:
      break;
  }
  return run_parsed(input, parsed->config);
}

}  // namespace linerate
