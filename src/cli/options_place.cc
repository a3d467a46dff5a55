// The options of linerate topo place.
#include "base/text.h"
#include "cli/checks.h"
#include "cli/option.h"
#include "cli/tokens.h"
#include "cli/topo_config.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace linerate {
namespace {

constexpr std::int64_t kMaxPlaced = 1 << 18;  // ranks
constexpr std::int64_t kMaxWhole = 1'000'000;
constexpr std::array<Choice<int>, 4> kElementBytes{{{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}}};
constexpr std::array<Choice<PlaceFormat>, 6> kFormats{{{"table", PlaceFormat::table},
                                                       {"json", PlaceFormat::json},
                                                       {"rankfile", PlaceFormat::rankfile},
                                                       {"mpirun", PlaceFormat::mpirun},
                                                       {"srun", PlaceFormat::srun},
                                                       {"env", PlaceFormat::env}}};

// A whole number of the job, or of its model.
template <std::int64_t kFirst, auto Field>
constexpr auto set_job_number =
    set_whole_of<PlaceConfig, kFirst, kMaxPlaced, &PlaceConfig::request, Field>;
template <auto Field>
constexpr auto set_model_number = set_whole_of<PlaceConfig, 1, kMaxWhole, &PlaceConfig::request,
                                               &topo::PlanRequest::workload, Field>;

// "7B", "1.5T", "125M", "7000000000".
Refusal set_params(const Argument& given, PlaceConfig& config) {
  constexpr std::array<std::pair<char, double>, 4> kSuffixes{
      {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}}};
  constexpr double kMaxParams = 1e15;
  std::string_view digits = given.text;
  double factor = 1;
  for (const auto& [suffix, power] : kSuffixes)
    if (!digits.empty() && (digits.back() == suffix || digits.back() == suffix - 'A' + 'a')) {
      factor = power;
      digits.remove_suffix(1);
      break;
    }
  const auto number = parse_number(given.label, digits);
  if (!number || *number * factor < 1 || *number * factor > kMaxParams)
    return fmt::format(
        "{} '{}' is not a number of parameters from 1 to 1000T: give one like 7B, 1.5T or 125M.",
        given.label, given.text);
  config.request.workload.params = *number * factor;
  return {};
}

// Names go into a rankfile, which ends them at a blank.
Refusal set_hosts(const Argument& given, PlaceConfig& config) {
  if (given.text.empty()) return {};
  config.request.hosts.clear();
  std::set<std::string> once;
  for (const auto& name : split(given.text, ',')) {
    const bool plain = std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '-' || c == '_' || c == '+';
    });
    if (name.empty() || !plain)
      return fmt::format(
          "--hosts: '{}' is not the name of a host: give letters, digits, '.', '-' "
          "and '_', separated by commas.",
          name);
    if (!once.insert(name).second) return fmt::format("--hosts names {} twice.", name);
    config.request.hosts.push_back(name);
  }
  return {};
}

constexpr auto kPlacementRows = std::to_array<OptionRow>({
    {.long_name = "nranks",
     .metavar = "N",
     .help = "ranks of the job",
     .required = true,
     .apply = set_job_number<1, &topo::PlanRequest::nranks>},
    {.long_name = "nodes",
     .metavar = "N",
     .default_text = "0",
     .help = "nodes of the job; 0: as few as hold the ranks",
     .apply = set_job_number<0, &topo::PlanRequest::nnodes>},
    {.long_name = "tp",
     .metavar = "N",
     .default_text = "1",
     .help = "ranks that share a layer (tensor parallel)",
     .apply = set_job_number<1, &topo::PlanRequest::tp>},
    {.long_name = "pp",
     .metavar = "N",
     .default_text = "1",
     .help = "stages that share the layers (pipeline parallel); replicas of tp times pp ranks "
             "(data parallel, dp) are the rest",
     .apply = set_job_number<1, &topo::PlanRequest::pp>},
});

constexpr auto kPlanRows = std::to_array<OptionRow>({
    {.long_name = "format",
     .metavar = "FORMAT",
     .default_text = "table",
     .help = "how: table; json; rankfile: for Open MPI; mpirun, srun: options in one line; env: "
             "CUDA_VISIBLE_DEVICES",
     .apply = set_choice<PlaceConfig, kFormats, &PlaceConfig::format>},
    {.long_name = "rankfile",
     .metavar = "FILE",
     .help = "also write the rankfile into FILE",
     .apply = set_file_of<PlaceConfig, &PlaceConfig::rankfile>},
    {.long_name = "hosts",
     .metavar = "NAMES",
     .help = "names for the rankfile, separated by commas; without it localhost, or +n0, +n1, ... "
             "of an allocation",
     .apply = set_hosts},
});

constexpr auto kModelRows = std::to_array<OptionRow>({
    {.long_name = "params",
     .metavar = "N",
     .default_text = "7B",
     .help = "parameters of the transformer; K, M, B and T are powers of 1000. dp: one all_reduce "
             "of a rank's gradients in each step",
     .apply = set_params},
    {.long_name = "layers",
     .metavar = "N",
     .default_text = "32",
     .help = "its layers. tp: four all_reduces of the activations for each layer and micro-batch",
     .apply = set_model_number<&topo::Workload::layers>},
    {.long_name = "hidden",
     .metavar = "N",
     .default_text = "4096",
     .help = "width of its activations. pp: activations forward and gradients backward between "
             "stages for each micro-batch",
     .apply = set_model_number<&topo::Workload::hidden>},
    {.long_name = "seq",
     .metavar = "N",
     .default_text = "4096",
     .help = "tokens of a sample",
     .apply = set_model_number<&topo::Workload::seq>},
    {.long_name = "micro-batch",
     .metavar = "N",
     .default_text = "1",
     .help = "samples of a micro-batch",
     .apply = set_model_number<&topo::Workload::micro_batch>},
    {.long_name = "micro-batches",
     .metavar = "N",
     .default_text = "8",
     .help = "micro-batches of a step and replica",
     .apply = set_model_number<&topo::Workload::micro_batches>},
    {.long_name = "bytes-per-element",
     .metavar = "N",
     .default_text = "2",
     .help = "of activations and gradients: 1, 2, 4 or 8",
     .apply = set_choice<PlaceConfig, kElementBytes, &PlaceConfig::request,
                         &topo::PlanRequest::workload, &topo::Workload::bytes_per_element>},
});

}  // namespace

std::span<const OptionRow> placement_options() { return kPlacementRows; }
std::span<const OptionRow> plan_options() { return kPlanRows; }
std::span<const OptionRow> model_options() { return kModelRows; }

Result<PlaceConfig> parse_place(const std::vector<std::string>& words) {
  PlaceConfig config;
  const auto given = read_options(words, Audience::place, config);
  if (!given) return given.failure();
  if (const auto refusal = check_machine(config.machine, false)) return Failure{*refusal};
  if (!config.request.hosts.empty() && config.rankfile.empty() &&
      config.format != PlaceFormat::rankfile)
    return Failure{
        "--hosts names the hosts of a rankfile: give --format rankfile or --rankfile FILE too."};
  return config;
}

}  // namespace linerate
