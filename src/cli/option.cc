// Tables are small: rows are looked for from the first on.
#include "cli/option.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

// Those that run ranks share a table, and refuse each other's options by name.
bool runs_ranks(Audience program) {
  return program == Audience::both || program == Audience::collectives ||
         program == Audience::p2p || program == Audience::suite;
}

std::span<const OptionGroup> groups_of_ranks() {
  static const auto kGroups = std::to_array<OptionGroup>({
      {"Suite", suite_options()},
      {"Ranks", rank_options()},
      {"Sizes", size_options()},
      {"Pairs", pair_options()},
      {"What is run", case_options()},
      {"How often", repeat_options()},
      {"How it is timed and checked", timing_options()},
      {"Output", output_options()},
      {"How fast it should be", verdict_options()},
      {"GPU (nccl backend)", gpu_options()},
      {"Help", help_options()},
  });
  return kGroups;
}

template <typename Predicate>
const OptionRow* find_row(Audience program, Predicate is_it) {
  for (const auto& group : option_groups(program))
    for (const auto& row : group.rows)
      if (is_it(row) && has_option(program, row)) return &row;
  return nullptr;
}

std::span<const OptionGroup> groups_of_doctor(Audience program) {
  static const auto kHelp = help_options().first(1);  // -h
  static const std::array<OptionGroup, 2> kDoctorEnvGroups{
      {{"Options", doctor_env_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kDoctorHangGroups{
      {{"Options", doctor_hang_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kDoctorLogGroups{
      {{"Options", doctor_log_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 3> kDoctorProveGroups{
      {{"Options", doctor_prove_options()}, {"Runs", compare_turn_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kDoctorResultsGroups{
      {{"Options", doctor_results_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kDoctorNodeGroups{
      {{"Options", doctor_node_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kDoctorSnapshotGroups{
      {{"Options", doctor_snapshot_options()}, {"Help", kHelp}}};
  if (program == Audience::doctor_env) return kDoctorEnvGroups;
  if (program == Audience::doctor_hang) return kDoctorHangGroups;
  if (program == Audience::doctor_log) return kDoctorLogGroups;
  if (program == Audience::doctor_prove) return kDoctorProveGroups;
  if (program == Audience::doctor_results) return kDoctorResultsGroups;
  if (program == Audience::doctor_snapshot) return kDoctorSnapshotGroups;
  return kDoctorNodeGroups;
}

// Of the commands that have one table.
std::span<const OptionGroup> groups_of_one_table(Audience program) {
  static const auto kHelp = help_options().first(1);  // -h
  constexpr std::size_t kHelpRows = 3;                // the last of memcpy_options()
  static const auto kCopies = memcpy_options();
  static const std::array<OptionGroup, 2> kMemcpy{
      {{"Options", kCopies.first(kCopies.size() - kHelpRows)}, {"Help", kCopies.last(kHelpRows)}}};
  static const std::array<OptionGroup, 2> kTune{{{"Options", tune_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kTuneLibrary{
      {{"Options", tune_library_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kReport{{{"Options", report_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kScale{{{"Options", scale_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 2> kResults{
      {{"Options", results_options()}, {"Help", kHelp}}};
  if (program == Audience::memcpy) return kMemcpy;
  if (program == Audience::tune) return kTune;
  if (program == Audience::tune_library) return kTuneLibrary;
  if (program == Audience::results) return kResults;
  return program == Audience::report ? kReport : kScale;
}

// Of many runs: those that are predicted, made, made again or compared.
std::span<const OptionGroup> groups_of_plans(Audience program) {
  static const auto kHelp = help_options().first(1);  // -h
  static const std::array<OptionGroup, 3> kPlanner{
      {{"Options", planner_options()}, {"Machine", machine_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 3> kSweep{{{"Matrix", sweep_matrix_options()},
                                                  {"How it is run", sweep_run_options()},
                                                  {"Help", kHelp}}};
  static const std::array<OptionGroup, 3> kSweepPairs{
      {{"Options", sweep_pairs_options()}, {"Ranks", rank_options()}, {"Help", kHelp}}};
  static const std::array<OptionGroup, 4> kCompareGroups{
      {{"Runs", compare_run_options()},
       {"What is a difference", compare_judge_options()},
       {"Output", compare_output_options()},
       {"Help", kHelp}}};
  static const std::array<OptionGroup, 3> kReplay{
      {{"Options", replay_options()}, {"Ranks", rank_options()}, {"Help", kHelp}}};
  if (program == Audience::sweep_pairs) return kSweepPairs;
  if (program == Audience::replay) return kReplay;
  if (program == Audience::compare) return kCompareGroups;
  return program == Audience::sweep ? kSweep : kPlanner;
}

}  // namespace

std::string OptionRow::label() const {
  if (short_name == 0) return fmt::format("--{}", long_name);
  return fmt::format("-{}/--{}", short_name, long_name);
}

std::string OptionRow::shortest() const {
  if (short_name == 0) return fmt::format("--{}", long_name);
  return fmt::format("-{}", short_name);
}

std::span<const OptionGroup> option_groups(Audience program) {
  static const auto kHelp = help_options().first(1);  // -h
  static const std::array<OptionGroup, 4> kTopoGroups{{{"Which machine", machine_options()},
                                                       {"What is shown", view_options()},
                                                       {"What is predicted", prediction_options()},
                                                       {"Help", kHelp}}};
  static const std::array<OptionGroup, 5> kPlaceGroups{{{"Job", placement_options()},
                                                        {"Output", plan_options()},
                                                        {"Which machine", machine_options()},
                                                        {"Model", model_options()},
                                                        {"Help", kHelp}}};
  static const std::array<OptionGroup, 7> kTrainGroups{
      {{"What is trained", training_options()},
       {"Sizes of the model", model_size_options()},
       {"How ranks share the work", parallel_options()},
       {"Ranks", rank_options()},
       {"Checkpoints and lost ranks", checkpoint_options()},
       {"Output", training_output_options()},
       {"Help", kHelp}}};
  switch (program) {
    case Audience::both:
    case Audience::collectives:
    case Audience::p2p:
    case Audience::suite:
      return groups_of_ranks();
    case Audience::topo:
      return kTopoGroups;
    case Audience::place:
      return kPlaceGroups;
    case Audience::memcpy:
    case Audience::tune:
    case Audience::tune_library:
    case Audience::report:
    case Audience::results:
    case Audience::scale:
      return groups_of_one_table(program);
    case Audience::compare:
    case Audience::planner:
    case Audience::replay:
    case Audience::sweep:
    case Audience::sweep_pairs:
      return groups_of_plans(program);
    case Audience::doctor_env:
    case Audience::doctor_hang:
    case Audience::doctor_log:
    case Audience::doctor_prove:
    case Audience::doctor_results:
    case Audience::doctor_node:
    case Audience::doctor_snapshot:
      return groups_of_doctor(program);
    case Audience::train:
      return kTrainGroups;
  }
  __builtin_unreachable();
}

bool has_option(Audience program, const OptionRow& row) {
  if (!runs_ranks(program) || row.audience == Audience::both) return true;
  const bool of_suite = program == Audience::suite && row.audience == Audience::collectives;
  return of_suite || row.audience == program;
}

std::vector<const OptionRow*> option_rows(Audience program) {
  std::vector<const OptionRow*> rows;
  const auto add = [&](bool own) {
    for (const auto& group : option_groups(program))
      for (const auto& row : group.rows)
        if (has_option(program, row) == own &&
            (own || find_option(program, row.long_name) == nullptr))
          rows.push_back(&row);
  };
  add(true);
  add(false);
  return rows;
}

const OptionRow* find_option(Audience program, std::string_view long_name) {
  return find_row(program, [&](const OptionRow& row) { return row.long_name == long_name; });
}

const OptionRow* find_option(Audience program, char short_name) {
  return find_row(program, [&](const OptionRow& row) {
    return short_name != 0 && row.short_name == short_name;
  });
}

}  // namespace linerate
