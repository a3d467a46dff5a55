// linerate topo --graphs: the channels of NCCL's dumps, and where they differ.
#include "commands/load_machine.h"
#include "commands/topo.h"
#include "topo/show/graph_dumps.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using topo::GraphDump;

ExitCode print_differences(const GraphDump& one, const GraphDump& other) {
  const auto lines = topo::differences(one, other);
  if (lines.empty()) {
    fmt::print("{} and {}: the same channels\n", one.source, other.source);
    return ExitCode::ok;
  }
  fmt::print("{} and {} differ:\n", one.source, other.source);
  for (const auto& line : lines) fmt::print("  {}\n", line);
  return ExitCode::finding;
}

// Beside what the search here finds on the machine that was named.
ExitCode compare_with_machine(const TopoConfig& config, const GraphDump& dump) {
  auto system = load_machine(config.machine);
  if (!system) return refuse(system.sentence());
  auto taken = as_nccl_takes(config.machine, *system);
  if (taken.name.empty()) taken.name = config.machine.name;
  const auto graph = topo::build_graph(std::move(taken), config.machine.version);
  return print_differences(dump, topo::searched_dump(graph, dump.multi_node()));
}

}  // namespace

ExitCode show_graphs(const TopoConfig& config) {
  std::vector<GraphDump> dumps;
  for (const auto& file : config.graph_files) {
    auto dump = topo::load_graph_xml(file);
    if (!dump) return refuse("--graphs: " + dump.sentence());
    dumps.push_back(std::move(dump).value());
  }
  if (dumps.size() == 2) return print_differences(dumps[0], dumps[1]);
  if (config.machine.source != MachineSource::this_machine)
    return compare_with_machine(config, dumps.front());
  fmt::print("{}", topo::dump_text(dumps.front()));
  return ExitCode::ok;
}

}  // namespace linerate
