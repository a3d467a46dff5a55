// Everything that `linerate topo` can say of a system: for targets that read one.
#pragma once

#include "topo/cluster/cluster_predictor.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/cluster/nvlink_domain.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/nccl_merge.h"
#include "topo/graph/paths.h"
#include "topo/lint/lint.h"
#include "topo/model/p2p_model.h"
#include "topo/place/plan_text.h"
#include "topo/show/prediction.h"
#include "topo/show/views.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace linerate::topo {

// Ranks on every binding of a small system, or on some of many cores, in the words of all
// launchers.
inline void place_ranks(const Graph& graph) {
  constexpr int kMaxRanks = 8;
  const int ranks = std::clamp(max_ranks(graph), 1, kMaxRanks);
  const auto plan = plan_of(graph, {.nranks = ranks, .tp = ranks % 2 == 0 ? 2 : 1});
  if (!plan) return (void)plan.sentence().size();
  (void)plan_text(*plan).size();
  (void)plan_json(*plan).size();
  for (const auto words : {rankfile_text, mpirun_text, srun_text, environment_text}) {
    const auto text = words(*plan);
    (void)(text ? text->size() : text.sentence().size());
  }
}

// On so many nodes, in racks of two and on two rails: all that NCCL has a model for, and what it
// makes of sends.
inline void predict_on_nodes(const System& system, int nnodes) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  Cluster cluster{.fabric = {.rails = 2, .nodes_per_rack = 2, .rack = {2, 1}, .spine = {2, 1}}};
  cluster.groups.push_back({.system = std::make_shared<const System>(system), .count = nnodes});
  ClusterNodes nodes(std::move(cluster));
  if (!nodes.unfit(nnodes).empty()) return;
  ClusterPredictor predictor(nodes, nnodes);
  (void)channels_text(predictor.nccl().job()).size();
  for (const auto function : kAllFunctions)
    (void)prediction_table(predicted_rows(predictor, {.function = function, .max_bytes = kBytes}),
                           function, {.bound_by = true})
        .size();
  const P2pModel sends(build_graph(system), nnodes);
  for (const auto name : p2p_collectives())
    if (const auto costs = costs_on(nodes.cluster(), nodes.links(), sends, *find_collective(name)))
      (void)costs->at(kBytes)->bound_by.size();
}

// By itself, and beside a built-in node that it is unlike; completed by that, and with a twin in
// one NVLink domain.
inline void lint_beside(const System& system) {
  const auto usual = *built_in_platform("dgx-h100");
  const std::vector<LintedNode> nodes{{.name = "a", .system = &usual, .count = 2},
                                      {.name = "b", .system = &system}};
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    const auto report = lint_nodes(std::span(nodes).subspan(first));
    (void)lint_text(report).size();
    (void)lint_json(report).size();
  }
  if (const auto whole = completed_as_platform(system, usual)) (void)lint(*whole).size();
  if (const auto domain = in_one_domain(system, 2)) (void)tree_text(build_graph(*domain)).size();
}

// Views of the paths and predictions, whose time grows with the cube of the devices and more, of
// small systems; of larger ones the others.
inline void show_everything(const System& system) {
  constexpr std::size_t kMaxNodes = 40, kMaxGpus = 4;
  const Graph graph = build_graph(system);
  (void)tree_text(graph).size();
  lint_beside(system);
  (void)dot_text(graph).size();
  if (graph.nodes().size() > kMaxNodes) return;
  const Paths paths(graph);
  (void)matrix_text(graph, paths).size();
  (void)json_text(graph, paths).size();
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n)
    (void)explain(graph, paths, 0, n).size();
  const auto gpus = graph.of(NodeKind::gpu).size();
  if (gpus > kMaxGpus) return;
  place_ranks(graph);
  if (gpus == 0) return;
  for (const int nnodes : {1, 4}) predict_on_nodes(system, nnodes);
}

}  // namespace linerate::topo
