// linerate topo: loads a system, and shows what was asked for.
#include "cli/topo_words.h"
#include "commands/cluster_words.h"
#include "commands/command.h"
#include "commands/load_machine.h"
#include "commands/topo_measure.h"
#include "commands/topo_place.h"
#include "commands/topo_predict.h"
#include "commands/topo_show.h"
#include "topo/cluster/platforms.h"
#include "topo/show/cluster.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace linerate {
namespace {

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
  if (config.view == TopoView::tree) {
    fmt::print("{}", topo::cluster_text(*cluster, config.machine.version));
    return ExitCode::ok;
  }
  return show_node(config, *cluster, environment);
}

}  // namespace

ExitCode topo_command(const CommandInput& input) {
  if (!input.call.words.empty() && input.call.words.front() == "place") return topo_place(input);
  const auto config = parse_topo(input.call.words);
  if (!config) return refuse(config.sentence());
  if (!config->help_text.empty()) {
    fmt::print("{}", config->help_text);
    return ExitCode::ok;
  }
  if (config->view == TopoView::platforms) return print_platforms();
  if (config->machine.source == MachineSource::cluster)
    return show_cluster(*config, input.environment);
  if (config->view == TopoView::measurement) return measure_machine(input, *config);
  const auto system = load_machine(config->machine);
  if (!system) return refuse(system.sentence());
  return show_system(*config, *system, input.environment);
}

}  // namespace linerate
