// Everything that `linerate topo` can say of a system: for targets that read one.
#pragma once

#include "topo/graph/explain.h"
#include "topo/lint/lint.h"
#include "topo/model/job.h"
#include "topo/place/launch_words.h"
#include "topo/place/show_plan.h"
#include "topo/show/dot.h"
#include "topo/show/json.h"
#include "topo/show/matrix.h"
#include "topo/show/prediction.h"
#include "topo/show/svg.h"
#include "topo/show/tree.h"

#include <algorithm>
#include <cstddef>

namespace linerate::topo {

// Ranks on every seat of a small system, or on some of many cores, in the words of all launchers.
inline void place_ranks(const Graph& graph) {
  constexpr int kMostRanks = 8;
  const int ranks = std::clamp(most_seats(graph), 1, kMostRanks);
  const auto plan = plan_of(graph, {.nranks = ranks, .tp = ranks % 2 == 0 ? 2 : 1});
  if (!plan) return (void)plan.sentence().size();
  (void)plan_text(*plan).size();
  (void)plan_json(*plan).size();
  for (const auto words : {rankfile_text, mpirun_words, srun_words, environment_text}) {
    const auto text = words(*plan);
    (void)(text ? text->size() : text.sentence().size());
  }
}

// Views of the paths and predictions, whose time grows with the cube of the devices and more, of
// small systems; of larger ones the others.
inline void show_everything(const System& system) {
  constexpr std::size_t kMostNodes = 40, kMostGpus = 4;
  const Graph graph = build_graph(system);
  (void)tree_text(graph).size();
  (void)lint(system).size();
  (void)dot_text(graph).size();
  (void)svg_text(graph).size();
  if (graph.nodes().size() > kMostNodes) return;
  const Paths paths(graph);
  (void)matrix_text(graph, paths).size();
  (void)json_text(graph, paths).size();
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n)
    (void)explain(graph, paths, 0, n).size();
  const auto gpus = graph.of(NodeKind::gpu).size();
  if (gpus > kMostGpus) return;
  place_ranks(graph);
  if (gpus == 0) return;
  const int nnodes = graph.of(NodeKind::net).empty() ? 1 : 2;
  if (gpus * static_cast<std::size_t>(nnodes) < 2) return;
  const auto job = job_of(graph, {.nnodes = nnodes});
  (void)channels_text(job).size();
  (void)crossovers_text(Predictor(job), {}).size();
}

}  // namespace linerate::topo
