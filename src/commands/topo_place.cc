// See topo_place.h.
#include "commands/topo_place.h"

#include "base/error.h"
#include "base/whole_file.h"
#include "cli/place_words.h"
#include "commands/load_machine.h"
#include "commands/topo_doubts.h"
#include "topo/cluster/cluster_file.h"
#include "topo/detect/detect.h"
#include "topo/detect/nccl_view.h"
#include "topo/place/launch_words.h"
#include "topo/place/show_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
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
      return topo::mpirun_words(plan);
    case PlaceFormat::srun:
      return topo::srun_words(plan);
    case PlaceFormat::env:
      return topo::environment_text(plan);
  }
  __builtin_unreachable();
}

void write_rankfile(const std::string& path, const std::string& text) {
  if (const auto reason = write_whole_file(path, text))
    throw Error(fmt::format("Cannot write {}: {}.", path, *reason), ExitCode::usage);
}

// The kinds of nodes that the cluster's first ones have, each once.
std::string kinds_of(const topo::Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& group : cluster.groups)
    if (std::ranges::count(names, group.topology) == 0) names.push_back(group.topology);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Empty: the job's nodes are there, and alike.
std::string unfit(const topo::Cluster& cluster, int nnodes) {
  if (nnodes > cluster.nnodes())
    return fmt::format("--nodes {} is more than the cluster has: give at most {}.", nnodes,
                       cluster.nnodes());
  if (nnodes > cluster.first_alike())
    return fmt::format(
        "--cluster: its nodes are of several kinds ({}), and ranks are placed on nodes that are "
        "alike, so that one binding fits all: give --nodes {} at most.",
        kinds_of(cluster), cluster.first_alike());
  return "";
}

// The cluster's first nodes: all of them where --nodes does not say how many.
Result<topo::System> node_of_cluster(PlaceConfig& config) {
  const auto detect = []() -> Result<topo::System> { return topo::nccl_view(topo::detect()); };
  const auto cluster = topo::read_cluster(config.machine.name, detect);
  if (!cluster) return cluster.failure();
  int& nnodes = config.request.nnodes;
  if (nnodes == 0) nnodes = cluster->nnodes();
  if (auto why = unfit(*cluster, nnodes); !why.empty()) return Failure{std::move(why)};
  if (nnodes > 1 &&
      (cluster->fabric.rack != topo::SwitchLevel{} || cluster->fabric.spine != topo::SwitchLevel{}))
    fmt::print(stderr,
               "linerate: orders are priced as if the switches between nodes slowed "
               "nothing down.\n");
  return *cluster->groups.front().system;
}

Result<topo::System> node_of(PlaceConfig& config) {
  if (config.machine.source == MachineSource::cluster) return node_of_cluster(config);
  const auto loaded = load_machine(config.machine);
  return loaded ? as_nccl_takes(config.machine, *loaded) : loaded;
}

}  // namespace

ExitCode topo_place(const CommandInput& input) {
  const auto& words = input.call.words;
  auto parsed = parse_place({words.begin() + 1, words.end()});
  if (!parsed) return refuse(parsed.sentence());
  PlaceConfig config = std::move(parsed).value();
  if (!config.help_text.empty()) {
    fmt::print("{}", config.help_text);
    return ExitCode::ok;
  }
  const auto system = node_of(config);
  if (!system) return refuse(system.sentence());
  const auto graph = topo::build_graph(*system, config.machine.version);
  const auto plan = topo::plan_of(graph, config.request);
  if (!plan) return refuse(plan.sentence());
  const auto text = text_of(*plan, config.format);
  if (!text) return refuse(text.sentence());
  if (!config.rankfile.empty()) {
    const auto rankfile = topo::rankfile_text(*plan);
    if (!rankfile) return refuse("--rankfile: " + rankfile.sentence());
    write_rankfile(config.rankfile, *rankfile);
  }
  tell_doubts(doubts_about(*system, plan->nnodes > 1));
  fmt::print("{}", *text);
  return ExitCode::ok;
}

}  // namespace linerate
