// The one table of options: a row is all there is to know of an option, and the parser, the help
// texts and docs/cli.md read nothing else. To add an option: a row, and its field in a config.
//
// The parts of cli, in the order that a command line takes:
//   tools.h           the first words: which tool or sub-command
//   option.h          rows of options and variables; tables in options_*.cc and variables.cc
//   parse.h           words -> options with values -> a configuration, or one sentence
//   values.h          reads the value of a row strictly
//   checks.h          options that are right alone and wrong together
//   help.h            -h and docs/cli.md
//   run_config.h, topo_config.h, tune_config.h, tune_library_config.h, compare_config.h,
//   doctor_config.h, doctor_node_config.h, planner_config.h, replay_config.h, report_config.h,
//   results_config.h, scale_config.h, sweep_config.h, sweep_pairs_config.h, train_config.h
//                     what comes out
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace linerate {

struct CompareConfig;
struct DoctorEnvConfig;
struct DoctorHangConfig;
struct DoctorLogConfig;
struct DoctorProveConfig;
struct DoctorResultsConfig;
struct DoctorNodeConfig;
struct DoctorSnapshotConfig;
struct JobConfig;
struct MachineChoice;
struct PlaceConfig;
struct PlannerConfig;
struct ReplayConfig;
struct ReportConfig;
struct ResultsConfig;
struct RunConfig;
struct ScaleConfig;
struct SweepConfig;
struct SweepPairsConfig;
struct TopoConfig;
struct TrainOptions;
struct TuneConfig;
struct TuneLibraryConfig;

// A full sentence when the user's input is refused; nothing when it is taken.
using Refusal = std::optional<std::string>;

// What an option or variable was given; `label` names it in sentences ("-b/--minbytes").
struct Argument {
  std::string_view label;
  std::string_view text;
};

// Checks one value and writes it into the configuration. One of no kind: -h and --version, which
// the parser acts on itself. That of a MachineChoice serves each configuration with a `machine`,
// that of a JobConfig each one that is a job's.
template <typename Config>
using Setter = Refusal (*)(const Argument&, Config&);
using AnySetter =
    std::variant<std::monostate, Setter<RunConfig>, Setter<TopoConfig>, Setter<PlaceConfig>,
                 Setter<TuneConfig>, Setter<CompareConfig>, Setter<DoctorEnvConfig>,
                 Setter<DoctorHangConfig>, Setter<DoctorLogConfig>, Setter<DoctorProveConfig>,
                 Setter<DoctorResultsConfig>, Setter<DoctorNodeConfig>,
                 Setter<DoctorSnapshotConfig>, Setter<ReplayConfig>, Setter<ReportConfig>,
                 Setter<ScaleConfig>, Setter<SweepConfig>, Setter<SweepPairsConfig>,
                 Setter<ResultsConfig>, Setter<PlannerConfig>, Setter<MachineChoice>,
                 Setter<JobConfig>, Setter<TrainOptions>, Setter<TuneLibraryConfig>>;

// The programs that have an option. `both` are the tools that run ranks, collectives and p2p; a
// suite has the options of the collectives and its own; the others have tables of their own.
enum class Audience : std::uint8_t {
  both,
  collectives,
  p2p,
  suite,
  memcpy,
  topo,
  place,
  tune,
  tune_library,
  compare,
  doctor_env,
  doctor_hang,
  doctor_log,
  doctor_prove,
  doctor_results,
  doctor_node,
  doctor_snapshot,
  replay,
  report,
  scale,
  sweep,
  sweep_pairs,
  results,
  planner,
  train
};

// One option. Texts end without a period, except the note, which is whole sentences.
struct OptionRow {
  char short_name = 0;  // 0: none
  std::string_view long_name = {};
  std::string_view metavar = {};       // empty: a flag, which takes no value
  std::string_view default_text = {};  // as one would type it; empty: none
  std::string_view help = {};          // a phrase; -h wraps it
  std::string_view note = {};          // what the docs say beyond it; may be empty
  std::string_view belongs_to = {};    // the long name of the option without which it has no use
  bool required = false;
  bool several = false;                // takes all words up to the next one with a dash
  Audience audience = Audience::both;  // within the table of the tools that run ranks
  AnySetter apply = {};

  bool is_flag() const { return metavar.empty(); }
  // "-b/--minbytes", or "--backend" where there is no short name.
  std::string label() const;
  // "-b", or "--backend" where there is no short name.
  std::string shortest() const;
};

// Calls the row's setter, if it has one for such a configuration.
template <typename Config>
Refusal apply(const OptionRow& row, const Argument& given, Config& config) {
  const auto call = [&](auto set) -> Refusal {
    if constexpr (requires { set(given, config); })
      return set(given, config);
    else if constexpr (requires { set(given, config.machine); })
      return set(given, config.machine);
    else
      assert((std::is_same_v<decltype(set), std::monostate>));  // else of another command
    return {};
  };
  return std::visit(call, row.apply);
}

struct OptionGroup {
  std::string_view title;
  std::span<const OptionRow> rows;
};

// One environment variable that gives an option. An empty value counts as unset.
struct VariableRow {
  std::string_view name = {};
  std::string_view metavar = {};
  std::string_view default_text = {};
  std::string_view help = {};
  std::string_view note = {};
  Setter<RunConfig> apply = nullptr;

  bool of_nccl_tests() const { return name.starts_with("NCCL_TESTS_"); }  // else of linerate
};

std::span<const VariableRow> variables();

// Variables that other parts read: those of linerate, launchers and libraries.
struct OtherVariables {
  std::string_view names;    // with blanks between them
  std::string_view meaning;  // Markdown
};
std::span<const OtherVariables> other_variables();

// In the order of the help text; where options of other tools are refused by name, theirs too.
std::span<const OptionGroup> option_groups(Audience program);

// Whether the program has the option.
bool has_option(Audience program, const OptionRow& row);

// Every row that its command line may name: its own, and those of the others that it refuses by
// name. No name occurs twice.
std::vector<const OptionRow*> option_rows(Audience program);

// Its row with this long or short name, or null.
const OptionRow* find_option(Audience program, std::string_view long_name);
const OptionRow* find_option(Audience program, char short_name);

// The groups.
std::span<const OptionRow> rank_options();
std::span<const OptionRow> suite_options();
std::span<const OptionRow> size_options();
std::span<const OptionRow> pair_options();
std::span<const OptionRow> case_options();
std::span<const OptionRow> repeat_options();
std::span<const OptionRow> timing_options();
std::span<const OptionRow> output_options();
std::span<const OptionRow> verdict_options();
std::span<const OptionRow> gpu_options();
std::span<const OptionRow> help_options();
std::span<const OptionRow> memcpy_options();           // all of memcpy_perf's
std::span<const OptionRow> machine_options();          // topo, place: which machine or cluster
std::span<const OptionRow> view_options();             // topo: what to show
std::span<const OptionRow> prediction_options();       // topo: of --predict
std::span<const OptionRow> placement_options();        // place: ranks and mesh
std::span<const OptionRow> plan_options();             // place: what is printed and written
std::span<const OptionRow> model_options();            // place: the training job
std::span<const OptionRow> tune_options();             // all of tune host's
std::span<const OptionRow> tune_library_options();     // all of tune nccl's, mpi's and gloo's
std::span<const OptionRow> compare_run_options();      // compare: of --run
std::span<const OptionRow> compare_turn_options();     // of these, those of any two commands
std::span<const OptionRow> compare_judge_options();    // compare: what a difference is
std::span<const OptionRow> compare_output_options();   // compare: what is printed and kept
std::span<const OptionRow> doctor_env_options();       // all of doctor env's
std::span<const OptionRow> doctor_hang_options();      // all of doctor hang's
std::span<const OptionRow> doctor_log_options();       // all of doctor log's
std::span<const OptionRow> doctor_prove_options();     // doctor prove: what, and how it runs
std::span<const OptionRow> doctor_results_options();   // all of doctor results'
std::span<const OptionRow> doctor_node_options();      // all of doctor's own
std::span<const OptionRow> doctor_snapshot_options();  // all of doctor snapshot's
std::span<const OptionRow> replay_options();           // all of replay's own
std::span<const OptionRow> report_options();           // all of report's
std::span<const OptionRow> scale_options();            // all of scale's
std::span<const OptionRow> sweep_matrix_options();     // sweep: the matrix
std::span<const OptionRow> sweep_run_options();        // sweep: how it is run
std::span<const OptionRow> sweep_pairs_options();      // all of sweep pairs
std::span<const OptionRow> results_options();          // all of results'
std::span<const OptionRow> planner_options();          // plan: what is planned, and how it is shown
std::span<const OptionRow> training_options();         // trainers: model, data, optimizer
std::span<const OptionRow> model_size_options();       // trainers: of the model
std::span<const OptionRow> parallel_options();         // trainers: how ranks share the work
std::span<const OptionRow> checkpoint_options();       // trainers: what is saved and resumed
std::span<const OptionRow> training_output_options();  // trainers: what is printed and written

}  // namespace linerate
