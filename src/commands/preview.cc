// Refusals from what is cheapest to know on: options, algorithms, memory. Then what would run.
#include "commands/preview.h"

#include "backends/fake/fake_options.h"
#include "backends/host/algorithms/algorithm.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/plan.h"
#include "cli/checks.h"
#include "commands/command.h"
#include "devices/cpu/cpu_device.h"
#include "job/backend_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

constexpr std::int64_t kMaxJobRanks = 65536;  // that the generated data can tell apart

// Of the ranks that are surely on this machine; the others count once all have met.
std::optional<std::string> memory_refusal(const RunConfig& config) {
  if (config.limit_memory) return std::nullopt;  // the user knows better
  const auto nranks = static_cast<std::size_t>(config.ranks_per_process()) *
                      static_cast<std::size_t>(std::max(1, config.nprocs));
  const auto room = rank_bytes_of(free_memory_bytes(), nranks);
  if (config.min_bytes <= max_bytes_within(room)) return std::nullopt;
  return fmt::format(
      "-b/--minbytes {} does not fit: each of {} rank{} has {} for its two buffers. Choose a "
      "smaller -b, fewer ranks, or give --limit-memory.",
      bytes_text(config.min_bytes), nranks, nranks == 1 ? "" : "s", about_bytes_text(room));
}

std::uint64_t pairs_of(int nranks) {
  return static_cast<std::uint64_t>(nranks) * static_cast<std::uint64_t>(nranks - 1) / 2;
}

void print_pairs(const RunConfig& config, int nranks) {
  const std::uint64_t pairs = pairs_of(nranks);
  fmt::print("p2p_latency bytes={} pairs={}\n", config.min_bytes, pairs);
  fmt::print("p2p_unidirectional bytes={} pairs={}\n", config.max_bytes, 2 * pairs);
  fmt::print("p2p_bidirectional bytes={} pairs={}\n", config.max_bytes, pairs);
}

// --list: the cases, one a line; what would run is decided by nothing but the command line.
void print_cases(const RunConfig& config, int nranks) {
  if (config.collective == nullptr) return print_pairs(config, nranks);
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

constexpr int kNameWidth = 11;
constexpr std::size_t kMaxGroups = 8;  // more are counted only

std::string line(std::string_view name, std::string_view text) {
  return text.empty() ? std::string() : fmt::format("{:<{}}{}\n", name, kNameWidth, text);
}

std::string ranks_line(const RunConfig& config, int nranks) {
  const int in_process = config.ranks_per_process();
  return fmt::format("{}: {} x {} x {}", nranks,
                     counted(static_cast<std::size_t>(nranks / in_process), "process"),
                     counted(static_cast<std::size_t>(config.nthreads), "thread"),
                     counted(static_cast<std::size_t>(config.ngpus), "rank"));
}

std::string groups_text(const RunConfig& config, int nranks) {
  if (config.split.kind == SplitRule::Kind::none) return {};
  const auto groups = group_sizes(config, nranks);
  auto text = counted(groups.size(), "group");
  if (groups.size() > kMaxGroups) return text;
  std::string_view before = ": ";
  for (const auto& [color, size] : groups) {
    text +=
        fmt::format("{}{} of {}", before, color, counted(static_cast<std::size_t>(size), "rank"));
    before = ", ";
  }
  return text;
}

std::string sizes_text(const RunConfig& config) {
  const auto sizes = sweep_sizes(config);
  if (sizes.size() == 1) return bytes_text(sizes.front());
  const auto step = config.step_factor > 1
                        ? fmt::format("each {} times the one before", config.step_factor)
                        : fmt::format("in steps of {}", bytes_text(config.step_bytes));
  return fmt::format("{} from {} to {}, {}", sizes.size(), bytes_text(sizes.front()),
                     bytes_text(sizes.back()), step);
}

template <typename List>
std::string listed(const List& list) {
  std::vector<std::string_view> words;
  for (const auto item : list) words.push_back(name_of(item));
  return fmt::format("{}", fmt::join(words, ", "));
}

// What the collectives of a job share: of a suite, its sweep.
std::string sweep_lines(std::span<const RunConfig> runs, int nranks) {
  const auto& first = runs.front();
  std::size_t cases = 0;
  bool reduces = false, rooted = false, in_place = true;
  for (const auto& run : runs) {
    if (run.collective == nullptr) continue;
    cases += plan_cases(run, smallest_group(run, nranks)).size();
    reduces |= run.collective->reduces;
    rooted |= run.collective->rooted;
    in_place &= run.collective->in_place;
  }
  auto text = line("sizes", sizes_text(first)) + line("types", listed(first.types));
  if (reduces) text += line("operators", listed(first.ops));
  if (rooted) text += line("roots", first.root < 0 ? "all" : fmt::to_string(first.root));
  const std::string_view checked = in_place          ? "out of place and in place"
                                   : runs.size() > 1 ? "out of place and in place, which is not "
                                                       "checked where it is not defined"
                                                     : "out of place; in place is not checked";
  return text + line("cases", fmt::format("{}, each {}", cases, checked));
}

std::string collective_lines(const RunConfig& config, int nranks) {
  const auto& row = *config.collective;
  return line("collective", fmt::format("{}: {}", row.name, row.summary)) +
         sweep_lines({&config, 1}, nranks);
}

std::string pairs_lines(const RunConfig& config, int nranks) {
  return line("pairs", fmt::format("{}, {}", pairs_of(nranks),
                                   config.at_once ? "disjoint ones at the same time"
                                                  : "one after the other")) +
         line("sizes", fmt::format("latency {}, bandwidth {}", bytes_text(config.min_bytes),
                                   bytes_text(config.max_bytes)));
}

std::string suite_lines(std::span<const RunConfig> runs, int nranks) {
  std::vector<std::string_view> names;
  for (const auto& run : runs)
    if (run.collective != nullptr) names.push_back(run.collective->name);
  auto text = line("suite", fmt::format("{}: {}", counted(names.size(), "collective"),
                                        fmt::join(names, ", "))) +
              sweep_lines(runs, nranks);
  if (runs.back().collective == nullptr) text += pairs_lines(runs.back(), nranks);
  return text;
}

std::string work_lines(const ParsedRun& parsed, int nranks) {
  const auto& first = parsed.runs.front();
  const bool suite = parsed.config.collective != first.collective;
  if (suite) return suite_lines(parsed.runs, nranks);
  return first.collective == nullptr ? pairs_lines(first, nranks) : collective_lines(first, nranks);
}

std::string iterations_text(const RunConfig& config) {
  auto text = counted(config.iters, "iteration");
  if (config.agg_iters > 1) text += fmt::format(" of {} calls", config.agg_iters);
  text += fmt::format(", {} untimed before, {} of verification", config.warmup_iters,
                      counted(static_cast<std::size_t>(config.check), "round"));
  if (config.run_cycles == 0) return text + "; the sweep is repeated for ever";
  if (config.run_cycles == 1) return text;
  return text + fmt::format("; {} sweeps", config.run_cycles);
}

// How many hosts there are is known only once the processes have met.
std::string backend_line(const RunConfig& config, const Identity& identity, bool gpus) {
  const auto choice = choose_backend(config, {.launcher = identity.launcher, .gpus = gpus});
  const bool may_span = identity.launcher == Launcher::slurm || identity.launcher == Launcher::env;
  const bool depends = choice.name == "host" && config.backend == "auto" && may_span;
  return fmt::format("{} ({}){}", choice.name, choice.reason,
                     depends ? "; gloo on several hosts" : "");
}

std::string files_text(const RunConfig& config) {
  std::vector<std::string> files;
  if (!config.jsonl_file.empty()) files.push_back(config.jsonl_file + " (JSON Lines, appended)");
  if (!config.csv_file.empty()) files.push_back(config.csv_file + " (CSV, appended)");
  if (!config.json_file.empty())
    files.push_back(config.json_file + " (nccl-tests' JSON; numbered where it exists)");
  return files.empty() ? "none" : fmt::format("{}", fmt::join(files, ", "));
}

// One fact a line.
std::string dry_run_text(const ParsedRun& parsed, const Identity& identity, int nranks, bool gpus) {
  const auto& config = parsed.config;
  return line("program", config.program) + line("backend", backend_line(config, identity, gpus)) +
         line("launcher", name_of(identity.launcher)) + line("ranks", ranks_line(config, nranks)) +
         line("groups", groups_text(config, nranks)) + work_lines(parsed, nranks) +
         line("iterations", iterations_text(config)) +
         line("options", parsed.changed.empty()
                             ? "the defaults"
                             : fmt::format("{}", fmt::join(parsed.changed, ", "))) +
         line("files", files_text(config));
}

}  // namespace

std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks,
                                             const host::Network* network) {
  if (nranks > kMaxJobRanks)
    return fmt::format(
        "{} ranks are more than the {} that can run together: use fewer processes, "
        "or a smaller -t or -g.",
        nranks, kMaxJobRanks);
  if (network != nullptr && nranks > network->nranks())
    return fmt::format(
        "--emulate '{}': {} have no place for {} ranks: use fewer ranks, or more nodes.",
        config.emulate_file, network->places(), nranks);
  if (const auto fake = parse_fake_options(config.fake))
    if (auto refusal = refusal_for_ranks(*fake, nranks)) return refusal;
  for (const auto& [color, size] : group_sizes(config, static_cast<int>(nranks)))
    if (auto refusal = check_against_ranks(config, size)) return refusal;
  return std::nullopt;
}

// The host backend is the only one that can be told. Which backend `auto` means may be known only
// when the processes have met, so that here a name is refused that no backend has.
std::optional<std::string> algorithm_refusal(const CaseConfig& config) {
  if (config.algorithm.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto* algorithm : host::all_algorithms()) names.push_back(algorithm->name);
  if (std::ranges::find(names, config.algorithm) != names.end()) return std::nullopt;
  return unknown_choice("algorithm", config.algorithm, names);
}

std::optional<std::string> refusal_here(const RunConfig& config, const Identity& identity,
                                        bool gpus, bool runs) {
  const ChoiceFacts facts{.launcher = identity.launcher, .gpus = gpus};
  if (auto refusal = backend_refusal(config, facts)) return refusal;
  const bool in_host_memory = choose_backend(config, facts).name != "nccl";
  return runs && in_host_memory ? memory_refusal(config) : std::nullopt;
}

ExitCode preview(const ParsedRun& parsed, const Identity& identity, int nranks, bool gpus) {
  if (identity.rank != 0) return ExitCode::ok;
  if (nranks == 0)
    return refuse(
        "Only MPI knows how many ranks this job has: start --list and --dry-run without "
        "its launcher, with --nprocs or -t.");
  if (!parsed.config.list) fmt::print("{}", dry_run_text(parsed, identity, nranks, gpus));
  if (parsed.config.list)
    for (const auto& run : parsed.runs) print_cases(run, nranks);
  return ExitCode::ok;
}

}  // namespace linerate
