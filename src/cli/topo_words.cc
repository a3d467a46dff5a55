// See topo_words.h.
#include "cli/topo_words.h"

#include "base/text.h"
#include "cli/node_counts.h"
#include "cli/sub_command.h"
#include "cli/values.h"
#include "topo/model/send_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kMostNodes = 65536, kMostFactor = 1024;

// The words as they were typed.
struct TopoTexts {
  std::string root, hwloc, nccl_xml, platform, cluster;
  std::string svg, nccl_out;
  std::vector<std::string> explain;
  std::string predict;
  bool gbps = false, all_hosts = false;
  bool matrix = false, dot = false, json = false, lint = false, platforms = false, measure = false;
  std::string type = "float", op = "sum";
  std::string version = "2.28";
  std::string min_bytes = "8", max_bytes = "8G", step_factor = "4", nnodes;
};

void describe_sources(CLI::App& app, TopoTexts& texts) {
  app.add_option("--root", texts.root, "a saved copy of another machine's /sys and /proc");
  app.add_option("--hwloc", texts.hwloc, "a machine as hwloc wrote it (lstopo FILE.xml)");
  app.add_option("--nccl-xml", texts.nccl_xml,
                 "a machine as NCCL wrote it (NCCL_TOPO_DUMP_FILE), or a file made by hand");
  app.add_option("--platform", texts.platform, "a built-in node; --list-platforms names them");
  app.add_option("--cluster", texts.cluster, "many nodes and their network, in YAML");
}

void describe_views(CLI::App& app, TopoTexts& texts) {
  app.add_flag("--matrix", texts.matrix, "path types between GPUs and NICs, and their cores");
  app.add_flag("--gbps", texts.gbps, "--matrix: bandwidths instead of path types");
  app.add_flag("--all-hosts", texts.all_hosts,
               "--matrix: every host of a rack, not one of those that look alike");
  app.add_flag("--dot", texts.dot, "the graph for Graphviz");
  app.add_option("--svg", texts.svg, "write a picture into FILE");
  app.add_flag("--json", texts.json,
               "system, links and paths, or with --predict its rows, as JSON");
  app.add_option("--export-nccl", texts.nccl_out,
                 "write a topology file that NCCL accepts as NCCL_TOPO_FILE");
  app.add_option("--explain", texts.explain,
                 "the path between two devices, hop by hop, such as GPU3 mlx5_2")
      ->expected(2);
  app.add_flag("--lint", texts.lint, "what looks wrong; exit code 3 where something does");
  app.add_option("--predict", texts.predict,
                 "a collective: time, algorithm, protocol, channels and busbw that NCCL's cost "
                 "model gives, by size, and where its choice changes; a bound for collectives that "
                 "NCCL makes of sends (alltoall, gather, scatter, sendrecv, hypercube)");
  app.add_flag("--measure", texts.measure,
               "what this machine gives, by measuring for some seconds: bandwidth by size and by "
               "cores, the way of a cache line; as a job on several nodes, TCP between them; with "
               "--json as JSON");
  app.add_flag("--list-platforms", texts.platforms, "the built-in nodes");
}

void describe_topo(CLI::App& app, TopoTexts& texts) {
  app.name("linerate topo");
  describe_sources(app, texts);
  describe_views(app, texts);
  app.add_option("--nccl", texts.version, "the version of NCCL that is asked for")
      ->capture_default_str();
  app.add_option("-b,--minbytes", texts.min_bytes, "--predict: smallest size")
      ->capture_default_str();
  app.add_option("-e,--maxbytes", texts.max_bytes, "--predict: largest size")
      ->capture_default_str();
  app.add_option("-f,--stepfactor", texts.step_factor, "--predict: from one size to the next")
      ->capture_default_str();
  app.add_option("-d,--datatype", texts.type, "--predict: element type")->capture_default_str();
  app.add_option("-o,--op", texts.op, "--predict: reduction operator")->capture_default_str();
  app.add_option(
      "--nodes", texts.nnodes,
      "--predict: numbers of such nodes, or of the first ones of a cluster: 16, 1,2,8 or "
      "1:4096, which doubles; without it one, or all of the cluster");
}

// At most one of them may be given.
struct Given {
  std::string_view option;
  bool is_given;
};

Refusal at_most_one(std::span<const Given> all, std::string_view what) {
  const Given* first = nullptr;
  for (const auto& given : all) {
    if (!given.is_given) continue;
    if (first != nullptr)
      return fmt::format("{} and {} exclude each other: give one {}.", first->option, given.option,
                         what);
    first = &given;
  }
  return {};
}

Refusal read_source(const TopoTexts& texts, TopoConfig& config) {
  const std::array rows{
      std::tuple{"--root", &texts.root, TopoSource::saved_root},
      std::tuple{"--hwloc", &texts.hwloc, TopoSource::hwloc_file},
      std::tuple{"--nccl-xml", &texts.nccl_xml, TopoSource::nccl_file},
      std::tuple{"--platform", &texts.platform, TopoSource::platform},
      std::tuple{"--cluster", &texts.cluster, TopoSource::cluster},
  };
  std::vector<Given> given;
  for (const auto& [option, text, source] : rows) {
    given.push_back({option, !text->empty()});
    if (text->empty()) continue;
    config.source = source;
    config.source_name = *text;
  }
  return at_most_one(given, "machine");
}

Refusal read_view(const TopoTexts& texts, TopoConfig& config) {
  const std::array rows{
      std::tuple{"--matrix", texts.matrix, TopoView::matrix},
      std::tuple{"--dot", texts.dot, TopoView::dot},
      std::tuple{"--svg", !texts.svg.empty(), TopoView::svg},
      std::tuple{"--json", texts.json && texts.predict.empty() && !texts.measure, TopoView::json},
      std::tuple{"--export-nccl", !texts.nccl_out.empty(), TopoView::nccl_xml},
      std::tuple{"--explain", !texts.explain.empty(), TopoView::explanation},
      std::tuple{"--lint", texts.lint, TopoView::lint},
      std::tuple{"--predict", !texts.predict.empty(), TopoView::prediction},
      std::tuple{"--measure", texts.measure, TopoView::measurement},
      std::tuple{"--list-platforms", texts.platforms, TopoView::platforms},
  };
  std::vector<Given> given;
  for (const auto& [option, is_given, view] : rows) {
    given.push_back({option, is_given});
    if (is_given) config.view = view;
  }
  config.as_json = texts.json;
  if (texts.measure && config.source != TopoSource::this_machine)
    return "--measure measures this machine: leave the other one out.";
  config.gbps = texts.gbps;
  config.all_hosts = texts.all_hosts;
  if ((config.gbps || config.all_hosts) && config.view != TopoView::matrix)
    return "--gbps and --all-hosts belong to --matrix.";
  config.out_file = texts.svg.empty() ? texts.nccl_out : texts.svg;
  if (!texts.explain.empty()) config.ends = {texts.explain[0], texts.explain[1]};
  return at_most_one(given, "view");
}

Refusal read_version(const TopoTexts& texts, TopoConfig& config) {
  const auto version = topo::parse_nccl_version(texts.version);
  if (!version) return "--nccl: " + version.sentence();
  config.version = *version;
  return {};
}

// all_to_all, alltoall_perf or alltoall.
const Collective* collective_called(const std::string& text) {
  const auto* const found = find_collective(text);
  return found != nullptr ? found : find_collective(text + "_perf");
}

Refusal read_collective(const TopoTexts& texts, TopoConfig& config) {
  const auto* const collective = collective_called(texts.predict);
  const std::string_view name = collective != nullptr ? collective->name : texts.predict;
  auto names = topo::collectives_made_of_sends();
  if (collective != nullptr && topo::is_made_of_sends(*collective)) config.sends = collective;
  for (const auto function : topo::kAllFunctions) {
    names.push_back(name_of(function));
    if (name_of(function) == name) config.function = function;
  }
  if (std::ranges::count(names, name) > 0) return {};
  return "--predict: " + unknown_choice("collective", texts.predict, names);
}

Refusal read_reduction(const TopoTexts& texts, TopoConfig& config) {
  const auto type = parse_data_type(texts.type);
  if (!type) return "-d/--datatype: " + type.sentence();
  const auto op = parse_red_op(texts.op);
  if (!op) return "-o/--op: " + op.sentence();
  config.reduced = {*type, *op};
  return {};
}

Refusal read_prediction(const TopoTexts& texts, TopoConfig& config) {
  if (config.view != TopoView::prediction) {
    if (!texts.nnodes.empty()) return "--nodes: give --predict COLLECTIVE with it.";
    return {};
  }
  for (const auto read : {read_collective, read_reduction})
    if (auto refusal = read(texts, config)) return refusal;
  if (auto refusal = set_bytes({"-b/--minbytes", texts.min_bytes}, 1, config.min_bytes))
    return refusal;
  if (auto refusal = set_bytes({"-e/--maxbytes", texts.max_bytes}, 1, config.max_bytes))
    return refusal;
  if (config.max_bytes < config.min_bytes) return "-e/--maxbytes must not be below -b/--minbytes.";
  if (auto refusal =
          set_whole({"-f/--stepfactor", texts.step_factor}, {2, kMostFactor}, config.step_factor))
    return refusal;
  config.as_json = texts.json;
  if (texts.nnodes.empty()) return {};
  return set_node_counts({"--nodes", texts.nnodes}, {1, kMostNodes}, config.nnodes);
}

}  // namespace

std::string topo_markdown() {
  CLI::App app;
  TopoTexts texts;
  describe_topo(app, texts);
  return "## linerate topo\n\n"
         "What this machine, another one or a built-in node is made of, and what NCCL makes of it: "
         "[topology](topology.md).\n\n" +
         options_markdown(app);
}

Result<TopoConfig> parse_topo(const std::vector<std::string>& words) {
  CLI::App app(
      "What this machine is made of, how its parts are linked, and how fast NCCL should "
      "be on it. `linerate topo place --help`: how ranks are bound to it.");
  TopoTexts texts;
  TopoConfig config;
  describe_topo(app, texts);
  const auto asked = read_words(app, words, "linerate topo");
  if (!asked.refusal.empty()) return Failure{asked.refusal};
  config.help_text = asked.help;
  if (!config.help_text.empty()) return config;
  for (const auto read : {read_source, read_view, read_version, read_prediction})
    if (auto refusal = read(texts, config)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
