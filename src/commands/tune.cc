// linerate tune host: races the algorithms, prints the results, keeps the table.
#include "backends/host/algorithms/algorithm.h"
#include "backends/host/selection.h"
#include "backends/host/tuning_table.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "bench/plan.h"
#include "bench/race.h"
#include "cli/tune_config.h"
#include "cli/tune_library_config.h"
#include "commands/command.h"
#include "commands/live_progress.h"
#include "commands/tune_host.h"
#include "devices/cpu/cpu_device.h"
#include "job/job.h"
#include "launch/quiet_thread.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace linerate {
namespace {

constexpr double kTolerance = 0.03;  // of the rules; a third of what --check allows
constexpr double kAllowed = 1.10;

// Slower than allowed beyond what the intervals leave open.
bool is_miss(const RaceResult& result) {
  const Candidate* const chosen = result.find(result.chosen);
  if (chosen == nullptr || result.chosen_over_best() <= kAllowed) return false;
  const auto& best = result.best();
  return std::isnan(chosen->us.ci95_low) || chosen->us.ci95_low > kAllowed * best.us.ci95_high;
}

std::string times_text(const RaceResult& result) {
  std::string text;
  for (const Candidate& runner : result.candidates)
    text += fmt::format("  {} {:.4g} [{:.4g}, {:.4g}]", runner.algorithm, runner.us.median,
                        runner.us.ci95_low, runner.us.ci95_high);
  return text;
}

// recursive_doubling -> kRecursiveDoubling
std::string row_name(std::string_view algorithm) {
  std::string name = "k";
  bool upper = true;
  for (const char c : algorithm) {
    if (c != '_')
      name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name;
}

void print_race_header() {
  fmt::print("# {:<15} {:>6} {:>9}  {:<18} {:<18} {:>6}  median us [95 % interval] of each\n",
             "collective", "nranks", "size", "chosen", "fastest", "ratio");
}

// One line: the choice, the best, their ratio, and every algorithm's median with its interval.
void print_race(const RaceResult& result) {
  fmt::print("  {:<15} {:>6} {:>9}  {:<18} {:<18} {:>6.3f}{}{}\n", name_of(result.kind),
             result.nranks, bytes_text(result.bytes), result.chosen, result.best().algorithm,
             result.chosen_over_best(), is_miss(result) ? " MISS" : "", times_text(result));
  std::fflush(stdout);
}

// Prints how many choices are more than 10 % slower than the best one. True when none is, where
// intervals that overlap count as equal.
bool check_summary(std::span<const RaceResult> results) {
  std::size_t misses = 0, near = 0;
  double worst = 1;
  for (const RaceResult& result : results) {
    misses += is_miss(result) ? 1 : 0;
    near += result.chosen_over_best() <= kAllowed ? 1 : 0;
    worst = std::max(worst, result.chosen_over_best());
  }
  fmt::print(
      "# {} of {} choices are within 10 % of the fastest, {} more within the intervals, {} are "
      "not; "
      "the worst takes {:.2f} times as long\n",
      near, results.size(), results.size() - near - misses, misses, worst);
  return misses == 0;
}

// As rows of kRules in backends/host/selection.cc.
void print_rows(std::span<const host::Rule> rules) {
  for (const host::Rule& rule : rules) {
    const bool any = rule.max_bytes == std::numeric_limits<std::size_t>::max();
    fmt::print("      Rule{{OpKind::{}, {}, {}, &{}}},\n", name_of(rule.kind), rule.nranks,
               any ? "kAny" : fmt::format("{}", rule.max_bytes), row_name(rule.algorithm->name));
  }
}

using OnResult = std::function<void(const RaceResult&)>;

// All cases on one thread. `on_result` is called on rank 0.
void race_on(RankContext& rank, const TuneConfig& config, const OnResult& on_result) {
  const SteadyClock clock;
  Race race(rank.bootstrap(), rank.world(), clock, config.max_bytes);
  for (const OpKind kind : config.kinds)
    for (std::size_t bytes = config.min_bytes; bytes <= config.max_bytes; bytes *= 2) {
      if (!Race::runs(kind, bytes, rank.nranks())) continue;
      const RaceResult result = race.run(kind, bytes, {});
      if (rank.is_first()) on_result(result);
    }
}

// Each rank a thread of this process.
ExitCode race(const CommandInput& input, const TuneConfig& config, int nranks,
              const OnResult& on_result) {
  JobConfig job_config;
  job_config.nthreads = nranks;
  job_config.backend = "host";
  const JobSetup setup{.config = job_config, .environment = input.environment};
  Job job(setup, Identity{.ranks_per_process = nranks});
  return job.leave(job.run([&](RankContext& rank) {
    race_on(rank, config, on_result);
    return ExitCode::ok;
  }));
}

std::vector<host::Timing> timings_of(const std::vector<RaceResult>& results) {
  std::vector<host::Timing> timings;
  for (const RaceResult& result : results)
    for (const Candidate& runner : result.candidates)
      timings.push_back({.kind = result.kind,
                         .nranks = result.nranks,
                         .bytes = result.bytes,
                         .algorithm = runner.algorithm,
                         .us = runner.us.median,
                         .low_us = runner.us.ci95_low,
                         .high_us = runner.us.ci95_high});
  return timings;
}

Refusal keep_in(const std::filesystem::path& path, std::string_view text) {
  const SignalsBlocked blocked;  // Ctrl-C keeps it whole, or not at all
  const auto failed = write_whole_file(path, text);
  if (!failed) return {};
  return fmt::format(
      "The table cannot be kept in {} ({}): set XDG_CACHE_HOME to a folder that can be written, or "
      "give --print-rows or --check.",
      path.string(), *failed);
}

// What has no cache has no table.
ExitCode forget(const CommandInput& input) {
  const auto path = host::tuning_path(input.environment, describe_whole_machine());
  std::error_code failed;
  const bool removed = path && std::filesystem::remove(*path, failed);
  if (failed)
    throw Error(fmt::format("{} cannot be removed: {}.", path->string(), failed.message()));
  fmt::print(
      "# {}; the built-in table is used\n",
      removed ? fmt::format("{} is removed", path->string()) : "there is no table of this machine");
  return ExitCode::ok;
}

// Before the race, which takes minutes: where the table goes, and whether it can.
Refusal place_of_table(const CommandInput& input, std::filesystem::path& place) {
  const auto path = host::tuning_path(input.environment, describe_whole_machine());
  if (!path)
    return "Neither XDG_CACHE_HOME nor HOME is set: set one, or give --print-rows or --check.";
  place = *path;
  if (std::filesystem::is_directory(place))
    return fmt::format("The table cannot be kept in {}: it is a folder. Remove it.",
                       place.string());
  const SignalsBlocked blocked;  // Ctrl-C leaves nothing behind
  auto probe = place;
  probe += ".probe";
  auto refusal = keep_in(probe, {});
  std::error_code gone;
  std::filesystem::remove(probe, gone);
  return refusal;
}

void keep(const CommandInput& input, const std::vector<host::Timing>& timings,
          const std::filesystem::path& place) {
  const Machine machine = describe_whole_machine();
  const auto rules = host::rules_from(timings, kTolerance);
  std::string complaint;  // about a damaged table, which is replaced
  const auto before = host::find_tuning(input.environment, machine, complaint);
  const host::TuningTable table{.machine = host::machine_text(machine),
                                .measured = utc_text(std::chrono::system_clock::now()),
                                .rules = host::merged(before.rules, rules, timings)};
  if (const auto refusal = keep_in(place, host::tuning_text(table))) throw Error(*refusal);
  fmt::print("# {} new rules for {} are kept in {}\n", rules.size(), table.machine, place.string());
}

// Why nothing could be measured, if so.
Refusal check_cases(const TuneConfig& config) {
  bool any = false;
  for (const OpKind kind : config.kinds)
    for (const int nranks : config.nranks)
      for (std::size_t bytes = config.min_bytes; bytes <= config.max_bytes; bytes *= 2)
        any = any || Race::runs(kind, bytes, nranks);
  if (!any)
    return "No size from -b to -e gives each rank an element of its own: raise -e/--maxbytes.";
  const auto most = static_cast<std::size_t>(std::ranges::max(config.nranks));
  const std::size_t free = free_memory_bytes();
  if (config.max_bytes <= max_bytes_within(free / most)) return {};
  return fmt::format(
      "-e/--maxbytes {} needs two buffers of that size for each of {} ranks, but only {} of memory "
      "are free: give a smaller one, or fewer ranks.",
      bytes_text(config.max_bytes), most, about_bytes_text(free));
}

// A piece for each race; races of one call on as many ranks cost alike.
std::vector<Piece> pieces_of(const TuneConfig& config) {
  std::vector<Piece> pieces;
  int kind = 0;
  for (const int nranks : config.nranks)
    for (const OpKind call : config.kinds) {
      ++kind;
      for (std::size_t bytes = config.min_bytes; bytes <= config.max_bytes; bytes *= 2)
        if (Race::runs(call, bytes, nranks))
          pieces.push_back({.kind = kind, .bytes = static_cast<double>(bytes)});
    }
  return pieces;
}

// Where a number of ranks fails, its code; the sentence has been said.
ExitCode race_all(const CommandInput& input, const TuneConfig& config,
                  std::vector<RaceResult>& results) {
  LiveProgress progress({}, "tune host", "races");
  progress.line().plan(0, {{.pieces = pieces_of(config)}});
  print_race_header();
  progress.start();
  for (const int nranks : config.nranks) {
    const auto code = race(input, config, nranks, [&](const RaceResult& result) {
      progress.line().done();
      progress.aside([&] { print_race(result); });
      results.push_back(result);
    });
    if (code != ExitCode::ok) return code;
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode tune_command(const CommandInput& input) {
  if (library_to_tune(input.call.words)) return tune_library(input);
  if (answers_help(input.call.words, Audience::tune)) return ExitCode::ok;
  const auto config = parse_tune(input.call.words);
  if (!config) return refuse(config.sentence());
  if (config->forgets) return forget(input);
  if (const auto refusal = check_cases(*config)) return refuse(*refusal);
  std::filesystem::path place;
  const bool keeps = !config->check && !config->print_rows;
  if (keeps)
    if (const auto refusal = place_of_table(input, place)) return refuse(*refusal);
  std::vector<RaceResult> results;
  if (const auto code = race_all(input, *config, results); code != ExitCode::ok) return code;
  if (config->check) return check_summary(results) ? ExitCode::ok : ExitCode::finding;
  const auto timings = timings_of(results);
  if (config->print_rows)
    print_rows(host::rules_from(timings, kTolerance));
  else
    keep(input, timings, place);
  return config->proofs > 0 ? prove_host_table(input, *config, place) : ExitCode::ok;
}

}  // namespace linerate
