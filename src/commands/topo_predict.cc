// linerate topo --predict: rows for each number of nodes.
#include "commands/load_machine.h"
#include "commands/topo.h"
#include "topo/cluster/cluster_predictor.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/show/prediction.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using topo::ClusterNodes;
using topo::ClusterPredictor;
using topo::PredictedRow;

topo::PredictionRange range_of(const TopoConfig& config) {
  return {.function = config.function,
          .reduced = config.reduced,
          .min_bytes = config.min_bytes,
          .max_bytes = config.max_bytes,
          .step_factor = config.step_factor};
}

std::vector<PredictedRow> rows_of(ClusterNodes& nodes, const TopoConfig& config,
                                  const std::vector<int>& counts) {
  std::vector<PredictedRow> rows;
  for (const int nnodes : counts) {
    ClusterPredictor predictor(nodes, nnodes);
    const auto more = predicted_rows(predictor, range_of(config));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

// One number of nodes: with the channels found, and where the choice changes.
std::string text_of_one(ClusterNodes& nodes, const TopoConfig& config, int nnodes) {
  ClusterPredictor predictor(nodes, nnodes);
  const auto range = range_of(config);
  return topo::channels_text(predictor.nccl().job()) +
         topo::prediction_table(predicted_rows(predictor, range), config.function,
                                {.bound_by = config.machine.source == MachineSource::cluster}) +
         topo::crossovers_text(predictor.nccl(), range);
}

// NCCL 2.30 ends with an error where 2.29 goes on (src/init.cc, NCCL_IGNORE_NET_MISMATCH).
void warn_of_mixed_nics(const ClusterNodes& nodes, const TopoConfig& config, int nnodes) {
  if (config.machine.version >= topo::NcclVersion{2, 30, 0} && nodes.nics_differ(nnodes))
    fmt::print(stderr,
               "linerate: nodes have different numbers of NICs: NCCL {} refuses that unless "
               "NCCL_IGNORE_NET_MISMATCH=1 is set.\n",
               text_of(config.machine.version));
}

// Why there is no bound for sends; empty: there is one.
std::string no_p2p_bound(const TopoConfig& config, const topo::Cluster& cluster, int nranks,
                         int nnodes) {
  if (const int most = cluster.identical_to_first(); nnodes > most)
    return fmt::format("sends have a bound on nodes that are alike: give --nodes {} at most.",
                       most);
  const auto refusal = config.p2p_collective->refusal;
  return (refusal != nullptr ? refusal(nranks) : std::nullopt).value_or("");
}

// What is asked for, and what it rests on that nobody has told.
struct Asked {
  const std::vector<int>& counts;
  const std::vector<std::string>& caveats;
};

ExitCode predict_p2p(const TopoConfig& config, const ClusterNodes& nodes, const Asked& asked) {
  const auto& counts = asked.counts;
  const auto& cluster = nodes.cluster();
  const auto graph = topo::build_graph(*cluster.groups.front().system, config.machine.version);
  const int gpus = static_cast<int>(graph.of(topo::NodeKind::gpu).size());
  for (const int nnodes : counts)
    if (const auto why = no_p2p_bound(config, cluster, gpus * nnodes, nnodes); !why.empty())
      return refuse("--predict: " + why);
  std::vector<topo::P2pRow> rows;
  for (const int nnodes : counts) {
    const topo::P2pModel model(graph, nnodes);
    const auto costs = topo::costs_on(cluster, nodes.links(), model, *config.p2p_collective);
    const auto more = topo::p2p_rows(graph, costs,
                                     {.collective = *config.p2p_collective,
                                      .nnodes = nnodes,
                                      .min_bytes = config.min_bytes,
                                      .max_bytes = config.max_bytes,
                                      .step_factor = config.step_factor});
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const topo::P2pRowsOf of{*config.p2p_collective, config.machine.version, counts, gpus,
                           asked.caveats};
  fmt::print("{}", config.as_json ? topo::p2p_json(rows, of) : topo::p2p_table(rows, of));
  return ExitCode::ok;
}

ExitCode predict(const TopoConfig& config, ClusterNodes nodes, const std::vector<int>& counts) {
  for (const int nnodes : counts)
    if (const auto why = nodes.unfit(nnodes); !why.empty()) return refuse("--predict: " + why);
  const auto caveats = caveats_about(nodes.cluster(), counts.back());
  print_caveats(caveats);
  if (config.p2p_collective != nullptr) return predict_p2p(config, nodes, {counts, caveats});
  warn_of_mixed_nics(nodes, config, counts.back());
  if (config.as_json)
    fmt::print("{}", topo::prediction_json(rows_of(nodes, config, counts), config.function,
                                           config.machine.version, caveats));
  else if (counts.size() == 1)
    fmt::print("{}", text_of_one(nodes, config, counts.front()));
  else
    fmt::print("{}",
               topo::prediction_table(
                   rows_of(nodes, config, counts), config.function,
                   {.nodes = true, .bound_by = config.machine.source == MachineSource::cluster}));
  return ExitCode::ok;
}

}  // namespace

ExitCode predict_on_cluster(const TopoConfig& config, topo::Cluster cluster) {
  const int all = cluster.nnodes();
  const auto counts = config.nnodes.empty() ? std::vector{all} : config.nnodes;
  if (counts.back() > all) return refuse(more_than_it_has(cluster, counts.back()));
  return predict(config, ClusterNodes(std::move(cluster), config.machine.version), counts);
}

ExitCode predict_on_nodes(const TopoConfig& config, topo::System system) {
  const auto counts = config.nnodes.empty() ? std::vector{1} : config.nnodes;
  const auto name = config.machine.name.empty() ? "this machine" : config.machine.name;
  topo::Cluster cluster;
  cluster.groups.push_back({.topology = name,
                            .system = std::make_shared<const topo::System>(std::move(system)),
                            .count = counts.back()});
  return predict(config, ClusterNodes(std::move(cluster), config.machine.version), counts);
}

}  // namespace linerate
