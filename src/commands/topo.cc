// linerate topo: loads a system, and shows what was asked for.
#include "base/error.h"
#include "cli/topo_words.h"
#include "commands/command.h"
#include "commands/topo_measure.h"
#include "commands/topo_place.h"
#include "commands/topo_predict.h"
#include "topo/cluster/cluster_file.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/detect.h"
#include "topo/detect/hwloc_xml.h"
#include "topo/detect/nccl_view.h"
#include "topo/graph/explain.h"
#include "topo/lint/lint.h"
#include "topo/read/nccl_xml.h"
#include "topo/show/cluster.h"
#include "topo/show/dot.h"
#include "topo/show/json.h"
#include "topo/show/matrix.h"
#include "topo/show/nccl_xml_export.h"
#include "topo/show/svg.h"
#include "topo/show/tree.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace linerate {
namespace {

using topo::Graph;
using topo::System;

Result<System> load(const TopoConfig& config) {
  switch (config.source) {
    case TopoSource::nccl_file:
      return topo::load_nccl_xml(config.source_name);
    case TopoSource::platform:
      return topo::built_in_platform(config.source_name);
    case TopoSource::this_machine:
      return topo::detect();
    case TopoSource::saved_root:
      if (!std::filesystem::is_directory(config.source_name))
        return Failure{fmt::format("--root: there is no folder {}.", config.source_name)};
      return topo::detect({.root = config.source_name});
    case TopoSource::hwloc_file:
      return topo::load_hwloc_xml(config.source_name);
    case TopoSource::cluster:  // has several
      break;
  }
  __builtin_unreachable();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw Error(fmt::format("Cannot write {}.", path), ExitCode::usage);
}

ExitCode print_platforms() {
  for (const auto& platform : topo::platforms())
    fmt::print("{:<14} {}\n", platform.name, platform.about);
  return ExitCode::ok;
}

ExitCode explain(const TopoConfig& config, const Graph& graph) {
  const auto from = graph.find(config.ends.first);
  if (!from) return refuse("--explain: " + from.sentence());
  const auto to = graph.find(config.ends.second);
  if (!to) return refuse("--explain: " + to.sentence());
  fmt::print("{}", topo::explain(graph, topo::Paths(graph), *from, *to));
  return ExitCode::ok;
}

ExitCode export_nccl(const TopoConfig& config, const System& system) {
  const auto text = topo::nccl_xml_of(system);
  if (!text) return refuse("--export-nccl: " + text.sentence());
  write_file(config.out_file, *text);
  return ExitCode::ok;
}

// Colours and the width of a terminal, where stdout is one (https://no-color.org).
topo::TreeOptions tree_options(const Environment& environment) {
  if (isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {.color = environment.get("NO_COLOR").value_or("").empty(), .width = size.ws_col};
}

ExitCode print_findings(const System& system) {
  const auto findings = topo::lint(system);
  for (const auto& finding : findings)
    fmt::print("{}: {}: {} {}\n", finding.rule, finding.subject, finding.seen, finding.advice);
  if (!findings.empty()) return ExitCode::finding;
  fmt::print("nothing looks wrong, as far as could be seen\n");
  for (const auto& sentence : system.unseen) fmt::print("not seen: {}\n", sentence);
  return ExitCode::ok;
}

ExitCode print(const std::string& text) {
  fmt::print("{}", text);
  return ExitCode::ok;
}

// What was detected is what there is; NCCL takes of it what it needs.
System as_nccl_takes(const TopoConfig& config, const System& system) {
  const bool detected =
      config.source == TopoSource::this_machine || config.source == TopoSource::saved_root;
  return detected ? topo::nccl_view(system) : system;
}

Result<System> load_for_nccl(const TopoConfig& config) {
  auto system = load(config);
  return system ? as_nccl_takes(config, *system) : system;
}

ExitCode show(const TopoConfig& config, const System& system, const Environment& environment) {
  const auto graph = topo::build_graph(system, config.version);
  switch (config.view) {
    case TopoView::tree:
      return print(topo::tree_text(graph, tree_options(environment)));
    case TopoView::matrix:
      return print(topo::matrix_text(graph, topo::Paths(graph),
                                     {.gbps = config.gbps, .all_hosts = config.all_hosts}));
    case TopoView::dot:
      return print(topo::dot_text(graph));
    case TopoView::json:
      return print(topo::json_text(graph, topo::Paths(graph)));
    case TopoView::nccl_xml:
      return export_nccl(config, as_nccl_takes(config, system));
    case TopoView::explanation:
      return explain(config, topo::build_graph(as_nccl_takes(config, system), config.version));
    case TopoView::prediction:
      return predict_on_nodes(config, as_nccl_takes(config, system));
    case TopoView::svg:
      write_file(config.out_file, topo::svg_text(graph));
      return ExitCode::ok;
    case TopoView::lint:
      return print_findings(system);
    case TopoView::measurement:  // these need no system
    case TopoView::platforms:
      break;
  }
  __builtin_unreachable();
}

// The views of one machine show a cluster whose nodes are all alike.
ExitCode show_node(const TopoConfig& config, const topo::Cluster& cluster,
                   const Environment& environment) {
  std::string names;
  for (const auto& group : cluster.groups)
    if (group.system != cluster.groups.front().system)
      names += (names.empty() ? cluster.groups.front().topology + ", " : ", ") + group.topology;
  if (names.empty()) return show(config, *cluster.groups.front().system, environment);
  return refuse(
      fmt::format("--cluster: its nodes are of several kinds ({}), and this view shows "
                  "one: give --platform or --nccl-xml with one of them, or no view, or "
                  "--predict.",
                  names));
}

ExitCode show_cluster(const TopoConfig& config, const Environment& environment) {
  const auto detect = []() -> Result<System> { return topo::nccl_view(topo::detect()); };
  auto cluster = topo::read_cluster(config.source_name, detect);
  if (!cluster) return refuse(cluster.sentence());
  if (config.view == TopoView::prediction)
    return predict_on_cluster(config, std::move(cluster).value());
  if (config.view == TopoView::tree) return print(topo::cluster_text(*cluster, config.version));
  return show_node(config, *cluster, environment);
}

}  // namespace

ExitCode topo_command(const CommandInput& input) {
  if (!input.call.words.empty() && input.call.words.front() == "place")
    return topo_place(input, load_for_nccl);
  const auto config = parse_topo(input.call.words);
  if (!config) return refuse(config.sentence());
  if (!config->help_text.empty()) {
    fmt::print("{}", config->help_text);
    return ExitCode::ok;
  }
  if (config->view == TopoView::platforms) return print_platforms();
  if (config->source == TopoSource::cluster) return show_cluster(*config, input.environment);
  if (config->view == TopoView::measurement) return measure_machine(input, *config);
  const auto system = load(*config);
  if (!system) return refuse(system.sentence());
  return show(*config, *system, input.environment);
}

}  // namespace linerate
