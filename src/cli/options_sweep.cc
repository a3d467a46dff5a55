// The options of linerate sweep.
#include "base/text.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/sweep_config.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace linerate {
namespace {

using Matrix = sweep::Study;

// Each part between commas, by `add`, which refuses it or appends what it stands for.
template <typename List, typename Add>
Refusal set_list(const Argument& given, List& out, const Add& add) {
  out.clear();
  for (const auto& part : split(given.text, ','))
    if (auto refusal = add(Argument{given.label, part}, out)) return refusal;
  return {};
}

Refusal set_matrix_collectives(const Argument& given, SweepConfig& config) {
  return set_collectives(given, config.study.collectives);
}

Refusal set_sizes(const Argument& given, SweepConfig& config) {
  return set_list(given, config.study.sizes, [](const Argument& part, auto& out) -> Refusal {
    const auto sizes = sweep::parse_sizes(part.text);
    if (!sizes) return fmt::format("{}: {}", part.label, sizes.sentence());
    out.push_back(*sizes);
    return {};
  });
}

// Types and operators keep the names that the tools print.
template <auto Set, typename Value>
Refusal add_names(const Argument& part, std::vector<std::string>& out) {
  std::vector<Value> values;
  if (auto refusal = Set(part, values)) return refusal;
  for (const auto value : values) out.emplace_back(name_of(value));
  return {};
}

Refusal set_matrix_types(const Argument& given, SweepConfig& config) {
  return set_list(given, config.study.types, add_names<set_types, DataType>);
}

Refusal set_matrix_ops(const Argument& given, SweepConfig& config) {
  return set_list(given, config.study.ops, add_names<set_ops, RedOp>);
}

template <std::vector<int> Matrix::*Counts>
Refusal set_counts(const Argument& given, SweepConfig& config) {
  return set_node_counts(given, {1, kMaxRanks}, config.study.*Counts,
                         Counts == &Matrix::nodes ? "nodes" : "ranks");
}

Refusal set_backends(const Argument& given, SweepConfig& config) {
  return set_list(given, config.study.backends, [](const Argument& part, auto& out) {
    std::string_view chosen;
    auto refusal = set_choice<std::string_view, kBackends>(part, chosen);
    if (!refusal) out.emplace_back(chosen);
    return refusal;
  });
}

Refusal set_algorithms(const Argument& given, SweepConfig& config) {
  return set_list(given, config.study.algorithms, [](const Argument& part, auto& out) -> Refusal {
    if (part.text.empty()) return fmt::format("{} has an empty name: leave it out.", part.label);
    out.emplace_back(part.text);
    return {};
  });
}

// "NCCL_ALGO=Ring"; again: one more value, or one more variable.
Refusal add_variable(const Argument& given, SweepConfig& config) {
  const auto equals = given.text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return fmt::format("{} '{}' is no variable with a value: give NAME=VALUE, as NCCL_ALGO=Ring.",
                       given.label, plain_text(given.text));
  config.study.environment[std::string(given.text.substr(0, equals))].emplace_back(
      std::string(given.text.substr(equals + 1)));
  return {};
}

Refusal set_again(const Argument& given, SweepConfig& config) {
  config.again.clear();
  for (const auto& word : split(given.text, ',')) {
    const auto outcome = sweep::outcome_of(word);
    if (!outcome) {
      std::vector<std::string_view> names;
      for (const auto one : sweep::kOutcomes) names.push_back(name_of(one));
      return unknown_choice("outcome", word, names);
    }
    config.again.insert(*outcome);
  }
  return {};
}

constexpr std::array<Choice<std::optional<sweep::JobForm>>, 5> kJobForms{
    {{"sbatch", sweep::JobForm::sbatch},
     {"mpirun", sweep::JobForm::mpirun},
     {"mpijob", sweep::JobForm::mpijob},
     {"pytorchjob", sweep::JobForm::pytorchjob},
     {"rayjob", sweep::JobForm::rayjob}}};

constexpr auto kMatrixRows = std::to_array<OptionRow>({
    {.long_name = "collectives",
     .metavar = "NAMES",
     .default_text = "all",
     .help = "which collectives, separated by commas, or all",
     .apply = set_matrix_collectives},
    {.long_name = "sizes",
     .metavar = "LIST",
     .help = "sizes of each run: 1M, or 8:64M, each twice the one before, or 8:64M:4",
     .note = "Each item is a run of its own. Without it the tools' own size.",
     .apply = set_sizes},
    {.short_name = 'd',
     .long_name = "datatype",
     .metavar = "LIST",
     .help = "data types, such as float,bfloat16, or all",
     .apply = set_matrix_types},
    {.long_name = "op",
     .metavar = "LIST",
     .help = "reduction operators, such as sum,max, or all",
     .note = "They count for collectives that reduce.",
     .apply = set_matrix_ops},
    {.long_name = "nodes",
     .metavar = "LIST",
     .default_text = "1",
     .help = "numbers of nodes: 1,2,4, or 1:8, which is 1, 2, 4 and 8",
     .apply = set_counts<&Matrix::nodes>},
    {.long_name = "ranks-per-node",
     .metavar = "LIST",
     .default_text = "2",
     .help = "numbers of ranks on each node, written likewise",
     .apply = set_counts<&Matrix::ranks_per_node>},
    {.long_name = "backend",
     .metavar = "LIST",
     .help = "backends: auto, host, mpi, gloo, nccl, fake",
     .apply = set_backends},
    {.long_name = "algo",
     .metavar = "LIST",
     .help = "algorithms of the host backend, the one with a choice",
     .note = "They do not count for other backends. NCCL's are chosen by NCCL_ALGO.",
     .apply = set_algorithms},
    {.long_name = "environment",
     .metavar = "NAME=VALUE",
     .help = "a variable of the runs; again: one more value of it, or one more variable",
     .note = "In a file it is a map: `environment: {NCCL_ALGO: [~, Ring, Tree]}`, where `~` leaves "
             "the variable unset.",
     .apply = add_variable},
});

constexpr auto kRunRows = std::to_array<OptionRow>({
    {.short_name = 'o',
     .long_name = "output",
     .metavar = "FILE.db",
     .help = "the SQLite file of the cases; it is made",
     .note = "Without it the study's name with .db, beside the study. A sweep goes on where it was "
             "interrupted: cases that the file holds are not run again.",
     .apply = set_file_of<SweepConfig, &SweepConfig::output>},
    {.long_name = "start",
     .metavar = "HOW",
     .default_text = "processes",
     .help = "threads or processes of this host, mpirun or srun and its options, or a launcher",
     .note = "`mpirun --hostfile hosts` gets the numbers of ranks by itself. Another launcher says "
             "where they stand: `prun -n {ranks} -N {nodes}`, also `{ranks-per-node}`.",
     .apply = set_text<SweepConfig, &SweepConfig::study, &Matrix::start>},
    {.long_name = "options",
     .metavar = "WORDS",
     .help = "more options of every run, such as '-n 20 -w 5'",
     .apply = set_text<SweepConfig, &SweepConfig::study, &Matrix::options>},
    {.long_name = "repeat",
     .metavar = "N",
     .default_text = "1",
     .help = "runs of each case",
     .apply = set_whole_of<SweepConfig, 1, kMaxRuns, &SweepConfig::study, &Matrix::repeats>},
    {.long_name = "limit",
     .metavar = "TIME",
     .default_text = "10m",
     .help = "end a run that takes longer, and go on with the next; 0: none",
     .apply = [](const Argument& given,
                 SweepConfig& config) { return set_seconds(given, config.limit_s); }},
    {.long_name = "seed",
     .metavar = "N",
     .help = "draw the same order of runs again; it is printed and kept",
     .apply = [](const Argument& given,
                 SweepConfig& config) { return set_read(whole_number(given, {}), config.seed); }},
    {.long_name = "again",
     .metavar = "OUTCOMES",
     .help = "run cases once more that ended so: slow, wrong, crashed, hung, no_start, ok",
     .apply = set_again},
    {.long_name = "dry-run",
     .help = "print the commands that would run, in their order, and how long they take",
     .apply = set_flag<SweepConfig, &SweepConfig::dry_run>},
    {.long_name = "print",
     .metavar = "FORM",
     .help =
         "print a job that runs the study elsewhere: sbatch, mpirun, mpijob, pytorchjob, rayjob",
     .note = "Nothing is started. In the jobs of Kubernetes IMAGE and CLAIM stand for yours.",
     .apply = set_choice<SweepConfig, kJobForms, &SweepConfig::print>},
    kProgressRow<SweepConfig>,
});

}  // namespace

std::span<const OptionRow> sweep_matrix_options() { return kMatrixRows; }
std::span<const OptionRow> sweep_run_options() { return kRunRows; }

std::optional<std::string> sweep_words_refusal(const std::vector<std::string>& words) {
  SweepConfig unused;
  const auto given = read_options(words, Audience::sweep, unused);
  if (!given) return given.sentence();
  return std::nullopt;
}

Result<std::string> sweep_file(const std::vector<std::string>& words) {
  const auto options = without_operands(words, Audience::sweep).options;
  if (const auto refusal = sweep_words_refusal(options)) return Failure{*refusal};
  return one_operand(words, Audience::sweep, "linerate sweep reads one study");
}

std::vector<std::string> words_of_study(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 7> kOthers{"output", "start",    "seed", "dry-run",
                                                    "print",  "progress", "again"};
  std::vector<std::string> kept;
  const auto tokens = tokenise(without_operands(words, Audience::sweep).options, Audience::sweep);
  if (!tokens) return kept;  // it has been refused
  for (const auto& [row, text] : *tokens) {
    if (std::ranges::find(kOthers, row->long_name) != kOthers.end()) continue;
    kept.push_back(fmt::format("--{}", row->long_name));
    if (!row->is_flag()) kept.push_back(text);
  }
  return kept;
}

Result<SweepConfig> parse_sweep(const sweep::StudyFile& file,
                                const std::vector<std::string>& words) {
  SweepConfig config;
  config.study.environment = file.environment;
  auto all = file.words;
  const auto options = without_operands(words, Audience::sweep).options;
  all.insert(all.end(), options.begin(), options.end());
  const auto given = read_options(all, Audience::sweep, config);
  if (!given) return given.failure();
  if (config.study.collectives.empty())
    config.study.collectives.assign(all_collectives().begin(), all_collectives().end());
  auto checked = config.study;
  const bool here = checked.start == sweep::kThreads || checked.start == sweep::kProcesses;
  if (config.print && here) checked.start = "mpirun";  // a job may have more nodes than this host
  if (const auto refusal = sweep::study_refusal(checked)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
