// linerate topo: loads a system, and shows what was asked for.
#include "base/error.h"
#include "cli/topo_words.h"
#include "commands/command.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/detect.h"
#include "topo/detect/hwloc_xml.h"
#include "topo/detect/nccl_view.h"
#include "topo/graph/explain.h"
#include "topo/lint/lint.h"
#include "topo/model/job.h"
#include "topo/read/nccl_xml.h"
#include "topo/show/dot.h"
#include "topo/show/json.h"
#include "topo/show/matrix.h"
#include "topo/show/nccl_xml_export.h"
#include "topo/show/prediction.h"
#include "topo/show/sends_text.h"
#include "topo/show/svg.h"
#include "topo/show/tree.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

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

ExitCode predict_sends(const TopoConfig& config, const Graph& graph) {
  const auto refusal = config.sends->refusal;
  const int nranks = static_cast<int>(graph.of(topo::NodeKind::gpu).size()) * config.nnodes;
  if (const auto why = refusal != nullptr ? refusal(nranks) : std::nullopt)
    return refuse("--predict: " + *why);
  fmt::print("{}", topo::sends_text(graph, {.collective = *config.sends,
                                            .nnodes = config.nnodes,
                                            .min_bytes = config.min_bytes,
                                            .max_bytes = config.max_bytes,
                                            .step_factor = config.step_factor}));
  return ExitCode::ok;
}

ExitCode predict(const TopoConfig& config, const Graph& graph) {
  const auto gpus = graph.of(topo::NodeKind::gpu).size();
  if (gpus == 0) return refuse("--predict: there is no GPU, so nothing for NCCL to do.");
  if (gpus * static_cast<std::size_t>(config.nnodes) < 2)
    return refuse("--predict: one GPU alone sends nothing: give --nodes 2 or more.");
  if (config.nnodes > 1 && graph.of(topo::NodeKind::net).empty())
    return refuse("--predict: several nodes need a NIC, and this one has none.");
  if (config.sends != nullptr) return predict_sends(config, graph);
  const auto job = topo::job_of(graph, {.nnodes = config.nnodes});
  fmt::print("{}", topo::prediction_text(job, {.function = config.function,
                                               .reduced = config.reduced,
                                               .min_bytes = config.min_bytes,
                                               .max_bytes = config.max_bytes,
                                               .step_factor = config.step_factor}));
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
      return predict(config, topo::build_graph(as_nccl_takes(config, system), config.version));
    case TopoView::svg:
      write_file(config.out_file, topo::svg_text(graph));
      return ExitCode::ok;
    case TopoView::lint:
      return print_findings(system);
    case TopoView::platforms:  // needs no system
      break;
  }
  __builtin_unreachable();
}

}  // namespace

ExitCode topo_command(const CommandInput& input) {
  const auto config = parse_topo(input.call.words);
  if (!config) return refuse(config.sentence());
  if (!config->help_text.empty()) {
    fmt::print("{}", config->help_text);
    return ExitCode::ok;
  }
  if (config->view == TopoView::platforms) return print_platforms();
  const auto system = load(*config);
  if (!system) return refuse(system.sentence());
  return show(*config, *system, input.environment);
}

}  // namespace linerate
