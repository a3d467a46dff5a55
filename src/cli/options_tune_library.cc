// The options of linerate tune nccl, mpi and gloo.
#include "base/units.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/tokens.h"
#include "cli/tune_library_config.h"
#include "cli/values.h"
#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

using Config = TuneLibraryConfig;

constexpr std::array<Choice<tuning::Library>, 3> kLibraries{{{"nccl", tuning::Library::nccl},
                                                             {"mpi", tuning::Library::mpi},
                                                             {"gloo", tuning::Library::gloo}}};

Refusal set_tuned_collectives(const Argument& given, Config& config) {
  return set_collectives(given, config.study.collectives);
}

Refusal set_tuned_sizes(const Argument& given, Config& config) {
  const auto sizes = sweep::parse_sizes(given.text);
  if (!sizes) return fmt::format("{}: {}", given.label, sizes.sentence());
  config.study.sizes = {*sizes};
  return {};
}

template <std::vector<int> sweep::Study::*Counts>
Refusal set_one_count(const Argument& given, Config& config) {
  int count = 0;
  if (auto refusal = set_whole(given, {1, kMaxRanks}, count)) return refusal;
  config.study.*Counts = {count};
  return {};
}

Refusal add_tried(const Argument& given, Config& config) {
  config.tried.emplace_back(given.text);
  return {};
}

Refusal set_smallest_gain(const Argument& given, Config& config) {
  const auto gain = parse_percent(given.label, given.text);
  if (!gain) return gain.sentence();
  if (*gain <= 0 || *gain > 1)
    return fmt::format("{} {} is no gain that could matter: give more than 0 %, up to 100%.",
                       given.label, given.text);
  config.effort.rule.smallest = *gain;
  return {};
}

Refusal set_loaded_release(const Argument& given, Config& config) {
  return set_read(env::parse_release(given.text), config.nccl);
}

constexpr auto kRows = std::to_array<OptionRow>({
    {.long_name = "collectives",
     .metavar = "NAMES",
     .default_text = "all_reduce,all_gather,reduce_scatter,broadcast",
     .help = "which collectives, separated by commas, or all",
     .apply = set_tuned_collectives},
    {.long_name = "sizes",
     .metavar = "SIZES",
     .default_text = "1K:4M:4",
     .help = "sizes of each run: 1M, or 8:64M, each twice the one before, or 8:64M:4",
     .apply = set_tuned_sizes},
    {.long_name = "nodes",
     .metavar = "N",
     .default_text = "1",
     .help = "nodes of each run; the rules hold for as many",
     .apply = set_one_count<&sweep::Study::nodes>},
    {.long_name = "ranks-per-node",
     .metavar = "N",
     .default_text = "2",
     .help = "ranks on each node; the rules hold for as many",
     .apply = set_one_count<&sweep::Study::ranks_per_node>},
    {.long_name = "start",
     .metavar = "HOW",
     .help = "threads or processes of this host, mpirun or srun and its options, or a launcher",
     .note = "Without it nccl takes threads, mpi mpirun and gloo processes. As in [linerate "
             "sweep](#linerate-sweep).",
     .apply = set_text<Config, &Config::study, &sweep::Study::start>},
    {.long_name = "options",
     .metavar = "WORDS",
     .default_text = "--expect off --stop max=0.05s",
     .help = "options of every run",
     .apply = set_text<Config, &Config::study, &sweep::Study::options>},
    {.long_name = "try",
     .metavar = "NAME=VALUE",
     .help = "a variable to try besides those that linerate knows; again: one more",
     .note = "It holds for the whole process. What makes data wrong or hides faults is refused.",
     .apply = add_tried},
    {.long_name = "repeat",
     .metavar = "N",
     .default_text = "10",
     .help = "fresh launches of each side when a winner is confirmed, and when the files are",
     .apply = set_whole_of<Config, 1, kMaxRuns, &Config::effort, &tuning::Effort::confirmations>},
    {.long_name = "smallest",
     .metavar = "PERCENT",
     .default_text = "3%",
     .help = "the smallest gain that is kept",
     .apply = set_smallest_gain},
    {.long_name = "nccl",
     .metavar = "VERSION",
     .help = "the version of NCCL that the runs load: what it does not read is left out",
     .apply = set_loaded_release},
    {.short_name = 'o',
     .long_name = "output",
     .metavar = "FOLDER",
     .default_text = "tuned",
     .help = "where the files are written",
     .apply = set_file_of<Config, &Config::folder>},
    {.long_name = "limit",
     .metavar = "TIME",
     .default_text = "2m",
     .help = "end a run that takes longer, and drop its setting; 0: none",
     .apply = [](const Argument& given,
                 Config& config) { return set_seconds(given, config.limit_s); }},
    {.long_name = "seed",
     .metavar = "N",
     .help = "draw the same order of runs again; it is printed",
     .apply = [](const Argument& given,
                 Config& config) { return set_read(whole_number(given, {}), config.seed); }},
    {.long_name = "dry-run",
     .help = "print what would be tried, what is left out and why, and at most how many launches",
     .apply = set_flag<Config, &Config::dry_run>},
    kProgressRow<Config>,
});

std::string_view usual_start(tuning::Library library) {
  switch (library) {
    case tuning::Library::nccl:
      return sweep::kThreads;
    case tuning::Library::mpi:
      return "mpirun";
    case tuning::Library::gloo:
      return sweep::kProcesses;
  }
  __builtin_unreachable();
}

Refusal check_tune_library(const Config& config) {
  constexpr auto kPerBlock = static_cast<std::size_t>(repeats_of_block(TurnsAt::runs));
  if (auto refusal = sweep::study_refusal(config.study)) return refusal;
  if (config.study.nodes.front() * config.study.ranks_per_node.front() < 2)
    return "One rank alone has nobody to talk to: give --nodes or --ranks-per-node 2 or more.";
  const auto fewest = stats::fewest_runs(1, config.effort.rule, kPerBlock);
  if (static_cast<std::size_t>(config.effort.confirmations) < fewest)
    return fmt::format("--repeat {} can prove no gain: give {} or more.",
                       config.effort.confirmations, fewest);
  return {};
}

}  // namespace

std::span<const OptionRow> tune_library_options() { return kRows; }

std::optional<tuning::Library> library_to_tune(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "host") return std::nullopt;
    const auto* row = std::ranges::find(kLibraries, word, &Choice<tuning::Library>::text);
    if (row != kLibraries.end()) return row->value;
  }
  return std::nullopt;
}

Result<Config> parse_tune_library(const std::vector<std::string>& words) {
  Config config;
  config.library = library_to_tune(words).value();
  auto options = words;  // but for the library's name, which may stand anywhere
  options.erase(std::ranges::find(options, tuning::backend_of(config.library)));
  config.study.start.clear();
  const auto given = read_options(options, Audience::tune_library, config);
  if (!given) return given.failure();
  if (is_given(*given, "nccl") && config.library != tuning::Library::nccl)
    return Failure{"--nccl is about NCCL alone: leave it out."};
  if (config.study.start.empty()) config.study.start = usual_start(config.library);
  config.study.backends = {std::string(tuning::backend_of(config.library))};
  if (config.study.collectives.empty())
    config.study.collectives.assign(all_collectives().begin(), all_collectives().end());
  if (const auto refusal = check_tune_library(config)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
