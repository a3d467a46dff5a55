// linerate topo place: nodes first, then what fits them, then the text.
#include "base/error.h"
#include "base/file.h"
#include "commands/load_machine.h"
#include "commands/topo.h"
#include "topo/place/plan_text.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace linerate {
namespace {

Result<std::string> text_of(const topo::Plan& plan, PlaceFormat format) {
  switch (format) {
    case PlaceFormat::table:
      return topo::plan_text(plan);
    case PlaceFormat::json:
      return topo::plan_json(plan);
    case PlaceFormat::rankfile:
      return topo::rankfile_text(plan);
    case PlaceFormat::mpirun:
      return topo::mpirun_text(plan);
    case PlaceFormat::srun:
      return topo::srun_text(plan);
    case PlaceFormat::env:
      return topo::environment_text(plan);
  }
  __builtin_unreachable();
}

void write_rankfile(const std::string& path, const std::string& text) {
  if (const auto reason = write_whole_file(path, text))
    throw Error(fmt::format("Cannot write {}: {}.", path, *reason), ExitCode::usage);
}

// The cluster's nodes; of one machine as many as are asked for.
Result<topo::Cluster> nodes_of(const MachineChoice& choice) {
  if (choice.source == MachineSource::cluster) return load_cluster(choice);
  const auto loaded = load_machine(choice);
  if (!loaded) return loaded.failure();
  topo::Cluster cluster;
  cluster.groups.push_back(
      {.system = std::make_shared<const topo::System>(as_nccl_takes(choice, *loaded)),
       .count = std::numeric_limits<int>::max()});
  return cluster;
}

// Those of a file are called as the cluster calls them.
topo::Graph first_node(const topo::Cluster& cluster, const topo::NcclVersion& version) {
  auto system = *cluster.groups.front().system;
  if (system.name.empty()) system.name = cluster.groups.front().topology;
  return topo::build_graph(std::move(system), version);
}

// Empty: the job's nodes are there, and alike. What to give instead is counted in what was given.
std::string unfit(const topo::Cluster& cluster, const topo::Graph& node,
                  const topo::PlanRequest& request) {
  const int alike = cluster.identical_to_first(), bindings = topo::max_ranks(node);
  if (request.nnodes > cluster.nnodes()) return more_than_it_has(cluster, request.nnodes);
  const int nnodes = request.nnodes > 0 ? request.nnodes : topo::fewest_nodes(node, request.nranks);
  if (nnodes <= alike) return "";
  const auto instead = request.nnodes > 0
                           ? fmt::format("give --nodes {} at most.", alike)
                           : fmt::format("give --nranks {} at most.", alike * bindings);
  if (nnodes > cluster.nnodes())
    return fmt::format("--nranks {} needs {} nodes, and the cluster has {}: {}", request.nranks,
                       nnodes, cluster.nnodes(), instead);
  return fmt::format(
      "{}, and ranks are placed on nodes that are alike, so that one binding fits all: {}",
      several_kinds(cluster), instead);
}

// Whether switches that a job on the first nodes uses slow anything down.
bool meets_slow_switches(const topo::Cluster& cluster, int nnodes) {
  const auto& fabric = cluster.fabric;
  if (nnodes > 1 && fabric.rack.latency_us > 0) return true;
  const topo::SwitchLevel free{};
  return cluster.rack_of_node(nnodes - 1) > 0 && (fabric.rack != free || fabric.spine != free);
}

// What the costs leave out, where some are shown.
void print_limits(const topo::Cluster& cluster, const topo::Plan& plan, PlaceFormat format) {
  print_caveats(caveats_about(cluster, plan.nnodes));
  const bool shown = format == PlaceFormat::table || format == PlaceFormat::json;
  if (shown && !plan.costs.empty() && meets_slow_switches(cluster, plan.nnodes))
    fmt::print(stderr,
               "linerate: orders are priced as if the switches between nodes slowed nothing "
               "down.\n");
}

}  // namespace

ExitCode topo_place(const CommandInput& input) {
  const std::vector<std::string> words(input.call.words.begin() + 1, input.call.words.end());
  if (answers_help(words, Audience::place)) return ExitCode::ok;
  const auto parsed = parse_place(words);
  if (!parsed) return refuse(parsed.sentence());
  const PlaceConfig& config = *parsed;
  const auto nodes = nodes_of(config.machine);
  if (!nodes) return refuse(nodes.sentence());
  const auto graph = first_node(*nodes, config.machine.version);
  if (const auto why = unfit(*nodes, graph, config.request); !why.empty()) return refuse(why);
  const auto plan = topo::plan_of(graph, config.request);
  if (!plan) return refuse(plan.sentence());
  const auto text = text_of(*plan, config.format);
  if (!text) return refuse(text.sentence());
  if (!config.rankfile.empty()) {
    const auto rankfile = topo::rankfile_text(*plan);
    if (!rankfile) return refuse("--rankfile: " + rankfile.sentence());
    write_rankfile(config.rankfile, *rankfile);
  }
  print_limits(*nodes, *plan, config.format);
  fmt::print("{}", *text);
  return ExitCode::ok;
}

}  // namespace linerate
