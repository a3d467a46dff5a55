// linerate topo --predict: rows for each number of nodes.
#include "base/text.h"
#include "commands/load_machine.h"
#include "commands/topo.h"
#include "topo/cluster/cluster_predictor.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/show/prediction.h"
#include "topo/show/ways.h"

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

// Lists in the environment may leave NCCL nothing to do it with; empty: they do not.
std::string no_way(ClusterNodes& nodes, const TopoConfig& config, int nnodes) {
  const ClusterPredictor predictor(nodes, nnodes);
  if (predictor.nccl().can_do(config.function, config.reduced)) return "";
  return fmt::format("NCCL {} has nothing left to do {} with, and ends with an error ({}).",
                     text_of(config.machine.version), name_of(config.function),
                     topo::variables_text(config.asked));
}

ExitCode print_ways(ClusterNodes& nodes, const TopoConfig& config, int nnodes) {
  const ClusterPredictor predictor(nodes, nnodes);
  const auto& nccl = predictor.nccl();
  const auto ways = topo::ways_of(nccl, config.function, config.table_bytes, config.reduced);
  const topo::WaysOf of{nccl.job(), config.function, config.table_bytes};
  fmt::print("{}", config.as_json
                       ? topo::ways_json(ways, of)
                       : topo::asked_text(config.asked) + topo::channels_text(nccl.job()) +
                             topo::ways_table(ways, of));
  return ExitCode::ok;
}

// One number of nodes: with the channels found, and where the choice changes.
std::string text_of_one(ClusterNodes& nodes, const TopoConfig& config, int nnodes) {
  ClusterPredictor predictor(nodes, nnodes);
  const auto range = range_of(config);
  return topo::asked_text(config.asked) + topo::channels_text(predictor.nccl().job()) +
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

// Sends have no algorithm and no protocol to be asked for.
topo::PredictionFacts facts_of_sends(topo::PredictionFacts facts) {
  std::erase_if(facts.asked.given, [](const auto& variable) {
    return variable.first == "NCCL_ALGO" || variable.first == "NCCL_PROTO" ||
           variable.first == "NCCL_NVLS_ENABLE";
  });
  return facts;
}

ExitCode predict_p2p(const TopoConfig& config, ClusterNodes& nodes, const std::vector<int>& counts,
                     const topo::PredictionFacts& facts) {
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
    const auto more = topo::p2p_rows(nodes.job(nnodes), costs,
                                     {.collective = *config.p2p_collective,
                                      .min_bytes = config.min_bytes,
                                      .max_bytes = config.max_bytes,
                                      .step_factor = config.step_factor});
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const topo::P2pRowsOf of{*config.p2p_collective, facts, counts, gpus};
  fmt::print("{}", config.as_json ? topo::p2p_json(rows, of)
                                  : topo::asked_text(facts.asked) + topo::p2p_table(rows, of));
  return ExitCode::ok;
}

ExitCode predict(const TopoConfig& config, ClusterNodes nodes, const std::vector<int>& counts) {
  for (const int nnodes : counts)
    if (const auto why = nodes.unfit(nnodes); !why.empty()) return refuse("--predict: " + why);
  const topo::PredictionFacts facts{.version = config.machine.version,
                                    .asked = config.asked,
                                    .unseen = caveats_about(nodes.cluster(), counts.back())};
  if (config.as_json)
    print_caveats(facts.unseen);
  else
    for (const auto& sentence : facts.unseen) fmt::print("not seen: {}\n", plain_text(sentence));
  if (config.p2p_collective != nullptr)
    return predict_p2p(config, nodes, counts, facts_of_sends(facts));
  for (const int nnodes : counts)
    if (const auto why = no_way(nodes, config, nnodes); !why.empty())
      return refuse("--predict: " + why);
  warn_of_mixed_nics(nodes, config, counts.back());
  if (config.table_bytes > 0) return print_ways(nodes, config, counts.front());
  if (config.as_json)
    fmt::print("{}", topo::prediction_json(rows_of(nodes, config, counts), config.function, facts));
  else if (counts.size() == 1)
    fmt::print("{}", text_of_one(nodes, config, counts.front()));
  else
    fmt::print("{}{}", topo::asked_text(config.asked),
               topo::prediction_table(
                   rows_of(nodes, config, counts), config.function,
                   {.nodes = true, .bound_by = config.machine.source == MachineSource::cluster}));
  return ExitCode::ok;
}

}  // namespace

Refusal read_nccl_environment(const Environment& environment, TopoConfig& config) {
  const auto asked = topo::read_tuner_settings(environment, config.machine.version);
  if (!asked) return asked.sentence();
  config.asked = *asked;
  for (const auto& sentence : topo::unmodelled_settings(environment))
    fmt::print(stderr, "linerate: {}\n", sentence);
  return {};
}

ExitCode predict_on_cluster(const TopoConfig& config, topo::Cluster cluster) {
  const int all = cluster.nnodes();
  const auto counts = config.nnodes.empty() ? std::vector{all} : config.nnodes;
  if (counts.back() > all) return refuse(more_than_it_has(cluster, counts.back()));
  return predict(config, ClusterNodes(std::move(cluster), config.machine.version, config.asked),
                 counts);
}

ExitCode predict_on_nodes(const TopoConfig& config, topo::System system) {
  const auto counts = config.nnodes.empty() ? std::vector{1} : config.nnodes;
  const auto name = config.machine.name.empty() ? "this machine" : config.machine.name;
  topo::Cluster cluster;
  cluster.groups.push_back({.topology = name,
                            .system = std::make_shared<const topo::System>(std::move(system)),
                            .count = counts.back()});
  return predict(config, ClusterNodes(std::move(cluster), config.machine.version, config.asked),
                 counts);
}

}  // namespace linerate
