// The options of linerate topo, and those that name a machine, which `topo place` has too.
#include "base/text.h"
#include "cli/checks.h"
#include "cli/option.h"
#include "cli/tokens.h"
#include "cli/topo_config.h"
#include "cli/values.h"
#include "topo/cluster/nvlink_domain.h"
#include "topo/model/p2p_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace linerate {
namespace {

constexpr std::int64_t kMaxPredictedNodes = 65536, kMaxPredictedFactor = 1024;

std::string exclusion(std::string_view one, std::string_view other, std::string_view what) {
  return fmt::format("{} and {} exclude each other: give one {}.", one, other, what);
}

template <MachineSource kSource>
Refusal set_source(const Argument& given, MachineChoice& machine) {
  if (!machine.option.empty() && machine.option != given.label)
    return exclusion(machine.option, given.label, "machine");
  machine.source = kSource;
  machine.option = given.label;
  machine.name = given.text;
  return {};
}

// Several are for --lint. A platform beside one completes it.
Refusal set_nccl_file(const Argument& given, MachineChoice& machine) {
  if (machine.source == MachineSource::nccl_file) {
    machine.more.emplace_back(given.text);
    return {};
  }
  if (machine.source == MachineSource::platform) {
    machine.platform = std::exchange(machine.name, "");
    machine.option.clear();
  }
  return set_source<MachineSource::nccl_file>(given, machine);
}

Refusal set_platform(const Argument& given, MachineChoice& machine) {
  if (machine.source != MachineSource::nccl_file)
    return set_source<MachineSource::platform>(given, machine);
  machine.platform = given.text;
  return {};
}

// What a parser makes of the text, or its sentence behind the label.
template <typename Config, auto kParse, auto... Path>
Refusal set_parsed(const Argument& given, Config& config) {
  const auto parsed = kParse(given.text);
  if (!parsed) return fmt::format("{}: {}", given.label, parsed.sentence());
  member_of<Path...>(config) = *parsed;
  return {};
}

constexpr auto kMachineRows = std::to_array<OptionRow>({
    {.long_name = "root",
     .metavar = "DIR",
     .help = "a saved copy of another machine's /sys and /proc",
     .apply = set_source<MachineSource::saved_root>},
    {.long_name = "hwloc",
     .metavar = "FILE",
     .help = "a machine as hwloc wrote it (lstopo FILE.xml)",
     .apply = set_source<MachineSource::hwloc_file>},
    {.long_name = "nccl-xml",
     .metavar = "FILE",
     .help =
         "a machine as NCCL wrote it (NCCL_TOPO_DUMP_FILE), or a file made by hand; with --lint "
         "several, which are compared",
     .several = true,
     .apply = set_nccl_file},
    {.long_name = "platform",
     .metavar = "NAME",
     .help = "a built-in node; linerate topo --list-platforms names them; beside --nccl-xml it "
             "gives the NVLinks and NIC speeds that the file leaves to the machine",
     .apply = set_platform},
    {.long_name = "cluster",
     .metavar = "FILE",
     .help = "many nodes and their network, in YAML",
     .apply = set_source<MachineSource::cluster>},
    {.long_name = "nvlink-domain",
     .metavar = "HOSTS",
     .help = "as many hosts like this one in one NVLink domain (MNNVL), as one node",
     .apply =
         [](const Argument& a, MachineChoice& m) {
           return set_whole(a, {1, topo::kMaxDomainHosts}, m.nvlink_domain);
         }},
    {.long_name = "nccl",
     .metavar = "VERSION",
     .default_text = "2.28",
     .help = "the version of NCCL to model",
     .apply = set_parsed<MachineChoice, topo::parse_nccl_version, &MachineChoice::version>},
});

Refusal choose(const Argument& given, TopoView view, TopoConfig& config) {
  if (!config.view_option.empty() && config.view_option != given.label)
    return exclusion(config.view_option, given.label, "view");
  config.view = view;
  config.view_option = given.label;
  return {};
}

template <TopoView kView>
Refusal set_view(const Argument& given, TopoConfig& config) {
  return choose(given, kView, config);
}

template <TopoView kView>
Refusal set_written_view(const Argument& given, TopoConfig& config) {
  config.out_file = given.text;
  return choose(given, kView, config);
}

Refusal add_end(const Argument& given, TopoConfig& config) {
  config.ends.emplace_back(given.text);
  return choose(given, TopoView::explanation, config);
}

Refusal add_graphs(const Argument& given, TopoConfig& config) {
  config.graph_files.emplace_back(given.text);
  return choose(given, TopoView::graphs, config);
}

Refusal set_prediction(const Argument& given, TopoConfig& config) {
  const auto* const collective = find_collective(given.text);
  const auto name = collective != nullptr ? collective->name : given.text;
  auto names = topo::p2p_collectives();
  config.collective = collective;
  config.p2p_collective =
      collective != nullptr && topo::is_p2p_collective(*collective) ? collective : nullptr;
  for (const auto function : topo::kAllFunctions) {
    names.push_back(name_of(function));
    if (name_of(function) == name) config.function = function;
  }
  if (std::ranges::count(names, name) > 0) return choose(given, TopoView::prediction, config);
  if (collective != nullptr && collective->varies)
    return fmt::format(
        "{}: {} moves what its traffic says, which only a run knows: the results of a run on GPUs "
        "have its bound (expected_busbw_gbps).",
        given.label, name);
  return fmt::format("{}: {}", given.label, unknown_choice("collective", given.text, names));
}

constexpr auto kViewRows = std::to_array<OptionRow>({
    {.long_name = "matrix",
     .help = "path types between GPUs and NICs, and their cores",
     .apply = set_view<TopoView::matrix>},
    {.long_name = "gbps",
     .help = "--matrix: bandwidths instead of path types",
     .belongs_to = "matrix",
     .apply = set_flag<TopoConfig, &TopoConfig::gbps>},
    {.long_name = "all-hosts",
     .help = "--matrix: every host of a rack, not one of those that look alike",
     .belongs_to = "matrix",
     .apply = set_flag<TopoConfig, &TopoConfig::all_hosts>},
    {.long_name = "dot", .help = "the graph for Graphviz", .apply = set_view<TopoView::dot>},
    {.long_name = "svg",
     .metavar = "FILE",
     .help = "write a picture into FILE",
     .apply = set_written_view<TopoView::svg>},
    {.long_name = "json",
     .help = "system, links and paths, or with --predict its rows and with --lint its findings, as "
             "JSON",
     .apply = set_flag<TopoConfig, &TopoConfig::as_json>},
    {.long_name = "export-nccl",
     .metavar = "FILE",
     .help = "write a topology file that NCCL accepts as NCCL_TOPO_FILE",
     .apply = set_written_view<TopoView::nccl_xml>},
    {.long_name = "explain",
     .metavar = "DEVICE",
     .help = "the path between two devices, hop by hop, such as GPU3 mlx5_2",
     .several = true,
     .apply = add_end},
    {.long_name = "graphs",
     .metavar = "FILE",
     .help = "the channels that NCCL found (NCCL_GRAPH_DUMP_FILE); with a machine, what the search "
             "here finds otherwise; of two files, what differs; exit code 3 if anything does",
     .several = true,
     .apply = add_graphs},
    {.long_name = "lint",
     .help =
         "what looks wrong, of several files or a cluster also which node is unlike the others; "
         "exit code 3 from warnings on",
     .apply = set_view<TopoView::lint>},
    {.long_name = "predict",
     .metavar = "COLLECTIVE",
     .help =
         "a collective, by size: NCCL's algorithm, protocol and channels, the time and busbw to "
         "expect with the band of healthy machines, the busbw that NCCL's cost model "
         "believes, and where its choice changes; for collectives that NCCL builds from sends "
         "(alltoall, gather, scatter, sendrecv, hypercube) what the busiest link allows",
     .apply = set_prediction},
    {.long_name = "measure",
     .help = "measure this machine for a few seconds: bandwidth by size and by cores, and the "
             "round trip of a cache line; in a job on several nodes also TCP between them; with "
             "--json as JSON",
     .apply = set_view<TopoView::measurement>},
    {.long_name = "list-platforms",
     .help = "the built-in nodes",
     .apply = set_view<TopoView::platforms>},
});

constexpr auto kPredictionRows = std::to_array<OptionRow>({
    {.short_name = 'b',
     .long_name = "minbytes",
     .metavar = "SIZE",
     .default_text = "8",
     .help = "--predict: smallest size",
     .belongs_to = "predict",
     .apply = set_bytes<TopoConfig, 1, &TopoConfig::min_bytes>},
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "8G",
     .help = "--predict: largest size",
     .belongs_to = "predict",
     .apply = set_bytes<TopoConfig, 1, &TopoConfig::max_bytes>},
    {.short_name = 'f',
     .long_name = "stepfactor",
     .metavar = "FACTOR",
     .default_text = "4",
     .help = "--predict: from one size to the next",
     .belongs_to = "predict",
     .apply = set_whole_of<TopoConfig, 2, kMaxPredictedFactor, &TopoConfig::step_factor>},
    {.short_name = 'd',
     .long_name = "datatype",
     .metavar = "TYPE",
     .default_text = "float",
     .help = "--predict: element type",
     .belongs_to = "predict",
     .apply = set_parsed<TopoConfig, parse_data_type, &TopoConfig::reduced, &topo::Reduced::type>},
    {.short_name = 'o',
     .long_name = "op",
     .metavar = "OPERATOR",
     .default_text = "sum",
     .help = "--predict: reduction operator",
     .belongs_to = "predict",
     .apply = set_parsed<TopoConfig, parse_red_op, &TopoConfig::reduced, &topo::Reduced::op>},
    {.long_name = "nodes",
     .metavar = "NUMBERS",
     .help = "--predict: numbers of such nodes, or of the first ones of a cluster: 16, 1,2,8 or "
             "1:4096, which doubles; without it one, or all of the cluster",
     .belongs_to = "predict",
     .apply =
         [](const Argument& a, TopoConfig& c) {
           return set_node_counts(a, {1, kMaxPredictedNodes}, c.nnodes);
         }},
    {.long_name = "table",
     .metavar = "SIZE",
     .help = "--predict: at one size, every algorithm and protocol with its time and busbw, which "
             "one NCCL takes, and why others are off",
     .belongs_to = "predict",
     .apply = set_bytes<TopoConfig, 1, &TopoConfig::table_bytes>},
});

// --json is a view by itself, and a form of three others.
Refusal settle_json(TopoConfig& config) {
  constexpr std::array kWithForm{TopoView::prediction, TopoView::measurement, TopoView::lint};
  if (!config.as_json || std::ranges::count(kWithForm, config.view) > 0) return {};
  return choose({"--json", {}}, TopoView::json, config);
}

// Views to which NCCL's version, or another machine, makes no difference.
Refusal refuse_useless(std::span<const Token> given, const TopoConfig& config) {
  constexpr std::array kWithoutVersion{TopoView::lint, TopoView::nccl_xml, TopoView::measurement,
                                       TopoView::platforms};
  if (is_given(given, "nccl") && std::ranges::count(kWithoutVersion, config.view) > 0)
    return fmt::format("--nccl makes no difference to {}: leave it out.", config.view_option);
  if (config.machine.source == MachineSource::this_machine && config.machine.nvlink_domain == 1)
    return {};
  if (config.view == TopoView::measurement)
    return "--measure measures this machine: leave the other one out.";
  if (config.view == TopoView::platforms)
    return "--list-platforms lists them all: leave the machine out.";
  return {};
}

// Two files are compared with each other, one with a machine.
Refusal check_graphs(std::span<const Token> given, const TopoConfig& config) {
  if (config.view != TopoView::graphs) return {};
  const bool has_machine = config.machine.source != MachineSource::this_machine;
  if (config.graph_files.size() > 2) return "--graphs compares two files: give one or two.";
  if (config.graph_files.size() == 2 && has_machine)
    return fmt::format("--graphs of two files compares them: leave {} out.", config.machine.option);
  if (config.machine.source == MachineSource::cluster)
    return "--graphs is about one machine: give --platform or --nccl-xml instead of --cluster.";
  if (is_given(given, "nccl") && !has_machine)
    return "--nccl makes no difference to --graphs without a machine: leave it out.";
  return {};
}

Refusal check_table(std::span<const Token> given, const TopoConfig& config) {
  if (config.table_bytes == 0) return {};
  if (config.p2p_collective != nullptr)
    return fmt::format("--table: NCCL makes {} of sends, and chooses no algorithm for it.",
                       config.p2p_collective->name);
  if (config.nnodes.size() > 1) return "--table is of one number of nodes: give --nodes one.";
  for (const auto* option : {"minbytes", "maxbytes", "stepfactor"})
    if (is_given(given, option))
      return fmt::format("--table is of one size: leave --{} out.", option);
  return {};
}

// Where nothing is reduced an element type is as good as any other: bytes move.
Refusal check_view(std::span<const Token> given, const TopoConfig& config) {
  if (config.view == TopoView::explanation && config.ends.size() != 2)
    return "--explain is between two devices: give both, as in --explain GPU3 mlx5_2.";
  if (const auto refusal = check_graphs(given, config)) return refusal;
  if (is_given(given, "op") && !config.collective->reduces)
    return fmt::format("-o/--op: {} reduces nothing: leave the operator out.",
                       config.collective->name);
  if (const auto refusal = check_table(given, config)) return refusal;
  if (config.max_bytes < config.min_bytes) return "-e/--maxbytes must not be below -b/--minbytes.";
  return {};
}

// A word that is no option of this command may be meant for `place`, which goes first.
std::string about_place(std::span<const std::string> words, const std::string& refusal) {
  constexpr std::array<std::string_view, 1> kPlace{"place"};
  for (const auto& word : words) {
    if (nearest_match(word, kPlace).empty()) continue;
    if (!refusal.starts_with(fmt::format("'{}' belongs to no option", word))) continue;
    if (word == "place")
      return "'place' goes first: linerate topo place, and its options behind it.";
    return fmt::format("linerate topo has no '{}'. Did you mean 'place'?", word);
  }
  return refusal;
}

}  // namespace

std::span<const OptionRow> machine_options() { return kMachineRows; }
std::span<const OptionRow> view_options() { return kViewRows; }
std::span<const OptionRow> prediction_options() { return kPredictionRows; }

Result<TopoConfig> parse_topo(const std::vector<std::string>& words) {
  TopoConfig config;
  const auto given = read_options(words, Audience::topo, config);
  if (!given) return Failure{about_place(words, given.sentence())};
  if (const auto refusal = settle_json(config)) return Failure{*refusal};
  if (const auto refusal = refuse_useless(*given, config)) return Failure{*refusal};
  if (const auto refusal = check_view(*given, config)) return Failure{*refusal};
  const bool lints = config.view == TopoView::lint;
  if (const auto refusal = check_machine(config.machine, lints)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
