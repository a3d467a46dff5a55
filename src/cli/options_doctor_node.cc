// The options of linerate doctor and of linerate doctor snapshot.
#include "cli/doctor_node_config.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

template <auto List>
Refusal add_names(const Argument& given, DoctorNodeConfig& config) {
  for (auto& name : split(given.text, ',')) (config.*List).push_back(std::move(name));
  return {};
}

Refusal add_snapshot(const Argument& given, DoctorNodeConfig& config) {
  config.snapshots.emplace_back(given.text);
  return {};
}

constexpr auto kDoctorNodeRows = std::to_array<OptionRow>({
    {.long_name = "snapshot",
     .metavar = "FILE",
     .help = "examine what linerate doctor snapshot saved instead of this node; a folder stands "
             "for its *.json; several are compared too",
     .apply = add_snapshot},
    {.long_name = "here",
     .help = "this node alone, whoever started the process: without it the nodes of a job under "
             "mpirun, srun or torchrun are examined together",
     .apply = set_flag<DoctorNodeConfig, &DoctorNodeConfig::here>},
    {.long_name = "only",
     .metavar = "IDS",
     .help = "these checks alone, with commas between them",
     .apply = add_names<&DoctorNodeConfig::only>},
    {.long_name = "skip",
     .metavar = "IDS",
     .help = "all but these checks",
     .apply = add_names<&DoctorNodeConfig::skip>},
    {.long_name = "thresholds",
     .metavar = "FILE",
     .help = "other numbers to compare with, in YAML",
     .note = "[Their names](doctor.md#thresholds).",
     .apply = set_file_of<DoctorNodeConfig, &DoctorNodeConfig::thresholds>},
    {.long_name = "quick-bench",
     .help = "also measure all_reduce here for some ten seconds, and judge it",
     .apply = set_flag<DoctorNodeConfig, &DoctorNodeConfig::quick_bench>},
    {.long_name = "list",
     .help = "list the findings of all commands and stop",
     .apply = set_flag<DoctorNodeConfig, &DoctorNodeConfig::list>},
    {.long_name = "explain",
     .metavar = "ID",
     .help = "say when a finding of any command appears, why and what to do, and stop",
     .apply = add_names<&DoctorNodeConfig::explained>},
    kJsonRow<DoctorNodeConfig>,
    kFailOnRow<DoctorNodeConfig>,
});

constexpr auto kDoctorSnapshotRows = std::to_array<OptionRow>({
    {.short_name = 'o',
     .long_name = "output",
     .metavar = "FILE",
     .help = "the file to write, in JSON; a folder gets one for each node",
     .note =
         "Under mpirun, srun or torchrun a name that does not end with .json is a folder, which "
         "rank 0 fills.",
     .required = true,
     .apply = set_file_of<DoctorSnapshotConfig, &DoctorSnapshotConfig::file>},
});

template <typename Config>
Result<Config> parsed(const std::vector<std::string>& words, Audience program) {
  Config config;
  const auto given = read_options(words, program, config);
  if (!given) return given.failure();
  return config;
}

}  // namespace

std::span<const OptionRow> doctor_node_options() { return kDoctorNodeRows; }
std::span<const OptionRow> doctor_snapshot_options() { return kDoctorSnapshotRows; }

Result<DoctorNodeConfig> parse_doctor_node(const std::vector<std::string>& words) {
  auto config = parsed<DoctorNodeConfig>(words, Audience::doctor_node);
  if (config && config->quick_bench && !config->snapshots.empty())
    return Failure{"--quick-bench measures this node, and --snapshot is about others: give one."};
  return config;
}

Result<DoctorSnapshotConfig> parse_doctor_snapshot(const std::vector<std::string>& words) {
  return parsed<DoctorSnapshotConfig>(words, Audience::doctor_snapshot);
}

}  // namespace linerate
