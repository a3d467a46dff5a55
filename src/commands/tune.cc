// linerate tune host: races the algorithms, prints the results, keeps the table.
#include "backends/host/host_backend.h"
#include "backends/host/tuning_table.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/time_text.h"
#include "base/units.h"
#include "bench/race.h"
#include "cli/tune_words.h"
#include "commands/command.h"
#include "commands/race_text.h"
#include "launch/lanes/lanes.h"
#include "launch/solo_bootstrap.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

namespace linerate {
namespace {

constexpr double kTolerance = 0.03;  // of the rules; a third of what --check allows

using OnResult = std::function<void(const RaceResult&)>;

// All cases on one lane. `on_result` is called on rank 0.
void race_on(Bootstrap& member, Communicator& comm, const TuneConfig& config,
             const OnResult& on_result) {
  const SteadyClock clock;
  Race race(member, comm, clock, config.max_bytes);
  for (const OpKind kind : config.kinds)
    for (std::size_t bytes = config.min_bytes; bytes <= config.max_bytes; bytes *= 2) {
      if (!Race::runs(kind, bytes, comm.nranks())) continue;
      const RaceResult result = race.run(kind, bytes, {});
      if (member.rank() == 0) on_result(result);
    }
}

// Each rank a thread.
void race(Backend& backend, const TuneConfig& config, int nranks, const OnResult& on_result) {
  const SteadyClock clock;
  const auto body = [&](Bootstrap& member) {
    const auto device = backend.open_device(member.rank());
    Device* const local[] = {device.get()};
    const auto comms = backend.connect(member, local, {.deadline = Deadline::after(clock, 60)});
    try {
      race_on(member, *comms.front(), config, on_result);
    } catch (...) {
      comms.front()->abort();  // the others may wait in a call
      throw;
    }
  };
  run_lanes(*solo_bootstrap(), nranks, body, nullptr);
}

std::vector<host::Timing> timings_of(const std::vector<RaceResult>& results) {
  std::vector<host::Timing> timings;
  for (const RaceResult& result : results)
    for (const Runner& runner : result.runners)
      timings.push_back({.kind = result.kind,
                         .nranks = result.nranks,
                         .bytes = result.bytes,
                         .algorithm = runner.algorithm,
                         .us = runner.us.median,
                         .low_us = runner.us.ci95_low,
                         .high_us = runner.us.ci95_high});
  return timings;
}

// Whole or not at all: written beside its place, then moved there.
void keep(const host::TuningTable& table, const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  const auto fresh = path.parent_path() / fmt::format("{}.{}", path.filename().string(), getpid());
  std::ofstream file(fresh, std::ios::trunc);
  file << host::tuning_text(table);
  file.close();
  if (!file) throw SystemError(errno, fmt::format("{} cannot be written", fresh.string()));
  std::filesystem::rename(fresh, path);
}

ExitCode conclude(const CommandInput& input, const TuneConfig& config,
                  const std::vector<RaceResult>& results) {
  if (config.check) return check_summary(results) ? ExitCode::ok : ExitCode::finding;
  const Machine machine = describe_whole_machine();
  const auto rules = host::rules_from(timings_of(results), kTolerance);
  if (config.print_rows) {
    print_rows(rules);
    return ExitCode::ok;
  }
  const auto path = host::tuning_path(input.environment, machine);
  if (!path)
    throw Unavailable("Neither XDG_CACHE_HOME nor HOME is set: there is no place for the table.");
  std::string complaint;  // about a damaged table, which is replaced
  const auto before = host::find_tuning(input.environment, machine, complaint);
  const host::TuningTable table{
      .machine = host::machine_text(machine),
      .measured = utc_text(std::chrono::system_clock::now()),
      .rules = host::merged(before.rules, rules, config.min_bytes, config.max_bytes)};
  keep(table, *path);
  fmt::print("# {} new rules for {} are kept in {}\n", rules.size(), table.machine, path->string());
  return ExitCode::ok;
}

}  // namespace

ExitCode tune_command(const CommandInput& input) {
  const auto config = parse_tune(input.call.words);
  if (!config) return refuse(config.sentence());
  if (!config->help_text.empty()) {
    fmt::print("{}", config->help_text);
    return ExitCode::ok;
  }
  const SteadyClock clock;
  const auto backend =
      make_host_backend(clock, {.ranks_stay = true, .environment = &input.environment});
  std::vector<RaceResult> results;
  print_race_header();
  for (const int nranks : config->nranks)
    race(*backend, *config, nranks, [&](const RaceResult& result) {
      print_race(result);
      results.push_back(result);
    });
  return conclude(input, *config, results);
}

}  // namespace linerate
