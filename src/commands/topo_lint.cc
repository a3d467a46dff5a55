// linerate topo --lint: of one machine, of several files, of a cluster's nodes.
#include "commands/load_machine.h"
#include "commands/topo.h"
#include "topo/lint/lint.h"
#include "topo/show/views.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

ExitCode report_on(const TopoConfig& config, const std::vector<topo::LintedNode>& nodes) {
  const auto report = topo::lint_nodes(nodes);
  fmt::print("{}", config.as_json ? topo::lint_json(report) : topo::lint_text(report));
  return report.has_warning() ? ExitCode::finding : ExitCode::ok;
}

// Of each file its own choice.
std::vector<MachineChoice> single_machines(const MachineChoice& machine) {
  std::vector<MachineChoice> single{machine};
  single.front().more.clear();
  for (const auto& file : machine.more) {
    single.push_back(single.front());
    single.back().name = file;
  }
  return single;
}

std::string nodes_text(int first, const topo::NodeGroup& group) {
  if (group.count == 1) return fmt::format("node {} ({})", first, group.topology);
  return fmt::format("nodes {}-{} ({})", first, first + group.count - 1, group.topology);
}

}  // namespace

ExitCode lint_machines(const TopoConfig& config) {
  std::vector<topo::System> systems;
  std::vector<topo::LintedNode> nodes;
  const auto machines = single_machines(config.machine);
  systems.reserve(machines.size());  // nodes point into them
  for (const auto& machine : machines) {
    auto system = load_machine(machine);
    if (!system) return refuse(system.sentence());
    systems.push_back(std::move(system).value());
    nodes.push_back({.name = machine.name, .system = &systems.back()});
  }
  return report_on(config, nodes);
}

ExitCode lint_cluster(const TopoConfig& config, const topo::Cluster& cluster) {
  std::vector<topo::LintedNode> nodes;
  int first = 0;
  for (const auto& group : cluster.groups) {
    nodes.push_back(
        {.name = nodes_text(first, group), .system = group.system.get(), .count = group.count});
    first += group.count;
  }
  return report_on(config, nodes);
}

}  // namespace linerate
