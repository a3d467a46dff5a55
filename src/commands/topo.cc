// linerate topo: loads a system, and shows what was asked for.
#include "commands/topo.h"

#include "base/file.h"
#include "base/text.h"
#include "commands/load_machine.h"
#include "commands/report.h"
#include "topo/cluster/platforms.h"
#include "topo/graph/paths.h"
#include "topo/show/views.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

using topo::Graph;
using topo::System;

// A folder that is not there is a name mistyped.
ExitCode write_view(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path() && !std::filesystem::exists(path.parent_path()))
    return refuse(fmt::format("Cannot write {}: there is no folder {}.", path.string(),
                              path.parent_path().string()));
  if (const auto failed = write_whole_file(path, text))
    return refuse(fmt::format("Cannot write {}: {}.", path.string(), *failed));
  return ExitCode::ok;
}

// Colours and the width of a terminal, where stdout is one (https://no-color.org).
topo::TreeOptions tree_options(const Environment& environment) {
  if (isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {.color = environment.get("NO_COLOR").value_or("").empty(), .width = size.ws_col};
}

ExitCode print(const std::string& text) {
  fmt::print("{}", text);
  return ExitCode::ok;
}

// One end of a path that NCCL may take. A port that only the other views show is told as such.
Result<int> end_called(const std::string& name, const Graph& graph, const Graph& whole) {
  auto end = graph.find(name);
  const auto port = whole.find(name);
  if (end || !port || whole.node(*port).net == nullptr) return end;
  const topo::PortUse use(whole.system());
  const auto& net = *whole.node(*port).net;
  if (use.takes(net)) return end;
  return Failure{fmt::format("{} has no paths, because {}: {}.", plain_text(name), topo::kLeftOut,
                             plain_text(use.why_not(net)))};
}

ExitCode explain(const TopoConfig& config, const System& system) {
  const auto graph =
      topo::build_graph(as_nccl_takes(config.machine, system), config.machine.version);
  const auto whole = topo::build_graph(system, config.machine.version);
  const auto from = end_called(config.ends[0], graph, whole);
  if (!from) return refuse("--explain: " + from.sentence());
  const auto to = end_called(config.ends[1], graph, whole);
  if (!to) return refuse("--explain: " + to.sentence());
  fmt::print("{}", topo::explain(graph, topo::Paths(graph), *from, *to));
  return ExitCode::ok;
}

ExitCode export_nccl(const TopoConfig& config, const System& system) {
  const auto text = topo::nccl_xml_of(system);
  if (!text) return refuse("--export-nccl: " + text.sentence());
  return write_view(config.out_file, *text);
}

// Python draws what --json prints.
ExitCode draw(const std::filesystem::path& path, const std::string& json,
              const Environment& environment) {
  constexpr ReportScript kDrawing{"topology.py", "a Python 3: it draws the picture"};
  return write_view(path, run_script(kDrawing, command_of(kDrawing, environment), json));
}

std::string json_of(const Graph& graph) { return topo::json_text(graph, topo::Paths(graph)); }

// As the views that show a system as it is.
std::string text_of(const TopoConfig& config, const Graph& graph, const Environment& environment) {
  if (config.view == TopoView::matrix)
    return topo::matrix_text(graph, topo::Paths(graph),
                             {.gbps = config.gbps, .all_hosts = config.all_hosts});
  if (config.view == TopoView::dot) return topo::dot_text(graph);
  if (config.view == TopoView::json) return json_of(graph);
  return topo::tree_text(graph, tree_options(environment));
}

// Prints the view, or writes its file. REQUIRES: a view of a system.
ExitCode show_system(const TopoConfig& config, const System& system,
                     const Environment& environment) {
  const auto graph = [&] { return topo::build_graph(system, config.machine.version); };
  switch (config.view) {
    case TopoView::tree:
    case TopoView::matrix:
    case TopoView::dot:
    case TopoView::json:
      return print(text_of(config, graph(), environment));
    case TopoView::svg:
      return draw(config.out_file, json_of(graph()), environment);
    case TopoView::nccl_xml:
      return export_nccl(config, as_nccl_takes(config.machine, system));
    case TopoView::explanation:
      return explain(config, system);
    case TopoView::prediction:
      return predict_on_nodes(config, as_nccl_takes(config.machine, system));
    case TopoView::lint:
    case TopoView::graphs:
    case TopoView::measurement:  // these come from elsewhere
    case TopoView::platforms:
      break;
  }
  __builtin_unreachable();
}

ExitCode print_platforms() {
  for (const auto& platform : topo::platforms())
    fmt::print("{:<14} {}\n", platform.name, platform.about);
  return ExitCode::ok;
}

// The views of one machine show a cluster whose nodes are all alike.
ExitCode show_node(const TopoConfig& config, const topo::Cluster& cluster,
                   const Environment& environment) {
  if (cluster.identical_to_first() == cluster.nnodes())
    return show_system(config, *cluster.groups.front().system, environment);
  return refuse(several_kinds(cluster) +
                ", and this view shows one: give --platform or --nccl-xml with one of them, or no "
                "view, or --predict.");
}

ExitCode show_cluster(const TopoConfig& config, const Environment& environment) {
  auto cluster = load_cluster(config.machine);
  if (!cluster) return refuse(cluster.sentence());
  if (config.view == TopoView::prediction)
    return predict_on_cluster(config, std::move(cluster).value());
  if (config.view == TopoView::lint) return lint_cluster(config, *cluster);
  const auto& version = config.machine.version;
  if (config.view == TopoView::tree) return print(topo::cluster_text(*cluster, version));
  if (config.view == TopoView::json) return print(topo::cluster_json(*cluster, version));
  if (config.view == TopoView::svg)
    return draw(config.out_file, topo::cluster_json(*cluster, version), environment);
  return show_node(config, *cluster, environment);
}

}  // namespace

ExitCode topo_command(const CommandInput& input) {
  if (!input.call.words.empty() && input.call.words.front() == "place") return topo_place(input);
  if (answers_help(input.call.words, Audience::topo)) return ExitCode::ok;
  const auto parsed = parse_topo(input.call.words);
  if (!parsed) return refuse(parsed.sentence());
  TopoConfig config = *parsed;
  if (config.view == TopoView::prediction)
    if (const auto refusal = read_nccl_environment(input.environment, config))
      return refuse(*refusal);
  if (config.view == TopoView::platforms) return print_platforms();
  if (config.view == TopoView::graphs) return show_graphs(config);
  if (config.machine.source == MachineSource::cluster)
    return show_cluster(config, input.environment);
  if (config.view == TopoView::measurement) return measure_machine(input, config);
  if (config.view == TopoView::lint) return lint_machines(config);
  const auto system = load_machine(config.machine);
  if (!system) return refuse(system.sentence());
  return show_system(config, *system, input.environment);
}

}  // namespace linerate
